package import JSON
package import Timing

/// A workflow instance as the service keeps it.
package struct SAPInstance: Sendable, Identifiable {
  package enum Status: String, Sendable, CaseIterable {
    case running = "RUNNING"
    case erroneous = "ERRONEOUS"
    case suspended = "SUSPENDED"
    case canceled = "CANCELED"
    case completed = "COMPLETED"

    package var isFinal: Bool { self == .canceled || self == .completed }
  }

  package struct LogEntry: Sendable {
    package let type: String
    package let time: Timestamp
    package let members: [(String, JSONValue)]
  }

  package struct ErrorMessage: Sendable {
    package let text: String
    package let time: Timestamp
    package let logID: String
  }

  package let id: String
  package let definitionID: String
  package let definitionVersion: String
  package let startedAt: Timestamp
  package let startedBy: String
  package var parentInstanceID: String?
  package var status = Status.running
  /// SBPA leaves both open until the flow has begun.
  package var subject: String?
  package var businessKey: String?
  package var completedAt: Timestamp?
  package var context: JSONValue
  package var log: [LogEntry] = []
  package var errorMessages: [ErrorMessage] = []
  /// The message it waits for.
  package var awaitedMessage: String?
  /// The step it is at; -1 before the first.
  var step = -1
  /// Whether it was suspended or had failed when it should have moved on.
  var isHeld = false

  mutating func note(_ type: String, at time: Timestamp, _ members: [(String, JSONValue)] = []) {
    log.append(LogEntry(type: type, time: time, members: members))
  }
}
