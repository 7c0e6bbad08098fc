public import EventLoop

/// Where a refresh token lives between two runs of the agent.
@Loop public protocol RefreshTokenStore: AnyObject {
  /// The token of now; somebody else may have put it there meanwhile. Nil when nobody has logged in.
  func load() async throws -> String?
  /// Keeps `token` in place of the one before; returns only when it would survive a crash.
  func save(_ token: String) async throws
}

/// Renews a user's login (RFC 6749 §6).
///
/// A server may exchange the refresh token at each use; the new one is kept before the access token is used.
@Loop public final class RefreshToken: TokenGrant {
  private let endpoint: TokenEndpoint
  private let store: any RefreshTokenStore

  public init(_ endpoint: TokenEndpoint, store: any RefreshTokenStore) {
    self.endpoint = endpoint
    self.store = store
  }

  public func fetch() async throws(TokenError) -> AccessToken {
    let token = try await load()
    do throws(TokenError) {
      return try await exchange(token)
    } catch .refused(let status, let code) {
      // Another process may have exchanged it first.
      let newer = try await load()
      guard newer != token else { throw .refused(status: status, code: code) }
      return try await exchange(newer)
    }
  }

  private func exchange(_ token: String) async throws(TokenError) -> AccessToken {
    let answer = try await endpoint.request([("grant_type", "refresh_token"), ("refresh_token", token)])
    if let newer = answer.refreshToken, newer != token {
      do {
        try await store.save(newer)
      } catch {
        throw .storage("\(error)")
      }
    }
    return answer.token
  }

  private func load() async throws(TokenError) -> String {
    let token: String?
    do {
      token = try await store.load()
    } catch {
      throw .storage("\(error)")
    }
    guard let token else { throw .noRefreshToken }
    return token
  }
}
