internal import RingiKit

/// Where the reading of a list has come to.
struct RESTReading {
  enum Step {
    case end
    case next(HTTPURL)
    case repeated
    case malformed(String)
  }

  private let paging: RESTPaging
  private let id: JSONPointer?
  private let first: HTTPRequest
  private var number: Int
  /// The rows of all pages so far.
  private var offset = 0
  private var places: Set<String> = []
  private var ids: Set<String> = []
  /// What stands for rows that have no id.
  private var fingerprints: Set<UInt64> = []

  init(paging: RESTPaging, id: JSONPointer?, first: HTTPRequest) {
    self.paging = paging
    self.id = id
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

  /// The rows of a page that were not on one before, and whether there are any.
  ///
  /// Rows without an id are all given, for two that look the same may be two; a page of nothing but such brings no news.
  mutating func news(in page: [JSONValue]) -> (rows: [JSONValue], areAny: Bool) {
    var rows: [JSONValue] = []
    var seen: [UInt64] = []
    var areAny = false
    for row in page {
      if let id, let value = row[pointer: id], !value.hasLostDigits {
        guard ids.insert(value.description).inserted else { continue }
        areAny = true
      } else {
        let fingerprint = Fingerprint.of(row.utf8)
        if !fingerprints.contains(fingerprint) { areAny = true }
        seen.append(fingerprint)
      }
      rows.append(row)
    }
    fingerprints.formUnion(seen)
    return (rows, areAny)
  }

  /// The number of all rows as a page tells it; nil where it tells none, or fewer than there are up to its end.
  func total(_ response: HTTPResponse, _ answer: JSONValue, rows: Int) -> Int? {
    let total: Int? =
      switch paging.total {
      case .pointer(let pointer): answer[pointer: pointer]?.int.map { Int(clamping: $0) }
      case .header(let name): response.headers[name].flatMap { Int($0) }
      case nil: nil
      }
    return total.flatMap { $0 >= offset + rows && $0 >= 0 ? $0 : nil }
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
    offset += rows
    switch paging.style {
    case .link(let next):
      let target: String?
      if let next {
        let value = answer[pointer: next]
        guard value?.string != nil || value?.isNull ?? true else {
          return .malformed("its next page's address is no text")
        }
        target = value?.string
      } else {
        target = LinkHeader.target(of: "next", in: response.headers.values("Link"))
      }
      guard let target, !target.isEmpty else { return .end }
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
      return rows == 0 || total.map { offset >= $0 } == true ? .end : .next(url([(param, String(number))]))
    case .offset(let param):
      return rows == 0 || total.map { offset >= $0 } == true ? .end : .next(url([(param, String(offset))]))
    }
  }
}
