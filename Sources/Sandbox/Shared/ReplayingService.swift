package import HTTPServer
internal import Timing

/// A service that does nothing in the background but what senders who were cut off had asked for.
package protocol ReplayingService: SandboxService {
  var effects: Effects<ServerRequest> { get set }
}

extension ReplayingService {
  package mutating func settle() {
    while let (_, request) = effects.takeDue(at: clock.now) { _ = process(request) }
  }

  package mutating func tick() {
    for request in effects.takeTicked() { _ = process(request) }
    settle()
  }

  package mutating func replay(_ request: ServerRequest, after latency: Latency) {
    effects.add(request, after: latency, now: clock.now)
  }
}
