package import HTTPServer
internal import JSON
internal import Timing

/// A service whose answers a controller can spoil.
package protocol FaultyService {
  var clock: SandboxClock { get }
  /// Answers as the service does when nothing is wrong.
  mutating func process(_ request: ServerRequest) -> ServerResponse
  /// What the service or a gateway before it says when it fails; without Retry-After.
  func failure(_ status: Int) -> ServerResponse
  /// Carries out later the request of a sender who was cut off.
  mutating func replay(_ request: ServerRequest, after latency: Latency)
}

extension FaultyService {
  mutating func answer(_ request: ServerRequest, under fault: Fault.Kind) -> ServerResponse {
    switch fault {
    case .status(let status, let retryAfter, let applied):
      if applied { _ = process(request) }
      var failure = failure(status)
      if let retryAfter { failure.headers.add("Retry-After", retryAfter.value(at: clock.now)) }
      return failure
    case .loginPage: return .loginPage
    case .delay(let delay): return changed(request) { $0.delivery.delay = delay }
    case .slowBody(let pace): return changed(request) { $0.delivery.bytesPerSecond = pace }
    case .truncatedBody(let length, let reset):
      return changed(request) {
        $0.delivery.cutAfter = length ?? $0.body.count / 2
        $0.delivery.cutsByReset = reset
      }
    case .malformedJSON: return changed(request) { $0 = Self.malformed($0) }
    case .reset(let applied): return unanswered(.reset, request, applied)
    case .hang(let applied): return unanswered(.hang, request, applied)
    case .appliedLater(let latency):
      replay(request, after: latency)
      return unanswered(.reset, request, false)
    }
  }

  private mutating func changed(_ request: ServerRequest, _ change: (inout ServerResponse) -> Void) -> ServerResponse {
    var response = process(request)
    change(&response)
    return response
  }

  private mutating func unanswered(
    _ ending: Delivery.Ending, _ request: ServerRequest, _ applied: Bool
  ) -> ServerResponse {
    if applied { _ = process(request) }
    return ServerResponse(status: 500, delivery: Delivery(ending: ending))
  }

  /// Without its last byte, which closes it; a body that was empty gets the beginning of one.
  private static func malformed(_ response: ServerResponse) -> ServerResponse {
    var malformed = response
    malformed.body = response.body.isEmpty ? Array("{\"id\":".utf8) : response.body.dropLast()
    if response.status == 204 { malformed.status = 200 }
    if response.headers["Content-Type"] == nil { malformed.headers.add("Content-Type", "application/json") }
    return malformed
  }
}
