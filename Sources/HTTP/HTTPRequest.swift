public import JSON

/// What is to be sent, and how long and how large the answer may be.
public struct HTTPRequest: Sendable {
  /// The longest that each part may take.
  public struct Timeouts: Sendable, Hashable {
    /// From the start until the connection, TLS included, is ready.
    public var connect: Duration
    /// With no byte sent or received on a ready connection; noticed within one and a half times this.
    public var idle: Duration
    /// From the start until the whole response has come.
    public var total: Duration

    public init(connect: Duration = .seconds(10), idle: Duration = .seconds(30), total: Duration = .seconds(60)) {
      self.connect = connect
      self.idle = idle
      self.total = total
    }
  }

  public var method: HTTPMethod
  public var url: HTTPURL
  public var headers: HTTPHeaders
  /// The bytes to send; nil for a request without content.
  public var body: [UInt8]?
  public var timeouts: Timeouts
  /// How long the body may be after decompression; 16 MiB unless set.
  public var maxResponseBytes: Int
  /// Where cookies come from and go to; nil sends none and keeps none.
  public var cookies: CookieJar?
  /// Whether it is never sent again once it may have arrived, although its method is idempotent: for a caller whom the
  /// answer to the second one would mislead.
  public var isSentOnce = false

  public init(
    _ method: HTTPMethod, _ url: HTTPURL, headers: HTTPHeaders = [:], body: [UInt8]? = nil,
    timeouts: Timeouts = Timeouts(), maxResponseBytes: Int = 16 << 20, cookies: CookieJar? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeouts = timeouts
    self.maxResponseBytes = maxResponseBytes
    self.cookies = cookies
  }

  /// Whether the request may be sent again when nobody knows what became of it.
  public var isIdempotent: Bool { method.isIdempotent && !isSentOnce }

  /// Makes `value` the body, with its `Content-Type`.
  public mutating func setBody(json value: JSONValue) {
    headers["Content-Type"] = "application/json"
    body = value.utf8
  }

  /// Makes `pairs` the body of an `application/x-www-form-urlencoded` request.
  public mutating func setBody(form pairs: [(String, String)]) {
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    body = Array(PercentEncoding.pairs(pairs).utf8)
  }

  /// Makes `parts` the body of a `multipart/form-data` request (RFC 7578).
  public mutating func setBody(multipart parts: [MultipartPart]) {
    let boundary = MultipartPart.boundary(for: parts)
    headers["Content-Type"] = "multipart/form-data; boundary=\(boundary)"
    body = MultipartPart.body(parts, boundary: boundary)
  }
}
