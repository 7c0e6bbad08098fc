public import EventLoop

/// A user's own name and password, where a server still takes them (RFC 6749 §4.3).
@Loop public final class PasswordCredentials: TokenGrant {
  private let endpoint: TokenEndpoint
  private let user: String
  private let scope: String?
  private let password: @Loop @Sendable () async throws -> String

  /// Logs a user in at an endpoint.
  ///
  /// - Parameters:
  ///   - endpoint: Where, and with which client's credentials.
  ///   - user: The user's name.
  ///   - scope: The scopes to ask for, with spaces between them; nil leaves the choice to the server.
  ///   - password: Reads the password; asked at each fetch, so that a changed one is found.
  public init(
    _ endpoint: TokenEndpoint, user: String, scope: String? = nil,
    password: @escaping @Loop @Sendable () async throws -> String
  ) {
    self.endpoint = endpoint
    self.user = user
    self.scope = scope
    self.password = password
  }

  public func fetch() async throws(TokenError) -> AccessToken {
    let word: String
    do {
      word = try await password()
    } catch {
      throw .noClientSecret("\(error)")
    }
    let form = [("grant_type", "password"), ("username", user), ("password", word)]
    return try await endpoint.request(form + (scope.map { [("scope", $0)] } ?? [])).token
  }
}
