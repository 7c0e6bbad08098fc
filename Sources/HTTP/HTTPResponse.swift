public import JSON
public import Timing

/// A whole response; its status is what the server said, whatever it is.
public struct HTTPResponse: Sendable {
  public let status: Int
  public let headers: HTTPHeaders
  /// The body after decompression.
  public let body: [UInt8]
  /// Where the response came from: the request's URL.
  public let url: HTTPURL

  public init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], url: HTTPURL) {
    self.status = status
    self.headers = headers
    self.body = body
    self.url = url
  }

  /// Whether the status is 2xx.
  public var isSuccess: Bool { (200...299).contains(status) }

  public var contentType: MediaType? { headers["Content-Type"].flatMap(MediaType.init) }

  /// The body as text, decoded by its declared charset.
  public var text: DecodedText { DecodedText(body, charset: contentType?.charset) }

  /// How long the server asks to be left alone.
  ///
  /// A date is one of the server's clock, which may be far from ours, so it counts from the answer's `Date`.
  ///
  /// - Parameter now: Our time, for an answer without a date of its own.
  /// - Returns: The wait, or nil when there is no wish or no intelligible one.
  public func retryAfter(now: Timestamp) -> Duration? {
    let sent = headers["Date"].flatMap { Timestamp(httpDate: $0, now: now) } ?? now
    return headers["Retry-After"].flatMap { RetryAfter.wait($0, now: sent) }
  }

  /// The body as JSON; look at the status first.
  ///
  /// - Throws: `HTTPBodyError` when the body is not declared as JSON, is not JSON, or cannot be decoded without loss.
  public func json() throws(HTTPBodyError) -> JSONValue {
    try json { text, options throws(JSONSyntaxError) in try JSONValue(parsing: text, options: options) }
  }

  /// What `read` makes of the body's JSON text, for those who don't want all of it built.
  ///
  /// - Parameter read: Takes the text in UTF-8, not checked yet, and what to accept in it.
  /// - Returns: What `read` returns.
  /// - Throws: `HTTPBodyError` when the body is not declared as JSON or cannot be decoded without loss, or `read` says that
  ///   it is no JSON.
  package func json<Value>(
    _ read: ([UInt8], JSONParsingOptions) throws(JSONSyntaxError) -> Value
  ) throws(HTTPBodyError) -> Value {
    guard let type = contentType, type.isJSON else {
      throw HTTPBodyError.notJSON(status: status, contentType: contentType?.essence)
    }
    var bytes = body
    // In UTF-8 it is the parser that finds what is no text.
    if let charset = type.charset, charset != "utf-8" {
      let text = text
      if text.isDamaged { throw HTTPBodyError.undecodable(status: status, charset: charset) }
      bytes = Array(text.string.utf8)
    }
    do {
      return try read(bytes, JSONParsingOptions(largeIntegers: .asReal))
    } catch {
      throw HTTPBodyError.malformed(status: status, error)
    }
  }
}
