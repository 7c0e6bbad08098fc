internal import RingiKit

/// A task as a site's own resource shows it.
struct CuramTask {
  let id: String
  let status: TaskItem.Status
  let json: JSONValue

  /// Reads a record; nil when it has no `status`, or no `taskID` that is a name of one resource.
  ///
  /// - Parameters:
  ///   - json: The record.
  ///   - closed: The words for a task that is done.
  init?(_ json: JSONValue, closed: Set<String>) {
    // 64 bits, as a text or a number.
    guard let id = json["taskID"]?.string ?? json["taskID"]?.int.map({ String($0) }), id.isName,
      let word = json["status"]?.string
    else { return nil }
    (self.id, self.json) = (id, json)
    status =
      switch word {
      case "OPEN": json["reservedBy"]?.string?.isEmpty ?? true ? .ready : .claimed
      case _ where closed.contains(word): .done
      // Deferred, or with somebody else: it may be open again.
      default: .gone
      }
  }

  /// The task as every client sees it.
  func item(_ id: TaskItem.ID) -> TaskItem {
    TaskItem(
      id: id, title: text("subject") ?? self.id, status: status, outcome: status == .done ? .completed : nil,
      assignees: text("reservedBy").map { [$0] } ?? [], dueAt: text("deadline").flatMap { Timestamp(rfc3339: $0) },
      actions: status.isOpen ? [.approve, .complete] : [],
      decisive: [json["concernRoleID"] ?? .null, json["priority"] ?? .null], raw: json)
  }

  private func text(_ name: String) -> String? { json[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
}
