internal import JSON
internal import Text
internal import Timing

/// A task of an answer, as a person reads it.
struct TaskView {
  let json: JSONValue

  var id: String { text("id") ?? "?" }
  var title: String { text("title") ?? "(no title)" }
  var status: String { text("status") ?? "?" }
  /// "done: approved", or the status alone.
  var state: String { text("outcome").map { "\(status): \($0)" } ?? status }
  var requester: String? { text("requester") }
  var priority: String? { text("priority") }
  var createdAt: Timestamp? { text("createdAt").flatMap(Timestamp.init(rfc3339:)) }
  var dueAt: Timestamp? { text("dueAt").flatMap(Timestamp.init(rfc3339:)) }

  /// The title with the id, for a sentence.
  var named: [Styled] { [Styled(title, .bold), Styled(" (\(id))")] }

  /// A member that is a text and not empty.
  func text(_ key: String) -> String? {
    json[key]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The priority, louder the more urgent.
  var priorityCell: Styled {
    switch priority {
    case "urgent": Styled("urgent", .red)
    case "high": Styled("high", .yellow)
    case let other: Styled(other ?? "-")
    }
  }

  /// When it is due, red when that has passed.
  func dueCell(now: Timestamp) -> Styled {
    guard let dueAt else { return "-" }
    return Styled(dueAt.relativeText(now: now), dueAt < now ? .red : nil)
  }
}
