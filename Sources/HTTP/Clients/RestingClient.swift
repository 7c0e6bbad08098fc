public import EventLoop
internal import Timing

/// Leaves a server alone for as long as it asked by a 429 or 503 with `Retry-After`: until then nothing is sent.
@Loop public final class RestingClient: HTTPClient {
  private let base: any HTTPClient
  private let clock: any LoopClock
  private var wakeAt: Timestamp?

  public init(_ base: any HTTPClient, clock: any LoopClock) {
    self.base = base
    self.clock = clock
  }

  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    if let wakeAt, clock.now < wakeAt {
      throw HTTPError(.resting(wakeAt.duration(since: clock.now)), of: request)
    }
    let response = try await base.send(request)
    if response.status == 429 || response.status == 503, let wait = response.retryAfter(now: clock.now) {
      wakeAt = max(wakeAt ?? .earliest, clock.now + wait)
    }
    return response
  }
}
