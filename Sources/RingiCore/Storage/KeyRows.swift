internal import SQLite
internal import Timing

/// The idempotency keys in the store, and the first answers to them.
enum KeyRows {
  /// How long a key is kept.
  static let age: Duration = .seconds(7 * 86_400)

  /// Lets old keys go.
  static func trim(_ connection: Connection, at now: Timestamp) throws {
    try connection.run(
      "DELETE FROM idempotency_key WHERE created_at < ?", [.integer((now - age).milliseconds)])
  }
}
