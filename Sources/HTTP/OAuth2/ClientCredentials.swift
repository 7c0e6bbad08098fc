public import EventLoop

/// The client itself is the user (RFC 6749 §4.4).
@Loop public final class ClientCredentials: TokenGrant {
  private let endpoint: TokenEndpoint
  private let scope: String?

  /// Logs the client in at an endpoint.
  ///
  /// - Parameters:
  ///   - endpoint: Where, and with which credentials.
  ///   - scope: The scopes to ask for, with spaces between them; nil leaves the choice to the server.
  public init(_ endpoint: TokenEndpoint, scope: String? = nil) {
    self.endpoint = endpoint
    self.scope = scope
  }

  public func fetch() async throws(TokenError) -> AccessToken {
    try await endpoint.request([("grant_type", "client_credentials")] + (scope.map { [("scope", $0)] } ?? [])).token
  }
}
