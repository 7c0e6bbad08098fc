package import JSON
internal import Timing

extension TaskItem {
  /// The task as a store keeps it: what clients get but for the backend's record, and who decided.
  package var record: JSONValue { json(raw: false).setting("decidedBy", to: decidedBy.map { JSONValue($0) } ?? .null) }

  /// Reads a task as ``record`` writes it; the revision is taken as it stands.
  ///
  /// - Parameters:
  ///   - record: The object.
  ///   - raw: The backend's own record.
  /// - Throws: ``RecordError``.
  package init(record: JSONValue, raw: JSONValue = .null) throws(RecordError) {
    func text(_ member: String) throws(RecordError) -> String {
      guard let text = record[member]?.string else { throw RecordError(member: member) }
      return text
    }
    func time(_ member: String) throws(RecordError) -> Timestamp? {
      guard let text = record[member]?.string else { return nil }
      guard let time = Timestamp(rfc3339: text) else { throw RecordError(member: member) }
      return time
    }
    guard let id = TaskItem.ID(try text("id")) else { throw RecordError(member: "id") }
    guard let status = Status(rawValue: try text("status")) else { throw RecordError(member: "status") }
    guard let priority = Priority(rawValue: try text("priority")) else { throw RecordError(member: "priority") }
    self.init(
      id: id, title: try text("title"), status: status, outcome: record["outcome"]?.string.flatMap(Outcome.init),
      decidedBy: record["decidedBy"]?.string, requester: record["requester"]?.string,
      assignees: record["assignees"]?.array?.compactMap(\.string) ?? [], priority: priority,
      createdAt: try time("createdAt"), dueAt: try time("dueAt"), url: record["url"]?.string,
      actions: record["actions"]?.array?.compactMap { $0.string.flatMap(Action.init) } ?? [],
      revision: try text("revision"), raw: raw)
  }
}
