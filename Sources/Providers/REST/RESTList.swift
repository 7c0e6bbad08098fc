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
    var reading = RESTReading(paging: paging, first: first)
    var (found, haveMoved) = (Rows(), false)
    var total: Int?
    var request = reading.start()
    for _ in 0..<paging.maxPages {
      let response = try await api.read(request)
      let answer = try api.json(response)
      let page = try rows(in: answer)
      let new = page.filter { reading.isNew($0) }
      found.rows += new
      if found.rows.count > limit { return (Rows(rows: Array(found.rows.prefix(limit)), isComplete: false), false) }
      let now = reading.total(response, answer)
      if let total, now != total { haveMoved = true }
      total = now
      switch reading.step(after: response, answer, rows: page.count, total: total) {
      case .end:
        // Fewer than there should be: some moved to a page that had been read.
        if let total, paging.id != nil, found.rows.count < total { haveMoved = true }
        return (found, haveMoved)
      case .next(let url):
        guard url.origin == api.settings.url.origin else { throw api.failure.leadsAway("the next page") }
        guard !new.isEmpty || page.isEmpty else { return (cut(found, "a page brought nothing new"), false) }
        request.url = url
      case .repeated: return (cut(found, "the service gave the same place to go on from twice"), false)
      case .malformed(let what): throw api.failure.malformed(what)
      }
    }
    return (cut(found, "there are more than \(paging.maxPages) pages"), false)
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

/// Where the reading of a list has come to.
struct RESTReading {
  enum Step {
    case end
    case next(HTTPURL)
    case repeated
    case malformed(String)
  }

  private let paging: RESTPaging
  private let first: HTTPRequest
  private var number: Int
  private var offset = 0
  private var places: Set<String> = []
  private var ids: Set<String> = []

  init(paging: RESTPaging, first: HTTPRequest) {
    self.paging = paging
    self.first = first
    if case .page(_, let first) = paging.style { number = first } else { number = 0 }
    // A link that leads back here goes round in a circle.
    places = [url([]).text]
  }

  /// The request for the first page.
  func start() -> HTTPRequest {
    var request = first
    switch paging.style {
    case .page(let param, _): request.url = url([(param, String(number))])
    case .link, .cursor, .offset: request.url = url([])
    }
    return request
  }

  private func url(_ pairs: [(String, String)]) -> HTTPURL {
    first.url.adding(query: (paging.size.map { [($0.param, String($0.value))] } ?? []) + pairs)
  }

  /// Whether a row was not on a page before.
  mutating func isNew(_ row: JSONValue) -> Bool {
    guard let id = paging.id, let value = row[pointer: id] else { return true }
    return ids.insert(value.description).inserted
  }

  func total(_ response: HTTPResponse, _ answer: JSONValue) -> Int? {
    switch paging.total {
    case .pointer(let pointer): answer[pointer: pointer]?.int.map { Int(clamping: $0) }
    case .header(let name): response.headers[name].flatMap { Int($0) }
    case nil: nil
    }
  }

  /// Where to go on.
  ///
  /// - Parameters:
  ///   - response: The last page.
  ///   - answer: Its JSON.
  ///   - rows: How many rows it had.
  ///   - total: How many there are in all.
  /// - Returns: The next step.
  mutating func step(after response: HTTPResponse, _ answer: JSONValue, rows: Int, total: Int?) -> Step {
    switch paging.style {
    case .link(let next):
      let target =
        next.map { answer[pointer: $0]?.string ?? "" }
        ?? LinkHeader.target(of: "next", in: response.headers.values("Link")) ?? ""
      guard !target.isEmpty else { return .end }
      guard let url = try? response.url.resolving(target) else {
        return .malformed("its next page has no address that can be used")
      }
      return places.insert(url.text).inserted ? .next(url) : .repeated
    case .cursor(let param, let next):
      guard let value = answer[pointer: next], !value.isNull else { return .end }
      guard let cursor = value.string ?? value.int.map({ String($0) }) else {
        return .malformed("its cursor is neither a text nor a number")
      }
      guard !cursor.isEmpty else { return .end }
      return places.insert(cursor).inserted ? .next(url([(param, cursor)])) : .repeated
    case .page(let param, _):
      number += 1
      offset += rows
      return rows == 0 || total.map { offset >= $0 } == true ? .end : .next(url([(param, String(number))]))
    case .offset(let param):
      offset += rows
      return rows == 0 || total.map { offset >= $0 } == true ? .end : .next(url([(param, String(offset))]))
    }
  }
}
