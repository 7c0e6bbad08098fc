internal import RingiKit

/// Gives an answer of 429 that has no `Retry-After` the one that its `X-RateLimit-Reset` amounts to.
@Loop
final class RateLimitClient: HTTPClient {
  private let base: any HTTPClient
  private let clock: any LoopClock

  /// Limits are per hour, so no wait is longer.
  private static let longest: Int64 = 3600

  init(_ base: any HTTPClient, clock: any LoopClock) {
    self.base = base
    self.clock = clock
  }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let response = try await base.send(request)
    guard response.status == 429, response.retryAfter(now: clock.now) == nil,
      let reset = response.headers["X-RateLimit-Reset"].flatMap({ UInt32($0) })
    else { return response }
    // The moment is one of the server's clock, as is the answer's date.
    let sent = response.headers["Date"].flatMap { Timestamp(httpDate: $0, now: clock.now) } ?? clock.now
    var headers = response.headers
    headers["Retry-After"] = String(min(max(Int64(reset) - sent.seconds, 0), Self.longest))
    return HTTPResponse(status: response.status, headers: headers, body: response.body, url: response.url)
  }
}
