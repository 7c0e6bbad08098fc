/// One HTTP request, whole and decoded.
package struct ServerRequest: Sendable {
  package struct QueryItem: Sendable, Equatable {
    package let name: String
    /// Empty for `?a=` and for `?a`.
    package let value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package let method: String
  /// The request line's target as it was sent, query included.
  package let target: String
  /// The path between slashes, each part percent-decoded by itself: a `%2F` stays inside its segment.
  package let segments: [String]
  /// In the order of the request, repeats kept; `+` is a space, as in forms.
  package let query: [QueryItem]
  package let headers: ServerHeaders
  package let body: [UInt8]

  /// The path, decoded.
  package var path: String { "/" + segments.joined(separator: "/") }

  /// - Returns: nil when the target holds a broken percent escape or bytes that are not UTF-8.
  package init?(method: String, target: String, headers: ServerHeaders = [:], body: [UInt8] = []) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var segments: [String] = []
    for part in Self.originForm(parts[0]).dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let segment = percentDecoded(part) else { return nil }
      segments.append(segment)
    }
    guard let query = Self.queryItems(parts.count > 1 ? parts[1] : "") else { return nil }
    self.method = method
    self.target = target
    self.segments = segments
    self.query = query
    self.headers = headers
    self.body = body
  }

  /// Reads `a=1&b=2`, of a query or of a form; nil when an escape is broken.
  package static func queryItems(_ text: Substring) -> [QueryItem]? {
    var items: [QueryItem] = []
    for pair in text.split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = percentDecoded(sides[0], plusIsSpace: true),
        let value = percentDecoded(sides.count > 1 ? sides[1] : "", plusIsSpace: true)
      else { return nil }
      items.append(QueryItem(name: name, value: value))
    }
    return items
  }

  /// A proxy's client sends `http://host/path`, which a server must take as well (RFC 9112, 3.2.2).
  private static func originForm(_ target: Substring) -> Substring {
    guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return target }
    let afterScheme = target[scheme.upperBound...]
    guard let slash = afterScheme.firstIndex(of: "/") else { return "/" }
    return afterScheme[slash...]
  }
}
