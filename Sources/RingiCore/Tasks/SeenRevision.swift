internal import JSON
internal import JSONRPC
internal import RingiModel

/// What a person looked at before deciding: the task's revision, and where they read the context too, its hash.
///
/// Written `REVISION` or `REVISION-CONTEXT`.
struct SeenRevision {
  private static let separator: Character = "-"

  let task: String
  let context: String?

  init(_ text: String) {
    let parts = text.split(separator: Self.separator, maxSplits: 1)
    task = parts.first.map(String.init) ?? ""
    context = parts.count > 1 ? String(parts[1]) : nil
  }

  /// The revision of a task shown together with its context.
  static func text(_ task: TaskItem, context: JSONValue?) -> String {
    guard let context else { return task.revision }
    return "\(task.revision)\(separator)\(Revision.of([context]))"
  }

  /// Compares what was seen with what is there now.
  ///
  /// - Parameters:
  ///   - task: The task as the backend has it now.
  ///   - context: Its context now; asked for only when the context was seen.
  ///   - old: The task as last known, for saying what changed.
  ///   - oldContext: The context as last shown.
  /// - Throws: `RPCError` (conflict) with the difference.
  func check(_ task: TaskItem, context: JSONValue?, old: TaskItem, oldContext: JSONValue?) throws(RPCError) {
    var changes: [(String, JSONValue)] = []
    // Only the record that was seen can tell what changed since.
    if self.task != task.revision, self.task == old.revision {
      changes += JSONDifference.members(old.json(), task.json(), except: ["revision", "status", "actions", "outcome"])
    }
    if let seen = self.context, seen != context.map({ Revision.of([$0]) }) {
      changes += JSONDifference.members(oldContext ?? .emptyObject, context ?? .emptyObject, prefix: "context.")
    } else if self.task == task.revision {
      return
    }
    let names = changes.map(\.0).joined(separator: ", ")
    throw .conflict(
      "The task \(task.id) changed since it was read\(names.isEmpty ? "" : " (\(names))"); read it again and decide anew.",
      details: [
        "task": task.json(), "seen": JSONValue(self.task), "revision": JSONValue(task.revision),
        "changes": JSONValue(object: changes),
      ])
  }
}

/// What differs between two objects.
enum JSONDifference {
  /// The members that differ, each as `{"from", "to"}`; objects are looked into, so that a name is a dotted path.
  static func members(
    _ old: JSONValue, _ new: JSONValue, prefix: String = "", except: Set<String> = []
  ) -> [(String, JSONValue)] {
    let keys = (old.object?.map(\.key) ?? []) + (new.object?.map(\.key).filter { old[$0] == nil } ?? [])
    return keys.filter { !except.contains($0) }.flatMap { key -> [(String, JSONValue)] in
      let (from, to) = (old[key] ?? .null, new[key] ?? .null)
      if from == to { return [] }
      if from.object != nil, to.object != nil { return members(from, to, prefix: "\(prefix)\(key).") }
      return [("\(prefix)\(key)", ["from": from, "to": to])]
    }
  }
}
