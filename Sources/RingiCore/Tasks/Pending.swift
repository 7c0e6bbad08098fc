package import JSON
package import RingiKit
package import RingiModel
package import Timing

extension TaskTable {
  /// A decision that was written down before it was sent, and whose outcome is not known yet.
  package struct Pending: Equatable, Sendable {
    package let decision: Decision
    /// When it was sent, or is about to be.
    package let since: Timestamp
    /// The same on a clock that nobody sets.
    package var uptime: Int64 = 0
    /// What the task was then; of another one the decision was not made.
    package let revision: String
    /// Who made it, and the key that they gave it.
    package var actor = Actor()
    package var idempotencyKey: String?
    /// The events that led to it.
    package var causes: [String] = []
    /// Whether whoever made it was told that its outcome is unknown: then it is theirs to make again.
    package var isAnswered = false

    package init(decision: Decision, since: Timestamp, revision: String) {
      (self.decision, self.since, self.revision) = (decision, since, revision)
    }

    /// A backend shows within this time what it made of a write, unless its plugins.d file says otherwise.
    package static let settles: Duration = .seconds(60)

    /// How long ago it was sent.
    func age(at uptime: Int64) -> Duration { .nanoseconds(uptime - self.uptime) }
  }
}

extension TaskTable.Pending {
  package var json: JSONValue {
    [
      "kind": JSONValue(decision.kind.rawValue), "decision": decision.decision.map { JSONValue($0) } ?? .null,
      "comment": decision.comment.map { JSONValue($0) } ?? .null, "context": decision.context ?? .null,
      "since": JSONValue(since.milliseconds), "revision": JSONValue(revision),
      "actor": actor.json, "idempotencyKey": idempotencyKey.map { JSONValue($0) } ?? .null,
      "causes": JSONValue(array: causes.map { JSONValue($0) }), "isAnswered": JSONValue(isAnswered),
    ]
  }

  /// What the audit log tells of its end.
  func entry(_ task: TaskItem.ID, _ outcome: String, at time: Timestamp, backend: JSONValue? = nil) -> AuditEntry {
    var entry = AuditEntry(decision.kind.rawValue, by: actor, outcome: outcome, at: time)
    entry.task = task
    entry.idempotencyKey = idempotencyKey
    entry.backend = backend
    if let comment = decision.comment { entry.details = ["comment": JSONValue(comment)] }
    return entry
  }

  /// Reads what ``json`` wrote.
  ///
  /// - Throws: `RecordError`.
  package init(json: JSONValue) throws(RecordError) {
    guard let kind = json["kind"]?.string.flatMap(Decision.Kind.init) else { throw RecordError(member: "kind") }
    guard let since = json["since"]?.int else { throw RecordError(member: "since") }
    guard let revision = json["revision"]?.string else { throw RecordError(member: "revision") }
    let context = json["context"]
    self.init(
      decision: Decision(
        kind, decision: json["decision"]?.string, comment: json["comment"]?.string,
        context: context?.isNull == true ? nil : context),
      since: Timestamp(milliseconds: since), revision: revision)
    actor = Actor(json: json["actor"] ?? .null)
    idempotencyKey = json["idempotencyKey"]?.string
    causes = json["causes"]?.array?.compactMap(\.string) ?? []
    isAnswered = json["isAnswered"]?.bool ?? false
  }
}
