public import EventLoop
internal import Timing

/// The access token that all requests to one backend share: fetched once, however many wait for it, renewed in time.
@Loop public final class TokenSource {
  private let grant: any TokenGrant
  private let clock: any LoopClock
  private let fetch = SingleFlight<AccessToken, TokenError>()
  private var current: AccessToken?
  private var fetchedAt: Int64 = 0
  /// How many logins have taken the place of another: what began with a token of the one before may be somebody else's.
  public private(set) var replacements = 0

  public init(_ grant: any TokenGrant, clock: any LoopClock) {
    self.grant = grant
    self.clock = clock
  }

  /// The token to use now.
  ///
  /// A caller that is cancelled stops waiting; the fetch goes on for the others.
  ///
  /// - Returns: The token that is kept, or a new one when there is none or its time has come.
  /// - Throws: What the grant throws; `TokenError.transport(_:)` for a caller that is cancelled.
  public func token() async throws(TokenError) -> AccessToken {
    if let current, current.renewAt.map({ clock.now < $0 }) ?? true { return current }
    let outcome = await fetch.outcome { [self] in await fetchAnew() }
    guard let outcome else { throw .transport(HTTPError(.cancelled)) }
    return try outcome.get()
  }

  /// Puts the token of somebody who has just logged in into the place of the one before.
  ///
  /// No fetch is under way meanwhile: it would bring, and keep, what belongs to the login before.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - keep: Keeps what came with it; where that fails, the token before stays.
  /// - Throws: What `keep` throws; `TokenError.transport(_:)` for a caller that is cancelled.
  public func replace(
    with token: AccessToken, keeping keep: @escaping @Loop @Sendable () async throws(TokenError) -> Void
  ) async throws(TokenError) {
    var outcome: SingleFlight<AccessToken, TokenError>.Outcome?
    while fetch.isRunning {
      outcome = await fetch.outcome { [self] in await fetchAnew() }
      if outcome == nil { throw .transport(HTTPError(.cancelled)) }
    }
    outcome = await fetch.outcome { [self] in
      do throws(TokenError) {
        try await keep()
      } catch {
        return .failure(error)
      }
      current = token
      fetchedAt = clock.uptime
      replacements += 1
      return .success(token)
    }
    guard let outcome else { throw .transport(HTTPError(.cancelled)) }
    _ = try outcome.get()
  }

  /// Forgets `token`, since a server refused it; without effect when a newer one has taken its place.
  public func drop(_ token: AccessToken) {
    if current == token { current = nil }
  }

  /// Forgets a token fetched longer ago than `age`: what a fresh one may do can have changed since.
  public func drop(olderThan age: Duration) {
    if .nanoseconds(clock.uptime - fetchedAt) > age { current = nil }
  }

  /// Waits for the fetch under way, if there is one: what it brings may have to be kept.
  ///
  /// - Parameter limit: How long to wait at most.
  public func settle(within limit: Duration) async {
    guard fetch.isRunning else { return }
    let waiting = Loop.task { [self] in _ = await fetch.outcome { await self.fetchAnew() } }
    let alarm = clock.alarm(after: limit) { waiting.cancel() }
    _ = await waiting.result
    alarm.cancel()
  }

  private func fetchAnew() async -> Result<AccessToken, TokenError> {
    do throws(TokenError) {
      let token = try await grant.fetch()
      current = token
      fetchedAt = clock.uptime
      return .success(token)
    } catch {
      return .failure(error)
    }
  }
}
