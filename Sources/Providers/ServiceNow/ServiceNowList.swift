internal import RingiKit

/// All rows of a list, page after page.
///
/// There are more pages as long as a page says so: how many rows it has proves nothing, since rows that the login may not
/// see are taken out of a page after it was cut. Pages are counted off, so each begins with the last row of the one
/// before where that one was full; if it does not, or the count of all rows has changed, rows have moved, and the list is
/// read anew.
@Loop
struct ServiceNowList {
  let api: ServiceNowAPI

  struct Rows {
    var rows: [JSONValue] = []
    /// Whether these are all.
    var isComplete = true
  }

  static let pageSize = 1000
  private static let smallestPage = 50
  private static let mostPages = 1000
  /// How often rows may move under the reading before it takes what it gets.
  private static let mostMoves = 5

  /// Reads pages until there are no more, or `limit` is reached.
  ///
  /// - Parameters:
  ///   - table: Which table.
  ///   - query: Parameters as the service takes them; the query with an order, and `sys_id` among the fields.
  ///   - limit: The most rows to give.
  /// - Returns: The rows.
  /// - Throws: `RPCError` when a page cannot be had: part of a list is never taken for the whole.
  func rows(_ table: String, _ query: [(String, String)], limit: Int) async throws -> Rows {
    var size = min(Self.pageSize, limit)
    var moves = 0
    while true {
      do {
        let toleratesMoves = moves == Self.mostMoves
        if let rows = try await read(table, query, limit, size, toleratesMoves: toleratesMoves) { return rows }
        moves += 1
      } catch let error as RPCError
        where error.details["code"]?.string == ServiceNowFailure.cutShort && size > Self.smallestPage
      {
        size = max(size / 4, Self.smallestPage)
      }
    }
  }

  /// Reads the list once; nil when rows have moved.
  private func read(
    _ table: String, _ query: [(String, String)], _ limit: Int, _ size: Int, toleratesMoves: Bool
  ) async throws -> Rows? {
    var found = Rows(isComplete: !toleratesMoves)
    var seen: Set<String> = []
    var budget = ListBudget(api.instance, table)
    var (offset, farthest, total) = (0, 0, Int?.none)
    var expected: String?
    for _ in 0..<Self.mostPages {
      let page = try await page(table, query, offset: offset, size: size, &budget)
      let hasMoved = (total != nil && page.total != total) || (expected != nil && page.ids.first != expected)
      if hasMoved && !toleratesMoves { return nil }
      total = page.total
      for (row, id) in zip(page.rows, page.ids) where seen.insert(id).inserted { found.rows.append(row) }
      if found.rows.count > limit || (found.rows.count == limit && page.next != nil) {
        found.rows.removeLast(found.rows.count - limit)
        found.isComplete = false
        return found
      }
      guard let next = page.next else { return found }
      // A next page that is none would be asked for without end.
      guard next > farthest else { break }
      farthest = next
      let isFull = page.rows.count == size && size > 1
      (offset, expected) = isFull ? (next - 1, page.ids.last) : (next, nil)
    }
    api.log(.warning, "the list \(table) does not come to an end; what was read of it is not the whole")
    found.isComplete = false
    return found
  }

  private struct Page {
    let rows: [JSONValue]
    let ids: [String]
    /// All rows that fit the query, those included that the login may not see.
    let total: Int?
    let next: Int?
  }

  private func page(
    _ table: String, _ query: [(String, String)], offset: Int, size: Int, _ budget: inout ListBudget
  ) async throws -> Page {
    let response = try await api.read(
      [table], query + [("sysparm_limit", String(size)), ("sysparm_offset", String(offset))])
    try budget.take(response)
    guard let rows = try api.result(response).array.map(Array.init) else {
      throw api.failure.malformed("a list is no array")
    }
    let ids = rows.compactMap { $0["sys_id"]?.fieldValue }
    guard ids.count == rows.count else { throw api.failure.malformed("a row of a list has no sys_id") }
    return Page(
      rows: rows, ids: ids, total: response.headers["X-Total-Count"].flatMap { Int($0) },
      next: ServiceNowLink.nextOffset(response))
  }
}

extension JSONValue {
  /// The value of a record's field, whether it came plain, as a reference or with its display value.
  var fieldValue: String? { string ?? self["value"]?.string }
}
