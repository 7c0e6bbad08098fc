internal import RingiKit

/// New values for a task's properties, as the service wants them written.
struct SAPTaskChanges {
  let body: JSONValue

  private static let lists = ["recipientUsers", "recipientGroups"]

  /// - Throws: `RPCError` (invalid-params) for nothing at all, and for what the service would misread.
  init(_ params: JSONValue) throws(RPCError) {
    var members: [(String, JSONValue)] = []
    for member in params.object.map(Array.init) ?? [] where member.key != "id" {
      members.append((member.key, try Self.written(member.key, member.value)))
    }
    guard !members.isEmpty else { throw .invalidParams("task.update got nothing to change.") }
    body = JSONValue(object: members)
  }

  /// Names are read as an array and written as a text with commas.
  private static func written(_ name: String, _ value: JSONValue) throws(RPCError) -> JSONValue {
    if name == "dueDate" {
      guard let time = value.string.flatMap({ Timestamp(rfc3339: $0) }) else {
        throw .invalidParams("dueDate got \(value), but takes a time such as 2026-11-30T05:09:00Z.")
      }
      return JSONValue(SAPTime.wire(time))
    }
    let names =
      lists.contains(name) ? value.array?.compactMap(\.string) ?? [] : [name == "processor" ? value.string ?? "" : ""]
    if let odd = names.first(where: { $0.contains(",") }) {
      throw .invalidParams("\(name) got \(odd.debugDescription), but takes names without commas.")
    }
    return lists.contains(name) ? JSONValue(names.joined(separator: ",")) : value
  }

  /// Whether a task, read again, has all of these values, as far as it shows them.
  func show(in task: JSONValue) -> Bool {
    (body.object.map(Array.init) ?? []).allSatisfy { name, value in
      if name == "confidenceLevel" { return true }
      if Self.lists.contains(name) {
        let names = task[name]?.array?.compactMap(\.string) ?? []
        return Set(names) == Set(value.string?.split(separator: ",").map(String.init) ?? [])
      }
      return task[name] ?? "" == value || (task[name]?.isNull == true && value == "")
    }
  }
}
