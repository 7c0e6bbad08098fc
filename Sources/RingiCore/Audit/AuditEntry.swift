package import JSON
package import RingiKit
package import RingiModel
package import Timing

/// One thing that somebody had done, for those who ask later.
package struct AuditEntry: Sendable, Equatable {
  package let time: Timestamp
  /// What was to be done: `approve`, `reload`, or the name of a method.
  package let action: String
  package let actor: Actor
  package var task: TaskItem.ID?
  /// What came of it, in a word such as `approved`, `already`, `conflict`, `failed` or `unknown`.
  package let outcome: String
  package var idempotencyKey: String?
  /// What the backend said.
  package var backend: JSONValue?
  package var details: JSONValue?

  package init(_ action: String, by actor: Actor, outcome: String, at time: Timestamp) {
    self.action = action
    self.actor = actor
    self.outcome = outcome
    self.time = time
  }

  /// What is known, and nothing else.
  package var json: JSONValue {
    .known([
      ("time", JSONValue(time.rfc3339)), ("action", JSONValue(action)),
      ("task", task.map { JSONValue($0.description) }), ("outcome", JSONValue(outcome)), ("actor", actor.json),
      ("idempotencyKey", idempotencyKey.map { JSONValue($0) }), ("backend", backend.map(Self.excerpt)),
      ("details", details.map(Self.excerpt)),
    ])
  }

  /// The longest params, results and words of others that are told: what is in the log stays for ever.
  private static let longest = 4096

  /// A value, or how long it is.
  static func excerpt(_ value: JSONValue) -> JSONValue {
    let count = value.utf8.count
    guard count > longest else { return value }
    guard let object = value.object else { return ["bytes": JSONValue(count)] }
    let each = longest / max(1, object.count)
    return JSONValue(
      object: object.map { name, value in
        let count = value.utf8.count
        return (name, count > each ? ["bytes": JSONValue(count)] : value)
      })
  }
}
