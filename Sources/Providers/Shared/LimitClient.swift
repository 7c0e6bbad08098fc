internal import RingiKit

/// Gives an answer of 429 that has no intelligible `Retry-After` the wait that it tells in another way.
@Loop
final class LimitClient: HTTPClient {
  private let base: any HTTPClient
  private let clock: any LoopClock
  private let wait: @Loop @Sendable (HTTPResponse) -> Int64?

  /// - Parameters:
  ///   - base: What sends.
  ///   - clock: Understands dates in answers.
  ///   - wait: Reads the seconds to wait from an answer; nil when it has none.
  init(_ base: any HTTPClient, clock: any LoopClock, wait: @escaping @Loop @Sendable (HTTPResponse) -> Int64?) {
    (self.base, self.clock, self.wait) = (base, clock, wait)
  }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let response = try await base.send(request)
    guard response.status == 429, response.retryAfter(now: clock.now) == nil, let seconds = wait(response) else {
      return response
    }
    var headers = response.headers
    headers["Retry-After"] = String(seconds)
    return HTTPResponse(status: response.status, headers: headers, body: response.body, url: response.url)
  }
}
