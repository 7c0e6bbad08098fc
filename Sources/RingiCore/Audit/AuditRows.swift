internal import Crypto
internal import JSON
internal import SQLite

/// The audit log in the store: a chain of texts, each with the hash of all up to it.
///
/// Rows are appended here and nowhere changed or deleted.
enum AuditRows {
  /// The last entry: how many there are, and the hash over all of them.
  struct Head: Sendable, Equatable {
    var number: Int64 = 0
    /// Before the first entry it is all zeros.
    var hash = [UInt8](repeating: 0, count: SHA256.length)
  }

  struct Row: Sendable {
    let number: Int64
    let text: [UInt8]
    let hash: [UInt8]

    init(_ row: borrowing SQLite.Row) {
      number = row.integer(0)
      text = row.bytes(1)
      hash = row.bytes(2)
    }
  }

  /// Which entries are wanted.
  struct Filter: Sendable {
    /// A task's id, or the beginning of one.
    var task: String?
    var action: String?
  }

  static func head(_ connection: Connection) throws -> Head {
    try connection.first("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1") {
      Head(number: $0.integer(0), hash: $0.bytes(1))
    } ?? Head()
  }

  static func append(_ text: [UInt8], _ connection: Connection) throws {
    let head = try head(connection)
    try connection.run(
      "INSERT INTO audit (number, text, hash) VALUES (?, ?, ?)",
      [
        .integer(head.number + 1), .text(String(decoding: text, as: UTF8.self)),
        .blob(try SHA256.hash(of: head.hash + text)),
      ])
  }

  // MARK: Reading

  /// The first entries after a number.
  static func rows(
    _ connection: Connection, after number: Int64, matching filter: Filter = Filter(), limit: Int
  ) throws -> [Row] {
    try rows(connection, "number > ?", .integer(number), filter, "ASC", limit)
  }

  /// The newest entries, oldest first.
  static func newest(_ connection: Connection, matching filter: Filter, limit: Int) throws -> [Row] {
    try rows(connection, "number > ?", 0, filter, "DESC", limit).reversed()
  }

  private static func rows(
    _ connection: Connection, _ condition: String, _ value: SQLiteValue, _ filter: Filter, _ order: String,
    _ limit: Int
  ) throws -> [Row] {
    var conditions = [condition]
    var values = [value]
    if let task = filter.task {
      conditions.append("json_extract(text, '$.task') >= ? AND json_extract(text, '$.task') < ?")
      values += [.text(task), .text(task + "\u{10FFFF}")]
    }
    if let action = filter.action {
      conditions.append("json_extract(text, '$.action') = ?")
      values.append(.text(action))
    }
    return try connection.rows(
      "SELECT number, text, hash FROM audit WHERE \(conditions.joined(separator: " AND ")) ORDER BY number \(order) LIMIT ?",
      values + [SQLiteValue(limit)], Row.init)
  }
}

extension [UInt8] {
  /// Two digits a byte.
  var hexadecimal: String {
    String(decoding: flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private static let digits = Array("0123456789abcdef".utf8)
}
