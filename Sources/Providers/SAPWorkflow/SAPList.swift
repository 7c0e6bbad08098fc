internal import RingiKit

/// All rows of a list, however many there are.
///
/// The service gives 100 rows unless asked for up to 1000, and no row beyond the 5000th. So each page begins at the
/// time of the last row seen: rows that come or go meanwhile shift nothing, and rows seen twice are told by their id.
/// Only within one millisecond rows are counted off, and then a page begins with the last row of the one before: if it
/// does not, rows have left and others moved into their places, and the millisecond is read anew.
struct SAPList {
  let path: String
  let filters: SAPFilters
  /// The first part of the names of the filters by which pages are told apart: `created` or `started`.
  let time: String

  static let tasks = SAPList(path: "task-instances", filters: .tasks, time: "created")
  static let instances = SAPList(path: "workflow-instances", filters: .instances, time: "started")

  struct Rows {
    var rows: [SAPRow] = []
    /// Whether these are all.
    var isComplete = true
  }

  private static let pageSize = 1000
  private static let farthestSkip = 4000
  /// How often rows may move under the reading before it gives up.
  private static let mostMoves = 10

  /// Reads pages until there are no more rows, or `limit` is reached.
  ///
  /// - Parameters:
  ///   - api: What asks.
  ///   - query: Filters as the service takes them.
  ///   - limit: The most rows to give.
  /// - Returns: The rows, oldest first.
  /// - Throws: `RPCError` when a page cannot be had: part of a list is never taken for the whole.
  @Loop
  func rows(_ api: SAPAPI, _ query: [(String, String)], limit: Int) async throws -> Rows {
    var found = Rows()
    var budget = ListBudget(api.instance, path)
    var seen: Set<String> = []
    var start = query.first { $0.0 == time + "From" }?.1
    var skip = 0
    var expected: String?
    var moves = 0
    var fullest = 0
    // Together with a time that is asked for as such, another lower bound would let more rows in.
    let mayMove = !query.contains { $0.0 == time + "At" }
    while true {
      let page = try await page(
        api, query, from: start, skip: skip, size: min(Self.pageSize, limit + 1), &budget)
      let new = page.rows.filter { seen.insert($0.id).inserted }
      found.rows += new
      if found.rows.count > limit {
        found.rows.removeLast(found.rows.count - limit)
        found.isComplete = false
        return found
      }
      if let first = expected, page.rows.first?.id != first, moves < Self.mostMoves {
        moves += 1
        (skip, expected) = (0, nil)
        continue
      }
      // Where nothing tells the total, a page is the last when it is shorter than others and brings nothing new.
      fullest = max(fullest, page.rows.count)
      let isShort = page.rows.isEmpty || (new.isEmpty && page.rows.count < fullest)
      if page.total.map({ skip + page.rows.count >= $0 }) ?? isShort {
        found.isComplete = moves < Self.mostMoves
        return found
      }
      if mayMove, let last = page.lastTime, last != start {
        start = last
        (skip, expected) = (0, nil)
      } else {
        skip += max(1, page.rows.count - 1)
        expected = page.rows.count > 1 ? page.rows.last?.id : nil
      }
      guard !page.rows.isEmpty, skip <= Self.farthestSkip else {
        found.isComplete = false
        return found
      }
    }
  }

  private struct Page {
    let rows: [SAPRow]
    /// All rows that fit the page's query, those before and after it included.
    let total: Int?
    let lastTime: String?
  }

  @Loop
  private func page(
    _ api: SAPAPI, _ query: [(String, String)], from start: String?, skip: Int, size: Int,
    _ budget: inout ListBudget
  ) async throws -> Page {
    let bound = start.map { [(time + "From", $0)] } ?? []
    let response = try await api.read(
      [path],
      query.filter { $0.0 != time + "From" } + bound + [
        ("$orderby", time + "At asc"), ("$top", String(size)), ("$skip", String(skip)),
        ("$inlinecount", "allpages"),
      ])
    try budget.take(response)
    let rows = try api.rows(response)
    let last = rows.last?.json[time + "At"]?.string.flatMap { Timestamp(rfc3339: $0) }
    return Page(
      rows: rows, total: response.headers["X-Total-Count"].flatMap { Int($0) }, lastTime: last.map(SAPTime.wire))
  }
}
