public import EventLoop

/// The access token that all requests to one backend share: fetched once, however many wait for it, and renewed in time.
@Loop public final class TokenSource {
  private typealias Outcome = Result<AccessToken, TokenError>

  private let grant: any TokenGrant
  private let clock: any LoopClock
  private var current: AccessToken?
  private var isFetching = false
  private var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
  private var nextWaiter = 0

  public init(_ grant: any TokenGrant, clock: any LoopClock) {
    self.grant = grant
    self.clock = clock
  }

  /// The token to use now.
  ///
  /// A caller that is cancelled stops waiting; the fetch goes on for the others.
  public func token() async throws(TokenError) -> AccessToken {
    if let current, current.renewAt.map({ clock.now < $0 }) ?? true { return current }
    let id = nextWaiter
    nextWaiter += 1
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
        waiters[id] = continuation
        if Task.isCancelled { cancel(id) }
        if !isFetching, !waiters.isEmpty { fetch() }
      }
    } onCancel: {
      Loop.run { self.cancel(id) }
    }
    return try outcome.get()
  }

  /// Forgets `token`, since a server refused it; without effect when a newer one has taken its place.
  public func drop(_ token: AccessToken) {
    if current == token { current = nil }
  }

  /// Forgets the token, whichever it is: what it may do has changed, say.
  public func drop() { current = nil }

  private func fetch() {
    isFetching = true
    Loop.immediate {
      let outcome: Outcome
      do throws(TokenError) {
        outcome = .success(try await self.grant.fetch())
      } catch {
        outcome = .failure(error)
      }
      self.finish(outcome)
    }
  }

  private func finish(_ outcome: Outcome) {
    isFetching = false
    if case .success(let token) = outcome { current = token }
    let waiting = waiters
    waiters = [:]
    for continuation in waiting.values { continuation.resume(returning: outcome) }
  }

  private func cancel(_ waiter: Int) {
    waiters.removeValue(forKey: waiter)?.resume(returning: .failure(.transport(HTTPError(.cancelled))))
  }
}
