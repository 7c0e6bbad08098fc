internal import JSON

/// A refusal, in the forms that the service has for it.
enum SAPError: Error {
  /// A JSON envelope. `code` is without its prefix, and may be absent, as may the log's id.
  case envelope(Int, code: String?, message: String, details: [String] = [], hasLogID: Bool = true)
  /// 403: neither scope nor role suffices.
  case privileges
  /// 401 of the OAuth environments.
  case unauthorized(String)
  /// 429: more requests than the tenant may send.
  case rateLimit
  /// An HTML page, as the web server makes them.
  case page(Int, String)
  /// 405, with what the path takes.
  case method(allowed: [String])

  static let notJSON = SAPError.envelope(
    400, code: "content.format.invalid", message: "The content of the request is not valid.")

  static func badQuery(_ message: String) -> SAPError { .envelope(400, code: nil, message: message) }

  static func notFound(_ what: String, _ id: String) -> SAPError {
    .envelope(404, code: "\(what).not.found", message: "There is no \(what) with the id '\(id)'.")
  }

  /// Something else happens to the instance just now.
  static let busy = SAPError.envelope(
    409, code: nil, message: "The workflow instance is being processed. Try again later.")

  static func badProperties(_ details: [String]) -> SAPError {
    .envelope(
      422, code: "task.change.property.invalid", message: "The task could not be changed.", details: details,
      hasLogID: false)
  }
}
