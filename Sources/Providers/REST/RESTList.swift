internal import RingiKit

/// All rows of a list, however many pages it has.
///
/// A page that cannot be had fails the whole: part of a list is never taken for all of it.
@Loop
struct RESTList {
  let api: RESTAPI
  let operation: RESTOperation

  /// More rows than anybody looks through.
  nonisolated static let most = 50_000
  /// How often rows may move under the reading before it gives up.
  private static let mostReadings = 3

  struct Rows {
    var rows: [JSONValue] = []
    /// Whether these are all.
    var isComplete = true
  }

  /// Reads pages until there are no more, or `limit` is reached.
  ///
  /// - Parameters:
  ///   - params: The operation's params, checked.
  ///   - limit: The most rows to give.
  /// - Returns: The rows, each once.
  /// - Throws: `RPCError`.
  func rows(_ params: JSONValue, limit: Int = most) async throws -> Rows {
    let first = try operation.request(params, api.settings)
    guard let paging = operation.paging else {
      let rows = try self.rows(in: api.json(await api.read(first)))
      return Rows(rows: Array(rows.prefix(limit)), isComplete: rows.count <= limit)
    }
    var found = Rows()
    for _ in 0..<Self.mostReadings {
      let reading = try await read(first, paging, limit)
      found = reading.rows
      if !reading.haveMoved { return found }
    }
    return cut(found, "its rows moved while they were read")
  }

  /// Reads the list once.
  ///
  /// - Returns: The rows, and whether some may have moved from one page to another unseen.
  private func read(
    _ first: HTTPRequest, _ paging: RESTPaging, _ limit: Int
  ) async throws -> (rows: Rows, haveMoved: Bool) {
    var reading = RESTReading(paging: paging, id: id, first: first)
    var (found, haveMoved) = (Rows(), false)
    var total: Int?
    var budget = ListBudget(api.instance, operation.name)
    var request = reading.start()
    for _ in 0..<paging.maxPages {
      let response = try await api.read(request)
      try budget.take(response)
      let answer = try api.json(response)
      let page = try rows(in: answer)
      let news = reading.news(in: page)
      let now = reading.total(response, answer, rows: page.count)
      if let total, now != total { haveMoved = true }
      total = now
      let step = reading.step(after: response, answer, rows: page.count, total: total)
      if case .next = step, !page.isEmpty, !news.areAny { return (cut(found, "a page brought nothing new"), false) }
      found.rows += news.rows
      if found.rows.count > limit { return (Rows(rows: Array(found.rows.prefix(limit)), isComplete: false), false) }
      switch step {
      case .end:
        // Fewer than there should be: some moved to a page that had been read.
        if let total, id != nil, found.rows.count < total { haveMoved = true }
        return (found, haveMoved)
      case .next(let url):
        guard url.origin == api.settings.url.origin else { throw api.failure.leadsAway("the next page") }
        request.url = url
      case .repeated: return (cut(found, "the service gave the same place to go on from twice"), false)
      case .malformed(let what): throw api.failure.malformed(what)
      }
    }
    return (cut(found, "there are more than \(paging.maxPages) pages"), false)
  }

  /// What tells rows apart: what the paging says, else the id of tasks where it is their list.
  private var id: JSONPointer? {
    if let id = operation.paging?.id { return id }
    guard let tasks = api.settings.tasks,
      [tasks.list, tasks.get].contains(where: { $0.operation.name == operation.name })
    else { return nil }
    return tasks.fields.id
  }

  private func cut(_ rows: Rows, _ why: String) -> Rows {
    api.log(.warning, "\(operation.name): the list was cut off after \(rows.rows.count) rows, \(why)")
    return Rows(rows: rows.rows, isComplete: false)
  }

  /// The rows of one answer; an empty body is no empty list.
  private func rows(in answer: JSONValue) throws -> [JSONValue] {
    guard let rows = answer[pointer: operation.result]?.array else {
      throw api.failure.malformed("there is no list at \(operation.result.description.debugDescription)")
    }
    return Array(rows)
  }
}
