internal import Timing

/// Something that goes wrong with the requests of a route.
package struct Fault: Sendable {
  package enum Kind: Sendable {
    /// An answer with this status in place of the real one.
    case status(Int, retryAfter: RetryAfter? = nil, applied: Bool = false)
    /// 200 with the HTML page of a login, as a proxy answers when the login has expired.
    case loginPage
    /// The real answer, late.
    case delay(Duration)
    /// The real answer, its body at this pace.
    case slowBody(bytesPerSecond: Int)
    /// The real answer, the connection closed or reset after so many bytes of the body; nil is half of it.
    case truncatedBody(after: Int? = nil, reset: Bool = false)
    /// The real status with a body that is not JSON, although it says so.
    case malformedJSON
    /// The connection is reset, before or after the request had its effect.
    case reset(applied: Bool)
    /// No answer ever, before or after the request had its effect.
    case hang(applied: Bool)
    /// The connection is reset at once, and the request has its effect later.
    case appliedLater(Latency)
  }

  /// The value of a Retry-After header.
  package enum RetryAfter: Sendable {
    /// As given: seconds, or nonsense.
    case text(String)
    /// An HTTP date so much later on the sandbox's clock.
    case date(Duration)

    func value(at now: Timestamp) -> String {
      switch self {
      case .text(let text): text
      case .date(let duration): (now + duration).httpDate
      }
    }
  }

  package var kind: Kind
  /// nil is any method.
  package var method: String?
  package var path: PathPattern
  /// So many matching requests pass first.
  package var skip: Int
  /// How many requests it hits; nil is all.
  package var count: Int?

  /// A fault of a route: a method, or `*`, and a `PathPattern`, such as "PATCH /v1/task-instances/*".
  ///
  /// So many matching requests as `skip` says pass first, then it hits `count`, or all if that is nil. A route of
  /// another form gives nil.
  package init?(_ kind: Kind, on route: String, skip: Int = 0, count: Int? = 1) {
    let words = route.split(separator: " ")
    guard words.count == 2, words[1].hasPrefix("/") else { return nil }
    self.kind = kind
    method = words[0] == "*" ? nil : String(words[0])
    path = PathPattern(String(words[1]))
    self.skip = skip
    self.count = count
  }

  package var route: String { "\(method ?? "*") \(path.text)" }
}
