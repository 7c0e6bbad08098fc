internal import JSON
internal import Timing

package struct WunderlistList: Sendable {
  package let id: Int64
  package internal(set) var title: String
  package internal(set) var revision: Int64
  let createdAt: Timestamp

  var json: JSONValue {
    [
      "id": .init(id), "title": .init(title), "list_type": "list", "type": "list", "revision": .init(revision),
      "created_at": .init(createdAt.rfc3339),
    ]
  }
}

package struct WunderlistTask: Sendable {
  package let id: Int64
  package internal(set) var listID: Int64
  package internal(set) var title: String
  package internal(set) var revision: Int64
  package internal(set) var isCompleted = false
  package internal(set) var isStarred = false
  package internal(set) var dueDate: String?
  var assigneeID: Int64?
  var recurrenceType: String?
  var recurrenceCount: Int64?
  let createdAt: Timestamp
  let createdByID: Int64
  var createdByRequestID: String?
  var completedAt: Timestamp?
  var completedByID: Int64?

  /// The task as the service shows it: what is not set is left out.
  func json(showsOpen: Bool) -> JSONValue {
    var members: [(String, JSONValue?)] = [
      ("id", .init(id)), ("type", "task"), ("list_id", .init(listID)), ("title", .init(title)),
      ("completed", isCompleted || showsOpen ? .init(isCompleted) : nil), ("starred", .init(isStarred)),
      ("due_date", dueDate.map { .init($0) }), ("assignee_id", assigneeID.map { .init($0) }),
      ("recurrence_type", recurrenceType.map { .init($0) }), ("recurrence_count", recurrenceCount.map { .init($0) }),
      ("created_at", .init(createdAt.rfc3339)), ("created_by_id", .init(createdByID)),
      ("created_by_request_id", createdByRequestID.map { .init($0) }),
    ]
    if isCompleted {
      members.append(("completed_at", completedAt.map { .init($0.rfc3339) }))
      members.append(("completed_by_id", completedByID.map { .init($0) }))
    }
    members.append(("revision", .init(revision)))
    return JSONValue(object: members.compactMap { name, value in value.map { (name, $0) } })
  }
}
