public import EventLoop
internal import Timing

/// Leaves a server alone for as long as it asked by a 429 or 503 with `Retry-After`: until then nothing is sent.
@Loop public final class RestingClient: HTTPClient {
  private let base: any HTTPClient
  private let clock: any LoopClock
  /// When the rest ends by either clock: the one that can be set back, and the one that stops while the machine sleeps.
  private var rest: (until: Timestamp, untilUptime: Int64)?

  public init(_ base: any HTTPClient, clock: any LoopClock) {
    self.base = base
    self.clock = clock
  }

  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    if let left, left > .zero { throw HTTPError(.resting(left), of: request) }
    let response = try await base.send(request)
    if response.status == 429 || response.status == 503, let wait = response.retryAfter(now: clock.now),
      wait > left ?? .zero
    {
      let (seconds, attoseconds) = wait.components
      rest = (clock.now + wait, clock.uptime + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
    return response
  }

  /// What is left of the rest, in whole seconds: who waits as long is not too early.
  private var left: Duration? {
    guard let rest else { return nil }
    let left = min(rest.until.duration(since: clock.now), .nanoseconds(rest.untilUptime - clock.uptime))
    let (seconds, fraction) = left.components
    return .seconds(fraction > 0 ? seconds + 1 : seconds)
  }
}
