public import JSON

/// Why a response's body could not be read as JSON.
public enum HTTPBodyError: Error, Sendable, CustomStringConvertible {
  /// It is declared as something else, often a login or error page; with that type, if any.
  case notJSON(status: Int, contentType: String?)
  case malformed(status: Int, JSONSyntaxError)
  /// Its text cannot be read without loss; with the declared charset.
  case undecodable(status: Int, charset: String)

  public var description: String {
    switch self {
    case .notJSON(let status, let type):
      "the answer (status \(status)) is \(type ?? "of no declared type"), not JSON; check the URL and the login"
    case .malformed(let status, let error):
      "the answer (status \(status)) is not sound JSON: \(error.message) in line \(error.line), column \(error.column)"
    case .undecodable(let status, let charset):
      "the answer (status \(status)) has bytes that cannot be read as \(String(charset.prefix(40)).debugDescription), its declared charset; have the service send UTF-8"
    }
  }
}
