internal import EventLoop
internal import SQLite
internal import Timing

/// How far a hook has come.
struct HookPlace: Equatable, Sendable {
  let name: String
  /// The last event up to which each is settled, or has a delivery of its own in the store.
  var place: Int64
  /// Events that left the log before the hook got to them.
  var lost: Int64 = 0
  /// Failed deliveries that are no longer kept.
  var dropped = 0
  var lastError: String?
}

/// A delivery that failed, or is to be tried again after a failed attempt.
struct DeliveryRecord: Sendable {
  let hook: String
  let event: EventRecord
  var isFailed: Bool
  var attempts: Int
  var lastError: String?
  var exit: ChildProcess.ExitStatus?
  var startedAt: Timestamp?
  var finishedAt: Timestamp?
}

/// What is remembered of a hook.
package struct HookRecord: Sendable {
  var place: HookPlace
  /// In the order of their events.
  var deliveries: [DeliveryRecord] = []
  /// Events beyond the place that were delivered already.
  var delivered: Set<Int64> = []
}

/// The hooks and their deliveries in the store.
enum HookRows {
  static func all(_ connection: Connection) throws -> [HookRecord] {
    var records: [String: HookRecord] = [:]
    try connection.forEach("SELECT name, place, lost, dropped, last_error FROM hook") { row in
      let place = HookPlace(
        name: row.text(0), place: row.integer(1), lost: row.integer(2), dropped: Int(row.integer(3)),
        lastError: row.optionalText(4))
      records[place.name] = HookRecord(place: place)
      return true
    }
    try connection.forEach(
      """
      SELECT hook, sequence, event, is_failed, attempts, last_error, exit_status, signal, started_at, finished_at
      FROM delivery ORDER BY hook, sequence
      """
    ) { row in
      let record = try delivery(row)
      records[record.hook]?.deliveries.append(record)
      return true
    }
    try connection.forEach("SELECT hook, sequence FROM delivered") { row in
      records[row.text(0)]?.delivered.insert(row.integer(1))
      return true
    }
    return Array(records.values)
  }

  private static func delivery(_ row: borrowing Row) throws -> DeliveryRecord {
    let exit: ChildProcess.ExitStatus? =
      if let code = row.optionalInteger(6) {
        .exited(Int32(truncatingIfNeeded: code))
      } else if let signal = row.optionalInteger(7) {
        .signalled(Int32(truncatingIfNeeded: signal))
      } else {
        nil
      }
    return DeliveryRecord(
      hook: row.text(0), event: try EventRows.record(row.bytes(2), sequence: row.integer(1)), isFailed: row.flag(3),
      attempts: Int(row.integer(4)), lastError: row.optionalText(5), exit: exit, startedAt: row.time(8),
      finishedAt: row.time(9))
  }

  // MARK: Places

  /// Notes how far a hook has come; an older word of that takes it no way back.
  static func put(_ place: HookPlace) -> Change {
    Change(subject: "hook/\(place.name)") { try write(place, $0) }
  }

  private static func write(_ place: HookPlace, _ connection: Connection) throws {
    try connection.run(
      """
      INSERT INTO hook (name, place, lost, dropped, last_error) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET place = max(place, excluded.place), lost = excluded.lost,
        dropped = excluded.dropped, last_error = excluded.last_error
      """,
      [
        .text(place.name), .integer(place.place), .integer(place.lost), SQLiteValue(place.dropped),
        SQLiteValue(place.lastError),
      ])
    try connection.run(
      "DELETE FROM delivered WHERE hook = ? AND sequence <= ?", [.text(place.name), .integer(place.place)])
  }

  /// Forgets a hook and all its deliveries.
  static func delete(_ name: String) -> Change {
    // Without a subject: what was noted before has to come before it.
    Change { connection in
      try connection.run("DELETE FROM hook WHERE name = ?", [.text(name)])
      try connection.run("DELETE FROM delivery WHERE hook = ?", [.text(name)])
      try connection.run("DELETE FROM delivered WHERE hook = ?", [.text(name)])
    }
  }

  // MARK: Deliveries

  /// Keeps a delivery, and with it how far its hook has come.
  static func put(_ delivery: DeliveryRecord, _ place: HookPlace) -> Change {
    Change(subject: subject(place.name, delivery.event.sequence)) { connection in
      let (exitStatus, signal): (Int32?, Int32?) =
        switch delivery.exit {
        case .exited(let code): (code, nil)
        case .signalled(let number): (nil, number)
        case nil: (nil, nil)
        }
      try connection.run(
        """
        INSERT OR REPLACE INTO delivery (
          hook, sequence, event, is_failed, attempts, last_error, exit_status, signal, started_at, finished_at
        ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          .text(delivery.hook), .integer(delivery.event.sequence), .blob(Array(delivery.event.text)),
          SQLiteValue(delivery.isFailed), SQLiteValue(delivery.attempts), SQLiteValue(delivery.lastError),
          SQLiteValue(exitStatus.map(Int64.init)), SQLiteValue(signal.map(Int64.init)),
          SQLiteValue(delivery.startedAt?.milliseconds), SQLiteValue(delivery.finishedAt?.milliseconds),
        ])
      try write(place, connection)
    }
  }

  /// Notes that an event was delivered that has a row, or comes before others that are not settled.
  static func settle(_ sequence: Int64, _ place: HookPlace) -> Change {
    Change(subject: subject(place.name, sequence)) { connection in
      try delete([sequence], of: place.name, connection)
      try connection.run(
        "INSERT OR IGNORE INTO delivered (hook, sequence) VALUES (?, ?)", [.text(place.name), .integer(sequence)])
      try write(place, connection)
    }
  }

  /// Gives failed deliveries all their attempts back.
  static func retry(_ sequences: [Int64], of hook: String) -> Change {
    Change { connection in
      for sequence in sequences {
        try connection.run(
          """
          UPDATE delivery SET is_failed = 0, attempts = 0, started_at = NULL, finished_at = NULL
          WHERE hook = ? AND sequence = ?
          """, [.text(hook), .integer(sequence)])
      }
    }
  }

  /// Lets go of failed deliveries; those beyond the hook's place would be taken from the log again otherwise.
  static func drop(_ sequences: [Int64], of hook: String) -> Change {
    Change { connection in
      try delete(sequences, of: hook, connection)
      for sequence in sequences {
        try connection.run(
          "INSERT OR IGNORE INTO delivered (hook, sequence) SELECT name, ?2 FROM hook WHERE name = ?1 AND place < ?2",
          [.text(hook), .integer(sequence)])
      }
    }
  }

  private static func delete(_ sequences: [Int64], of hook: String, _ connection: Connection) throws {
    for sequence in sequences {
      try connection.run("DELETE FROM delivery WHERE hook = ? AND sequence = ?", [.text(hook), .integer(sequence)])
    }
  }

  private static func subject(_ hook: String, _ sequence: Int64) -> String { "delivery/\(hook)/\(sequence)" }
}
