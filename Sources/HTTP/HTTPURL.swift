internal import CCurl

/// An absolute `http` or `https` URL, checked once, with nothing after a `#`.
///
/// Its description leaves out what may be secret (user, password and query), so it may stand in messages and logs.
public struct HTTPURL: Sendable, Hashable, CustomStringConvertible {
  /// What decides who receives a request (RFC 6454 §4): scheme and host in lower case, and the port.
  public struct Origin: Sendable, Hashable, CustomStringConvertible {
    public let scheme: String
    public let host: String
    public let port: Int

    /// `https://host:port`; the port only where it is not the scheme's own.
    public var description: String { "\(scheme)://\(authority)" }

    /// `host:port`; the port only where it is not the scheme's own.
    public var authority: String { port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)" }
  }

  /// The whole URL, as it is sent.
  public let text: String
  public let origin: Origin
  private let path: String

  /// Checks `text`; a space or a byte beyond ASCII in its path or query is percent-encoded.
  ///
  /// - Throws: `HTTPError` of kind `badURL`.
  public init(_ text: String) throws(HTTPError) {
    try self.init(text, relativeTo: nil)
  }

  /// Checks a base address: scheme, host, port and path, and nothing else.
  ///
  /// - Parameter text: The address, such as `https://host/path`.
  /// - Throws: `HTTPError` of kind `badURL`, also for a user, password, query or fragment.
  public init(base text: String) throws(HTTPError) {
    try self.init(text)
    let authority = self.text.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" }
    guard !text.contains("?"), !text.contains("#"), !text.contains("\\"), !authority.contains("@") else {
      throw HTTPError(.badURL("it takes no user, password, query, fragment or backslash"))
    }
  }

  private init(_ text: String, relativeTo base: HTTPURL?) throws(HTTPError) {
    guard let handle = curl_url() else { throw HTTPError(.badURL("memory ran out")) }
    defer { curl_url_cleanup(handle) }
    if let base { try Self.check(curl_url_set(handle, CURLUPART_URL, base.text, 0)) }
    guard !text.utf8.contains(0) else { throw HTTPError(.badURL("it contains a NUL")) }
    let flags = UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE)
    try Self.check(curl_url_set(handle, CURLUPART_URL, text, flags))
    try Self.check(curl_url_set(handle, CURLUPART_FRAGMENT, nil, 0))
    let scheme = try Self.part(CURLUPART_SCHEME, of: handle).lowercased()
    guard scheme == "http" || scheme == "https" else {
      throw HTTPError(.badURL("its scheme is \(scheme), not http or https"))
    }
    let host = try Self.part(CURLUPART_HOST, of: handle).lowercased()
    guard !host.contains(" "), !host.contains("%20"), let port = Int(try Self.part(CURLUPART_PORT, of: handle)) else {
      throw HTTPError(.badURL("its host or port is malformed"))
    }
    origin = Origin(scheme: scheme, host: host, port: port)
    path = try Self.part(CURLUPART_PATH, of: handle)
    self.text = try Self.part(CURLUPART_URL, of: handle)
  }

  private init(text: String, origin: Origin, path: String) {
    self.text = text
    self.origin = origin
    self.path = path
  }

  /// `http://host:port/path`; the port only where it is not the scheme's own.
  public var description: String { "\(origin)\(path)" }

  /// The same without a user's name and password.
  public var withoutUser: HTTPURL { HTTPURL(text: origin.description + target, origin: origin, path: path) }

  /// Path and query, as they are sent.
  public var target: String {
    guard let start = text.firstRange(of: "://")?.upperBound, let slash = text[start...].firstIndex(of: "/") else {
      return "/"
    }
    return String(text[slash...])
  }

  /// This URL without its query and with `segments` at the end of its path, each of them percent-encoded.
  ///
  /// It does not matter whether this URL ends in a slash.
  ///
  /// - Parameter segments: Names as they are; slashes and dots in them are part of the name.
  /// - Returns: The URL.
  public func appending(_ segments: String...) -> HTTPURL {
    // A dot or two would mean another place in the tree, not a name.
    let suffix = segments.map {
      $0 == "." || $0 == ".." ? "/" + String(repeating: "%2E", count: $0.utf8.count) : "/" + PercentEncoding.encode($0)
    }.joined()
    return appending(encodedPath: suffix)
  }

  /// This URL without its query and with more of a path, percent-encoded already, at the end of its own.
  ///
  /// - Parameter suffix: Begins with a slash, and has no query and no segment that is a dot or two; or is empty.
  /// - Returns: The URL.
  public func appending(encodedPath suffix: String) -> HTTPURL {
    HTTPURL(
      text: Self.withoutFinalSlash(text.prefix { $0 != "?" }) + suffix,
      origin: origin, path: Self.withoutFinalSlash(path[...]) + suffix)
  }

  /// This URL with more in its query.
  ///
  /// - Parameter pairs: Names and values as they are; both are percent-encoded. A name may occur more than once.
  /// - Returns: The URL, with the pairs in the order given; this one when there are none.
  public func adding(query pairs: [(String, String)]) -> HTTPURL {
    guard !pairs.isEmpty else { return self }
    let separator = text.contains("?") ? "&" : "?"
    return HTTPURL(text: text + separator + PercentEncoding.pairs(pairs), origin: origin, path: path)
  }

  /// The URL that `reference`, absolute or relative, means when it stands in an answer from this one (RFC 3986 §5).
  ///
  /// - Throws: `HTTPError` of kind `badURL`.
  public func resolving(_ reference: String) throws(HTTPError) -> HTTPURL {
    try HTTPURL(reference, relativeTo: self)
  }

  private static func withoutFinalSlash(_ text: Substring) -> String {
    String(text.hasSuffix("/") ? text.dropLast() : text)
  }

  private static func part(_ part: CURLUPart, of handle: OpaquePointer) throws(HTTPError) -> String {
    var text: UnsafeMutablePointer<CChar>?
    try check(curl_url_get(handle, part, &text, UInt32(part == CURLUPART_PORT ? CURLU_DEFAULT_PORT : 0)))
    guard let text else { throw HTTPError(.badURL("a part of it is missing")) }
    defer { curl_free(text) }
    return String(cString: text)
  }

  private static func check(_ code: CURLUcode) throws(HTTPError) {
    if code != CURLUE_OK { throw HTTPError(.badURL(String(cString: curl_url_strerror(code)))) }
  }
}
