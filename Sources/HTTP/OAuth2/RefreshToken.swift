public import EventLoop

/// Where a refresh token lives between two runs of the agent.
@Loop public protocol RefreshTokenStore: AnyObject {
  /// The token of now; somebody else may have put it there meanwhile.
  ///
  /// - Returns: The token; nil when nobody has logged in.
  /// - Throws: `TokenError.noRefreshToken(_:)` or `TokenError.storage(_:)`, with the reason.
  func load() async throws(TokenError) -> String?

  /// Keeps a token in place of the one that it was exchanged for; returns only when it would survive a crash.
  ///
  /// - Parameters:
  ///   - token: The new one.
  ///   - old: The one before; it stays in its place when the new one can't be kept.
  /// - Throws: `TokenError.storage(_:)`, with the reason.
  func save(_ token: String, replacing old: String) async throws(TokenError)
}

/// Renews a user's login (RFC 6749 §6).
///
/// A server may exchange the refresh token at each use; the new one is kept before the access token is used.
@Loop public final class RefreshToken: TokenGrant {
  /// How long another process may take to write down what it got.
  private static let patience: Duration = .seconds(1)
  /// The most tokens that one fetch tries, each of them put there by another process meanwhile.
  private static let attempts = 5

  private let endpoint: TokenEndpoint
  private let store: any RefreshTokenStore
  private let clock: any LoopClock

  public init(_ endpoint: TokenEndpoint, store: any RefreshTokenStore, clock: any LoopClock) {
    self.endpoint = endpoint
    self.store = store
    self.clock = clock
  }

  public func fetch() async throws(TokenError) -> AccessToken {
    var token = try await load()
    for _ in 1..<Self.attempts {
      do throws(TokenError) {
        return try await exchange(token)
      } catch .refused(let status, let code) {
        // Another process may have exchanged it first; servers have many words for that.
        guard let newer = try await another(than: token) else { throw .refused(status: status, code: code) }
        token = newer
      }
    }
    return try await exchange(token)
  }

  private func exchange(_ token: String) async throws(TokenError) -> AccessToken {
    let answer = try await endpoint.request([("grant_type", "refresh_token"), ("refresh_token", token)])
    if let newer = answer.refreshToken, newer != token { try await store.save(newer, replacing: token) }
    return answer.token
  }

  private func load() async throws(TokenError) -> String {
    guard let token = try await store.load() else { throw .noRefreshToken(nil) }
    return token
  }

  /// The token in the store, once it is another one.
  private func another(than token: String) async throws(TokenError) -> String? {
    let found = try await load()
    if found != token { return found }
    do {
      try await clock.sleep(for: Self.patience)
    } catch {
      throw .transport(HTTPError(.cancelled))
    }
    let later = try await load()
    return later == token ? nil : later
  }
}
