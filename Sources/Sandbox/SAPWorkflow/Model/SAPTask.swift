package import Timing

/// A task instance as the service keeps it.
package struct SAPTask: Sendable, Identifiable {
  package enum Status: String, Sendable, CaseIterable {
    case ready = "READY"
    case reserved = "RESERVED"
    case completed = "COMPLETED"
    case canceled = "CANCELED"

    package var isFinal: Bool { self == .completed || self == .canceled }
  }

  /// In ascending order.
  package enum Priority: String, Sendable, CaseIterable {
    case low = "LOW"
    case medium = "MEDIUM"
    case high = "HIGH"
    case veryHigh = "VERY_HIGH"
  }

  package struct Attribute: Sendable, Equatable {
    package let id: String
    package let label: String
    package let value: String

    package init(id: String, label: String, value: String) {
      self.id = id
      self.label = label
      self.value = value
    }
  }

  package let id: String
  package let activityID: String
  package let workflowDefinitionID: String
  package let workflowInstanceID: String
  package let createdAt: Timestamp
  package var createdBy: String?
  package var status = Status.ready
  package var priority = Priority.medium
  package var subject: String
  package var description: String?
  package var lastChangedAt: Timestamp
  package var claimedAt: Timestamp?
  package var completedAt: Timestamp?
  package var dueDate: Timestamp?
  package var processor: String?
  package var recipientUsers: [String] = []
  package var recipientGroups: [String] = []
  package var attributes: [Attribute] = []
  package var confidenceLevel: Double?
  /// The button that completed it; never shown over the service's own API.
  package var decision: String?
  /// See `SAPUserTask`.
  var outputs: [String]?
  var inputs: [String]?

  /// Not the workflow's definition, but the task's in it.
  var definitionID: String { "\(activityID)@\(workflowDefinitionID)" }

  /// Claims it for somebody, or with an empty name releases it.
  mutating func setProcessor(_ name: String, at now: Timestamp) {
    processor = name.isEmpty ? nil : name
    status = name.isEmpty ? .ready : .reserved
    claimedAt = name.isEmpty ? nil : now
  }

  func isFor(_ caller: SAPCaller) -> Bool {
    recipientUsers.contains(caller.name) || processor == caller.name
      || recipientGroups.contains(where: caller.groups.contains)
  }
}
