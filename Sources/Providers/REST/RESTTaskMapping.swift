internal import RingiKit

/// How the service's records are the agent's tasks: operations, and JSON pointers into a record.
struct RESTTaskMapping {
  /// An operation with params that the settings give.
  struct Call {
    let operation: RESTOperation
    let params: JSONValue
    /// The param that takes the task's id.
    let id: String?
    /// The param that takes a person's comment.
    let comment: String?
    /// The param that takes the backend's own name of the decision.
    let decision: String?
    /// Params that are taken from the task's record.
    let from: [(param: String, pointer: JSONPointer)]
  }

  let list: Call
  /// Reads one task; a list with pages is searched for it.
  let get: Call
  let decisions: [Decision.Kind: Call]
  let fields: RESTTaskFields

  init(_ part: SettingsPart, operations: [RESTOperation]) throws(SettingsError) {
    func call(_ name: String, takesID: Bool) throws(SettingsError) -> Call? {
      guard let part = part.part(name) else { return nil }
      return try Self.call(part, takesID: takesID, operations)
    }
    guard let list = try call("list", takesID: false), let get = try call("get", takesID: true) else {
      throw part.fault("list and get are needed; they name the operations that list the tasks and read one")
    }
    self.list = list
    self.get = get
    if list.operation.changes { throw part.fault("list", "\(list.operation.name) changes something") }
    if get.operation.changes { throw part.fault("get", "\(get.operation.name) changes something") }
    var decisions: [Decision.Kind: Call] = [:]
    for kind in Decision.Kind.allCases {
      guard let call = try call(kind.rawValue, takesID: true) else { continue }
      guard call.operation.changes else { throw part.fault(kind.rawValue, "\(call.operation.name) changes nothing") }
      decisions[kind] = call
    }
    self.decisions = decisions
    fields = try RESTTaskFields(part)
  }

  private static func call(
    _ part: SettingsPart, takesID: Bool, _ operations: [RESTOperation]
  ) throws(SettingsError) -> Call {
    let name = part.text("operation") ?? ""
    guard let operation = operations.first(where: { $0.name == name }) else {
      throw part.fault("operation", "there is no \(name); there are \(operations.map(\.name).joined(separator: ", "))")
    }
    func check(_ param: String, _ member: String) throws(SettingsError) {
      guard !operation.params.contains(where: { $0.name == param }) else { return }
      throw part.fault(member, "\(name) has no param \(param)")
    }
    let isSearch = operation.paging != nil || !operation.params.contains { $0.name == part.text("id") ?? "id" }
    let id = takesID && !isSearch ? part.text("id") ?? "id" : nil
    if takesID, id == nil, operation.paging == nil { try check(part.text("id") ?? "id", "id") }
    for member in ["comment", "decision"] {
      if let param = part.text(member) { try check(param, member) }
    }
    var from: [(String, JSONPointer)] = []
    for (param, member) in part.members("from") {
      try check(param, "from")
      guard let pointer = member.json.string.flatMap(JSONPointer.init) else {
        throw member.fault("it takes a JSON pointer into the task's record, such as \"/version\"")
      }
      from.append((param, pointer))
    }
    for (param, _) in part.members("params") { try check(param, "params") }
    return Call(
      operation: operation, params: part.json["params"] ?? .emptyObject, id: id, comment: part.text("comment"),
      decision: part.text("decision"), from: from)
  }
}

extension RESTTaskMapping.Call {
  /// The params that read a task, or decide it.
  ///
  /// - Parameters:
  ///   - key: The task's id.
  ///   - record: The task's record, which `from` looks into.
  ///   - decision: What a person decided.
  /// - Returns: The params, checked.
  /// - Throws: `RPCError`.
  func params(key: String, record: JSONValue = .null, decision: Decision? = nil) throws(RPCError) -> JSONValue {
    var params = self.params
    if let id { params = params.setting(id, to: try Self.id(key, for: operation, id)) }
    for (param, pointer) in from {
      guard let value = record[pointer: pointer] else {
        throw .conflict("The task's record has no \(pointer), which the decision takes along; read the task again.")
      }
      guard !value.hasLostDigits else {
        throw .invalidParams("\(param) takes \(pointer), an integer beyond 64 bits, which can't be sent as it is.")
      }
      params = params.setting(param, to: value)
    }
    if let text = decision?.comment, let comment { params = params.setting(comment, to: JSONValue(text)) }
    if let text = decision?.decision {
      guard let param = self.decision else {
        throw .invalidParams("decision: the settings of this instance name no param that takes it.")
      }
      params = params.setting(param, to: JSONValue(text))
    }
    if let context = decision?.context { params = params.merging(context) }
    return try operation.checked(params)
  }

  /// The id as the param takes it: a text, or a number where it takes no text.
  ///
  /// - Throws: `RPCError` (invalid-params) for a text that is no number as it is written: another one, such as 7 for 007,
  ///   may name another record.
  private static func id(_ key: String, for operation: RESTOperation, _ name: String) throws(RPCError) -> JSONValue {
    let schema = operation.params.first { $0.name == name }?.schema
    guard schema?.validate(JSONValue(key)).isEmpty == false else { return JSONValue(key) }
    guard let number = Int64(key), String(number) == key else {
      throw .invalidParams("\(name) of \(operation.name) does not take \(key.debugDescription)")
    }
    return JSONValue(number)
  }
}
