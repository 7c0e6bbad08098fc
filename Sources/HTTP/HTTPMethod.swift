/// The request methods that backends use (RFC 9110 §9.3, RFC 5789).
public enum HTTPMethod: String, Sendable {
  case get = "GET"
  case head = "HEAD"
  case options = "OPTIONS"
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
  case delete = "DELETE"

  /// Whether it only reads (RFC 9110 §9.2.1).
  public var isSafe: Bool { self == .get || self == .head || self == .options }

  /// Whether sending the same request twice has the effect of sending it once (RFC 9110 §9.2.2).
  public var isIdempotent: Bool {
    switch self {
    case .get, .head, .options, .put, .delete: true
    case .post, .patch: false
    }
  }
}
