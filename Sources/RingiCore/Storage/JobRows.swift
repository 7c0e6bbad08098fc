internal import SQLite
internal import Timing

/// What is remembered of a job.
package struct JobRecord: Equatable, Sendable {
  let name: String
  /// The text of the schedule that `slot` and `failures` belong to.
  var schedule: String
  var last: Timestamp?
  var lastDuration: Duration?
  var lastError: String?
  var failures: Int
  var slot: Timestamp?
  var heldUntil: Timestamp?
  var isPaused: Bool
}

/// The jobs in the store.
enum JobRows {
  static func all(_ connection: Connection) throws -> [JobRecord] {
    try connection.rows(
      "SELECT name, schedule, last, last_duration, last_error, failures, slot, held_until, is_paused FROM job"
    ) { row in
      JobRecord(
        name: row.text(0), schedule: row.text(1), last: row.time(2),
        lastDuration: row.optionalInteger(3).map { .milliseconds($0) }, lastError: row.optionalText(4),
        failures: Int(row.integer(5)), slot: row.time(6), heldUntil: row.time(7), isPaused: row.flag(8))
    }
  }

  /// Whether it is paused is left alone where the job is known: a pause is recorded by itself, before it is in force.
  static func put(_ record: JobRecord) -> Change {
    Change(subject: "job/\(record.name)") { connection in
      try insert(
        record,
        """
        ON CONFLICT (name) DO UPDATE SET schedule = excluded.schedule, last = excluded.last,
          last_duration = excluded.last_duration, last_error = excluded.last_error, failures = excluded.failures,
          slot = excluded.slot, held_until = excluded.held_until
        """, connection)
    }
  }

  static func setPaused(_ record: JobRecord) -> Change {
    Change { try insert(record, "ON CONFLICT (name) DO UPDATE SET is_paused = excluded.is_paused", $0) }
  }

  private static func insert(_ record: JobRecord, _ conflict: String, _ connection: Connection) throws {
    try connection.run(
      """
      INSERT INTO job (name, schedule, last, last_duration, last_error, failures, slot, held_until, is_paused)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) \(conflict)
      """,
      [
        .text(record.name), .text(record.schedule), SQLiteValue(record.last?.milliseconds),
        SQLiteValue(record.lastDuration?.wholeMilliseconds), SQLiteValue(record.lastError),
        SQLiteValue(record.failures), SQLiteValue(record.slot?.milliseconds),
        SQLiteValue(record.heldUntil?.milliseconds), SQLiteValue(record.isPaused),
      ])
  }

  static func delete(_ name: String) -> Change {
    // Without a subject: what was noted before has to come before it.
    Change { try $0.run("DELETE FROM job WHERE name = ?", [.text(name)]) }
  }
}

extension Row {
  /// A time that may be missing.
  func time(_ column: Int) -> Timestamp? { optionalInteger(column).map { Timestamp(milliseconds: $0) } }
}
