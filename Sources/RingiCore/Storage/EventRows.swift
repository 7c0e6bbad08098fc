internal import JSON
internal import RingiModel
internal import SQLite
internal import Timing

/// The log of events in the store.
enum EventRows {
  /// Which events there are; with none, `first` is one past `last`.
  struct Range: Sendable, Equatable {
    var first: Int64
    var last: Int64
    /// Numbers between them that were passed over.
    var gaps: [ClosedRange<Int64>] = []
  }

  /// What a look at the log found, and how far it went.
  struct Page<Element: Sendable>: Sendable {
    var rows: [Element]
    var through: Int64
  }

  /// How many events one look passes by, so that others have their turn.
  private static let budget = 20_000
  /// The bytes after which a page is full, so that no answer is larger than what memory can spare for it.
  private static let pageBytes = 8 << 20

  static func range(_ connection: Connection) throws -> Range {
    // Each by itself: SQLite finds one end by the index, and both in one query by reading the whole table.
    let bounds = try connection.first(
      "SELECT (SELECT min(sequence) FROM event), (SELECT max(sequence) FROM event)"
    ) {
      ($0.optionalInteger(0), $0.optionalInteger(1))
    }
    // The number goes on after events that are all gone.
    let last = try max(
      bounds?.1 ?? 0, connection.first("SELECT value FROM meta WHERE name = 'sequence'") { $0.integer(0) } ?? 0)
    return Range(first: bounds?.0 ?? last + 1, last: last, gaps: try gaps(connection))
  }

  private static func gaps(_ connection: Connection) throws -> [ClosedRange<Int64>] {
    try connection.rows("SELECT CAST(substr(name, 5) AS INTEGER), value FROM meta WHERE name GLOB 'gap/*'") {
      $0.integer(0)...max($0.integer(0), $0.integer(1))
    }
  }

  /// Lets the numbers go on after a sequence, in a store that has no events yet.
  static func begin(after sequence: Int64, _ connection: Connection) throws {
    try connection.run(
      "INSERT OR REPLACE INTO meta (name, value) VALUES ('sequence', ?)", [.integer(sequence)])
  }

  /// Lets the numbers go on after one that is not reached yet, and notes that those up to it belong to events of another
  /// store, which are gone from here.
  static func goOn(after sequence: Int64, _ connection: Connection) throws {
    let last = try range(connection).last
    guard last < sequence else { return }
    try connection.run(
      "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", [.text("gap/\(last + 1)"), .integer(sequence)])
    try begin(after: sequence, connection)
  }

  static func insert(_ record: EventRecord, _ connection: Connection) throws {
    try connection.run(
      "INSERT INTO event (sequence, type, time, text) VALUES (?, ?, ?, ?)",
      [
        .integer(record.sequence), .text(record.event.type.rawValue), .integer(record.event.time.milliseconds),
        .blob(Array(record.text)),
      ])
  }

  // MARK: Reading

  static func page(
    _ connection: Connection, after sequence: Int64, through last: Int64, matching filter: EventFilter, limit: Int
  ) throws -> Page<EventRecord> {
    try scan(connection, after: sequence, through: last, matching: filter, limit: limit) { row, event in
      let text = row.bytes(2)
      if let event { return EventRecord(event, text: text) }
      return try record(text, sequence: row.integer(0))
    }
  }

  static func texts(
    _ connection: Connection, after sequence: Int64, through last: Int64, matching filter: EventFilter, limit: Int
  ) throws -> Page<[UInt8]> {
    try scan(connection, after: sequence, through: last, matching: filter, limit: limit) { row, _ in row.bytes(2) }
  }

  private static func scan<Element: Sendable>(
    _ connection: Connection, after sequence: Int64, through last: Int64, matching filter: EventFilter, limit: Int,
    _ element: (borrowing Row, Event?) throws -> Element
  ) throws -> Page<Element> {
    var page = Page<Element>(rows: [], through: sequence)
    var (budget, bytes) = (Self.budget, 0)
    try connection.forEach(
      "SELECT sequence, type, text FROM event WHERE sequence > ? AND sequence <= ? ORDER BY sequence",
      [.integer(sequence), .integer(last)]
    ) { row in
      guard page.rows.count < limit, budget > 0, bytes < Self.pageBytes else { return false }
      budget -= 1
      if filter.matchesType(of: EventType(row.text(1))) {
        let event = filter.hasConditions ? try record(row.bytes(2), sequence: row.integer(0)).event : nil
        if event.map(filter.matches) ?? true {
          page.rows.append(try element(row, event))
          bytes += row.withBytes(2, \.count)
        }
      }
      page.through = row.integer(0)
      return true
    }
    // Beyond the last row there is nothing to come back for.
    if page.rows.count < limit, budget > 0, bytes < pageBytes { page.through = max(page.through, last) }
    return page
  }

  /// Reads an event's text.
  static func record(_ text: [UInt8], sequence: Int64) throws -> EventRecord {
    do {
      let json = try JSONValue(parsing: text, options: JSONParsingOptions(maxDepth: 1024))
      return EventRecord(try Event(json: json), text: text)
    } catch {
      throw SQLiteError.damaged("the event \(sequence) can't be read: \(error)")
    }
  }

  /// When the first event after a sequence happened.
  static func time(after sequence: Int64, _ connection: Connection) throws -> Timestamp? {
    try connection.first(
      "SELECT time FROM event WHERE sequence > ? ORDER BY sequence LIMIT 1", [.integer(sequence)]
    ) { $0.time(0) } ?? nil
  }

  // MARK: Retention

  /// Deletes the oldest events beyond a number and an age, a part of them at a time.
  ///
  /// - Parameters:
  ///   - connection: The store.
  ///   - count: The most events to keep.
  ///   - time: Events from before are let go.
  ///   - limit: The most to delete now.
  /// - Returns: The first event that is left, and whether all is deleted that should be.
  /// - Throws: `SQLiteError`.
  static func trim(
    _ connection: Connection, keeping count: Int64, since time: Timestamp, limit: Int
  ) throws -> (first: Int64, isDone: Bool) {
    let range = try range(connection)
    // Up to the first one that is to stay: a clock that was wrong for a while makes nothing else old.
    let kept = try connection.first(
      "SELECT sequence FROM event WHERE time >= ? AND sequence > ? ORDER BY sequence LIMIT 1",
      [.integer(time.milliseconds), .integer(range.last - count)]
    ) { $0.integer(0) }
    let end = (kept ?? range.last + 1) - 1
    let last = min(end, range.first + Int64(limit) - 1)
    guard last >= range.first else { return (range.first, true) }
    // The numbers go on when nothing is left.
    try begin(after: range.last, connection)
    try connection.run("DELETE FROM event WHERE sequence <= ?", [.integer(last)])
    return (last + 1, last == end)
  }
}
