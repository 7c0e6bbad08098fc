public import Timing

/// A bearer token (RFC 6750); its description does not show it.
public struct AccessToken: Sendable, Hashable, CustomStringConvertible {
  public let value: String
  /// When a new one should be fetched, a little before the server lets this one expire; nil when it did not say.
  public let renewAt: Timestamp?

  public init(_ value: String, renewAt: Timestamp? = nil) {
    self.value = value
    self.renewAt = renewAt
  }

  /// Makes a token of an answer.
  ///
  /// - Parameters:
  ///   - value: The token.
  ///   - lifetime: The server's `expires_in`, in seconds; nil when it did not say.
  ///   - now: When the answer came.
  init(_ value: String, lifetime: Int64?, now: Timestamp) {
    let margin = lifetime.map { min(60, $0 / 10) } ?? 0
    self.init(value, renewAt: lifetime.map { now + .seconds($0 - margin) })
  }

  public var description: String { "an access token" }
}
