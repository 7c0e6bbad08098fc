internal import Crypto
internal import JSON
internal import SQLite

/// A walk along the audit log's chain, a piece at a time.
///
/// It finds rows that were changed, taken out or put in. That the last ones were cut off it can't see; for that the head
/// of the chain is to be kept elsewhere.
struct AuditCheck: Sendable {
  private static let piece = 1000

  /// How far the chain holds.
  private(set) var head = AuditRows.Head()
  /// The first number whose row is not what it was.
  private(set) var firstBroken: Int64?

  /// Looks at the next rows.
  ///
  /// - Returns: Whether there may be more to look at.
  mutating func advance(_ connection: Connection) throws -> Bool {
    // Numbers below one have no place in the chain either.
    let start = head.number == 0 ? Int64.min : head.number
    let rows = try AuditRows.rows(connection, after: start, limit: Self.piece)
    for row in rows {
      guard row.number == head.number + 1, try row.hash == SHA256.hash(of: head.hash + row.text) else {
        firstBroken = head.number + 1
        return false
      }
      head = AuditRows.Head(number: row.number, hash: row.hash)
    }
    return rows.count == Self.piece
  }
}
