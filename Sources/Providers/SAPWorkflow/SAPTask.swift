internal import RingiKit

/// A task instance as the service shows it; what may be missing is optional.
struct SAPTask {
  enum Status: String, Sendable {
    case ready = "READY"
    case reserved = "RESERVED"
    case completed = "COMPLETED"
    case canceled = "CANCELED"

    var isFinal: Bool { self == .completed || self == .canceled }
  }

  let id: String
  let status: Status
  /// Who claimed it; in a completed task mostly who completed it.
  let processor: String?
  let json: JSONValue

  /// Reads a record; nil when it has no id or no status that is known.
  init?(_ json: JSONValue) {
    guard let id = json["id"]?.string, let status = json["status"]?.string.flatMap(Status.init) else { return nil }
    self.id = id
    self.status = status
    processor = json["processor"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    self.json = json
  }

  /// The task as every client sees it.
  ///
  /// - Parameters:
  ///   - id: Its name in the agent.
  ///   - outcome: How it was decided, as far as that is known.
  /// - Returns: The task.
  func item(_ id: TaskItem.ID, outcome: TaskItem.Outcome?) -> TaskItem {
    TaskItem(
      id: id, title: text("subject") ?? text("description") ?? text("activityId") ?? self.id, status: itemStatus,
      outcome: outcome, decidedBy: status == .completed ? processor : nil, requester: text("createdBy"),
      assignees: names("recipientUsers") + names("recipientGroups"), priority: priority, createdAt: time("createdAt"),
      dueAt: time("dueDate"), actions: actions, decisive: text("description").map { JSONValue($0) } ?? .null, raw: json)
  }

  private var itemStatus: TaskItem.Status {
    switch status {
    case .ready: .ready
    case .reserved: .claimed
    case .completed: .done
    case .canceled: .gone
    }
  }

  private var actions: [TaskItem.Action] {
    switch status {
    case .ready: [.approve, .reject, .complete, .claim]
    case .reserved: [.approve, .reject, .complete, .release]
    case .completed, .canceled: []
    }
  }

  private var priority: TaskItem.Priority {
    switch text("priority") {
    case "VERY_HIGH": .urgent
    case "HIGH": .high
    case "LOW": .low
    default: .medium
    }
  }

  private func text(_ name: String) -> String? { json[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
  private func names(_ name: String) -> [String] { json[name]?.array?.compactMap(\.string) ?? [] }
  private func time(_ name: String) -> Timestamp? { json[name]?.string.flatMap { Timestamp(rfc3339: $0) } }
}
