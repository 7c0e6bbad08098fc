internal import RingiKit

/// A task as a site's own resource shows it.
struct CuramTask {
  let id: String
  let json: JSONValue

  /// Reads a record; nil when it has no `taskID` or no `status`.
  init?(_ json: JSONValue) {
    // 64 bits, as a text or a number.
    guard let id = json["taskID"]?.string ?? json["taskID"]?.int.map({ String($0) }), !id.isEmpty,
      json["status"]?.string != nil
    else { return nil }
    self.id = id
    self.json = json
  }

  var isOpen: Bool { json["status"]?.string == "OPEN" }

  /// The task as every client sees it.
  func item(_ id: TaskItem.ID) -> TaskItem {
    TaskItem(
      id: id, title: text("subject") ?? self.id, status: status, outcome: isOpen ? nil : .completed,
      assignees: text("reservedBy").map { [$0] } ?? [], dueAt: text("deadline").flatMap { Timestamp(rfc3339: $0) },
      actions: isOpen ? [.approve, .complete] : [],
      decisive: [json["concernRoleID"] ?? .null, json["priority"] ?? .null], raw: json)
  }

  private var status: TaskItem.Status {
    guard isOpen else { return .done }
    return text("reservedBy") == nil ? .ready : .claimed
  }

  private func text(_ name: String) -> String? { json[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
}
