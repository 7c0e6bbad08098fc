internal import RingiModel
internal import SQLite
internal import Timing

/// The idempotency keys in the store, and the first answers to them.
enum KeyRows {
  /// What became of the request that used a key first.
  enum State: String, Sendable {
    /// It was begun; of its end nothing is known.
    case begun
    /// It was done, and this is its answer.
    case done
    /// It was done, and its answer was too long to be kept.
    case long
    /// Whether it was done is not known, and this is what was said of that.
    case unknown
  }

  struct Name: Hashable, Sendable {
    /// The listener whose clients share the key.
    let listener: String
    let key: String
  }

  struct Row: Sendable {
    let request: [UInt8]
    let state: State
    /// The task that it is about, once that is known: "newest" is another one the next time.
    let task: String?
    let answer: [UInt8]
    let created: Timestamp
  }

  /// How long a key is kept.
  static let age: Duration = .seconds(7 * 86_400)

  static func row(_ name: Name, _ connection: Connection, at now: Timestamp) throws -> Row? {
    try connection.first(
      "SELECT request, state, answer, created_at, task FROM idempotency_key WHERE listener = ? AND key = ? AND created_at >= ?",
      [.text(name.listener), .text(name.key), .integer((now - age).milliseconds)]
    ) { row in
      Row(
        request: row.bytes(0), state: State(rawValue: row.text(1)) ?? .begun, task: row.optionalText(4),
        answer: row.bytes(2),
        created: Timestamp(milliseconds: row.integer(3)))
    }
  }

  /// Lets old keys go.
  static func trim(_ connection: Connection, at now: Timestamp) throws {
    try connection.run(
      "DELETE FROM idempotency_key WHERE created_at < ?", [.integer((now - age).milliseconds)])
  }
}

extension Change {
  /// Takes down that a request with a key was begun.
  static func begin(_ name: KeyRows.Name, request: [UInt8], at now: Timestamp) -> Change {
    Change { connection in
      try connection.run(
        "INSERT OR REPLACE INTO idempotency_key (listener, key, request, state, answer, created_at) VALUES (?, ?, ?, 'begun', NULL, ?)",
        [.text(name.listener), .text(name.key), .blob(request), .integer(now.milliseconds)])
    }
  }

  /// Takes down which task a request is about, before anything is done to it.
  static func bind(_ name: KeyRows.Name, to task: TaskItem.ID) -> Change {
    Change { connection in
      try connection.run(
        "UPDATE idempotency_key SET task = ? WHERE listener = ? AND key = ?",
        [.text(task.description), .text(name.listener), .text(name.key)])
    }
  }

  /// Takes down what came of it.
  static func finish(_ name: KeyRows.Name, _ state: KeyRows.State, answer: [UInt8]?) -> Change {
    Change { connection in
      try connection.run(
        "UPDATE idempotency_key SET state = ?, answer = ? WHERE listener = ? AND key = ?",
        [.text(state.rawValue), SQLiteValue(answer), .text(name.listener), .text(name.key)])
    }
  }

  /// Lets a key be used again.
  static func free(_ name: KeyRows.Name) -> Change {
    Change { connection in
      try connection.run(
        "DELETE FROM idempotency_key WHERE listener = ? AND key = ?", [.text(name.listener), .text(name.key)])
    }
  }
}
