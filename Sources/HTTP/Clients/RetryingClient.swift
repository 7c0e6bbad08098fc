public import EventLoop
public import Timing

/// Sends again what may be sent again: an idempotent request, or one that did not reach the server.
///
/// It retries lost connections, timeouts, short rests and the statuses 408, 425, 429, 500, 502, 503 and 504. A POST or PATCH that
/// may have been received is never repeated here: what became of it only the caller can find out.
@Loop public final class RetryingClient: HTTPClient {
  private let base: any HTTPClient
  private let clock: any LoopClock
  private let backoff: Backoff
  private let attempts: Int
  private let longestWait: Duration
  private var random: any RandomNumberGenerator

  /// Wraps a client.
  ///
  /// - Parameters:
  ///   - base: What sends.
  ///   - clock: What waits.
  ///   - backoff: The waits between attempts.
  ///   - attempts: How often a request is sent at most; 1 means no retry.
  ///   - longestWait: If a server asks for more patience than this, its answer is handed on at once.
  ///   - random: Where the jitter comes from.
  public init(
    _ base: any HTTPClient, clock: any LoopClock,
    backoff: Backoff = Backoff(base: .milliseconds(500), cap: .seconds(5)), attempts: Int = 3,
    longestWait: Duration = .seconds(10), random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  ) {
    self.base = base
    self.clock = clock
    self.backoff = backoff
    self.attempts = attempts
    self.longestWait = longestWait
    self.random = random
  }

  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    // Who checks a service wants to know how it is now.
    let attempts = HTTPTrace.current == nil ? attempts : 1
    var attempt = 1
    var wasSent = false
    while true {
      let outcome = await result(of: request)
      guard attempt < attempts, let wait = wait(before: request, attempt: attempt, outcome) else {
        do throws(HTTPError) {
          return try outcome.get()
        } catch {
          // What the last attempt did not deliver, an earlier one may have.
          throw HTTPError(error.kind, requestWasSent: error.requestWasSent || wasSent, target: error.target)
        }
      }
      if case .failure(let error) = outcome { wasSent = wasSent || error.requestWasSent } else { wasSent = true }
      attempt += 1
      do {
        try await clock.sleep(for: wait)
      } catch {
        throw HTTPError(.cancelled, requestWasSent: wasSent, of: request)
      }
    }
  }

  private func result(of request: HTTPRequest) async -> Result<HTTPResponse, HTTPError> {
    do throws(HTTPError) {
      return .success(try await base.send(request))
    } catch {
      return .failure(error)
    }
  }

  /// How long to wait before `request` is sent again, or nil when it must not be.
  private func wait(before request: HTTPRequest, attempt: Int, _ outcome: Result<HTTPResponse, HTTPError>) -> Duration?
  {
    switch outcome {
    case .failure(let error):
      // Nothing was sent; a short rest is waited out as if the answer that asked for it had been this request's own.
      if case .resting(let left) = error.kind {
        return left <= longestWait ? max(left, backoff.delay(attempt: attempt, using: &random)) : nil
      }
      guard error.isPassing, request.isIdempotent || !error.requestWasSent else { return nil }
      return backoff.delay(attempt: attempt, using: &random)
    case .success(let response):
      guard request.isIdempotent, [408, 425, 429, 500, 502, 503, 504].contains(response.status) else { return nil }
      let asked = response.retryAfter(now: clock.now) ?? .zero
      guard asked <= longestWait else { return nil }
      return max(asked, backoff.delay(attempt: attempt, using: &random))
    }
  }
}
