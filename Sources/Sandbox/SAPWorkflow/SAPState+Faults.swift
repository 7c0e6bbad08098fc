internal import HTTPServer
internal import JSON
internal import Timing

extension SAPState: FaultyService {
  /// What the service or a gateway before it says when it fails.
  func failure(_ status: Int) -> ServerResponse {
    switch status {
    case 409: response(to: .busy)
    case 429: rateLimitRefusal(retryAfter: nil)
    case 500:
      response(
        to: .envelope(500, code: "internal.server.error", message: "An error occurred. Try again later."))
    default: .page(status, "HTTP Status \(status)")
    }
  }

  mutating func replay(_ request: ServerRequest, after latency: Latency) {
    effects.add(.replay(request), after: latency, now: clock.now)
  }
}
