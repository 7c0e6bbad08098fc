internal import JSON
internal import JSONRPC
internal import RingiKit
internal import RingiModel
internal import Timing

/// A task as a plugin describes it: the members that clients see, most of which may be left out.
enum PluginTask {
  private static let maxIDBytes = 512

  /// Reads a task.
  ///
  /// - Parameters:
  ///   - json: The object; its `id` is the plugin's own, with or without the instance before it.
  ///   - instance: The plugin instance.
  /// - Returns: The task.
  /// - Throws: `RPCError` (backend-error) that names the member.
  static func read(_ json: JSONValue, of instance: String) throws(RPCError) -> TaskItem {
    let reader = Reader(json: json, instance: instance)
    guard json.object != nil else { throw reader.mistake("a task takes an object, got \(json.kind.rawValue)") }
    let outcome: TaskItem.Outcome? = try reader.word("outcome")
    let status: TaskItem.Status = try reader.word("status") ?? (outcome == nil ? .ready : .done)
    return TaskItem(
      id: try id(json, of: instance), title: try reader.text("title") ?? "", status: status, outcome: outcome,
      decidedBy: try reader.text("decidedBy"), requester: try reader.text("requester"),
      assignees: try reader.texts("assignees") ?? [], priority: try reader.word("priority") ?? .medium,
      createdAt: try reader.time("createdAt"), dueAt: try reader.time("dueAt"), url: try reader.text("url"),
      actions: try reader.actions(isOpen: status.isOpen), decisive: json["decisive"] ?? .null,
      raw: json["raw"] ?? .null)
  }

  /// Reads a task's id alone.
  static func id(_ json: JSONValue, of instance: String) throws(RPCError) -> TaskItem.ID {
    let reader = Reader(json: json, instance: instance)
    guard var key = try reader.text("id") ?? json["id"]?.int.map({ "\($0)" }) else {
      throw reader.mistake("a task has no id")
    }
    if key.hasPrefix("\(instance)/") { key.removeFirst(instance.count + 1) }
    guard !key.isEmpty, key.utf8.count <= maxIDBytes else {
      throw reader.mistake("id takes 1 to \(maxIDBytes) bytes")
    }
    return TaskItem.ID(provider: instance, key: key)
  }

  private struct Reader {
    let json: JSONValue
    let instance: String

    func mistake(_ what: String) -> RPCError {
      let task = json["id"]?.string.map { $0.utf8.count <= PluginTask.maxIDBytes ? " \($0)" : "" } ?? ""
      return .backendError(
        provider: instance, message: "The plugin \(instance) described a task\(task) that can't be used: \(what).")
    }

    private func member(_ name: String) -> JSONValue? {
      guard let value = json[name], !value.isNull else { return nil }
      return value
    }

    func text(_ name: String) throws(RPCError) -> String? {
      guard let value = member(name) else { return nil }
      if let text = value.string { return text }
      if name == "id", value.int != nil { return nil }
      throw mistake("\(name) takes a string, got \(value.kind.rawValue)")
    }

    func texts(_ name: String) throws(RPCError) -> [String]? {
      guard let value = member(name) else { return nil }
      guard let array = value.array, array.allSatisfy({ $0.string != nil }) else {
        throw mistake("\(name) takes an array of strings")
      }
      return array.compactMap(\.string)
    }

    func word<Word: RawRepresentable & CaseIterable>(_ name: String) throws(RPCError) -> Word?
    where Word.RawValue == String {
      guard let text = try text(name) else { return nil }
      guard let word = Word(rawValue: text) else {
        throw mistake(
          "\(name) takes one of \(Word.allCases.map(\.rawValue).joined(separator: ", ")), got \(JSONValue(text).shown)"
        )
      }
      return word
    }

    func time(_ name: String) throws(RPCError) -> Timestamp? {
      guard let text = try text(name) else { return nil }
      guard let time = Timestamp(rfc3339: text) else {
        throw mistake("\(name) takes a time such as 2026-11-30T05:09:00Z, got \(JSONValue(text).shown)")
      }
      return time
    }

    func actions(isOpen: Bool) throws(RPCError) -> [TaskItem.Action] {
      guard let names = try texts("actions") else { return isOpen ? [.approve, .reject] : [] }
      var actions: [TaskItem.Action] = []
      for name in names {
        guard let action = TaskItem.Action(rawValue: name) else {
          throw mistake(
            "actions takes \(TaskItem.Action.allCases.map(\.rawValue).joined(separator: ", ")), got \(JSONValue(name).shown)"
          )
        }
        actions.append(action)
      }
      return actions
    }
  }
}
