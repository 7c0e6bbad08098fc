internal import RingiKit

/// A task as the service shows it.
struct TodoistTask {
  let id: String
  let json: JSONValue

  /// Reads a record; nil when it has no id.
  init?(_ json: JSONValue) {
    guard let id = json["id"]?.string else { return nil }
    (self.id, self.json) = (id, json)
  }

  var isChecked: Bool { json["checked"]?.bool ?? false }
  var isDeleted: Bool { json["is_deleted"]?.bool ?? false }
  var isRecurring: Bool { json["due"]?["is_recurring"]?.bool ?? false }
  var dueText: String? { json["due"]?["date"]?.string }
  var content: String { json["content"]?.string ?? id }

  /// Whether this occurrence of it is still to be closed.
  func isOpen(as key: TaskKey) -> Bool { !isChecked && listed.key == key }

  var listed: ListedTask {
    func text(_ name: String) -> String? { json[name]?.string }
    func time(_ name: String) -> Timestamp? { text(name).flatMap { Timestamp(rfc3339: $0) } }
    return ListedTask(
      id: id, title: content, isCompleted: isChecked, dueText: dueText, isRecurring: isRecurring,
      requester: text("assigned_by_uid") ?? text("added_by_uid"), assignee: text("responsible_uid"), completedBy: nil,
      priority: priority, createdAt: time("added_at"), url: nil,
      decisive: [
        json["description"] ?? .null, json["project_id"] ?? .null, json["labels"] ?? .null, json["due"] ?? .null,
      ], json: json)
  }

  /// The service's 4 is the most urgent.
  private var priority: TaskItem.Priority {
    switch json["priority"]?.int {
    case 4: .urgent
    case 3: .high
    case 2: .medium
    default: .low
    }
  }
}
