/// The value of a `Content-Type` header (RFC 9110 §8.3.1).
public struct MediaType: Sendable, Hashable {
  /// `type/subtype` in lower case.
  public let essence: String
  /// The `charset` parameter in lower case, or nil.
  public let charset: String?

  /// Reads a header's value; nil when it does not begin with `type/subtype`.
  public init?(_ header: String) {
    let parts = header.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmingBlanks() }
    guard let essence = parts.first, essence.split(separator: "/", omittingEmptySubsequences: false).count == 2,
      !essence.hasPrefix("/"), !essence.hasSuffix("/")
    else { return nil }
    self.essence = essence.lowercased()
    charset =
      parts.dropFirst().lazy.map { $0.lowercased() }.first { $0.hasPrefix("charset=") }
      .map { $0.dropFirst("charset=".count).filter { $0 != "\"" && $0 != "'" } }
  }

  /// Whether the body claims to be JSON: `application/json`, or any type with the suffix `+json` (RFC 6839).
  public var isJSON: Bool { essence == "application/json" || essence.hasSuffix("+json") }
}
