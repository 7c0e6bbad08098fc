internal import RingiKit

/// A task as the service shows it; what is not set is missing.
struct WunderlistTask {
  let id: Int64
  let listID: Int64
  let revision: Int64
  let json: JSONValue

  /// Reads a record; nil when it has no id, list or revision.
  init?(_ json: JSONValue) {
    guard let id = json["id"]?.int, let list = json["list_id"]?.int, let revision = json["revision"]?.int else {
      return nil
    }
    (self.id, listID, self.revision, self.json) = (id, list, revision, json)
  }

  /// Missing in the samples of open tasks.
  var isCompleted: Bool { json["completed"]?.bool ?? false }

  var listed: ListedTask {
    func number(_ name: String) -> String? { json[name]?.int.map { String($0) } }
    func time(_ name: String) -> Timestamp? { json[name]?.string.flatMap { Timestamp(rfc3339: $0) } }
    return ListedTask(
      id: String(id), title: json["title"]?.string ?? String(id), isCompleted: isCompleted,
      dueText: json["due_date"]?.string, isRecurring: json["recurrence_type"]?.string != nil,
      requester: number("created_by_id"), assignee: number("assignee_id"), completedBy: number("completed_by_id"),
      priority: json["starred"]?.bool == true ? .high : .medium, createdAt: time("created_at"), url: nil,
      decisive: [.init(listID), json["assignee_id"] ?? .null, json["recurrence_type"] ?? .null], json: json)
  }

  /// The fields that a person may change, with the values before and after, where they differ.
  static func changes(from old: JSONValue, to new: JSONValue) -> [(String, JSONValue)] {
    fields.compactMap { name in
      let (before, after) = (old[name] ?? .null, new[name] ?? .null)
      return before == after || (name == "completed" && before.bool ?? false == after.bool ?? false)
        ? nil : (name, ["from": before, "to": after])
    }
  }

  static let fields = [
    "title", "list_id", "completed", "starred", "due_date", "assignee_id", "recurrence_type", "recurrence_count",
  ]
}
