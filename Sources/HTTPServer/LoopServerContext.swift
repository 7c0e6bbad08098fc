import EventLoop

/// What all requests of a `LoopServer` share.
@Loop
final class LoopServerContext {
  let limits: LoopServer.Limits
  let admission: LoopServer.Admission
  let handler: LoopServer.Handler
  /// Has the server run soon.
  var wake: @Loop () -> Void = {}
  /// The bytes of bodies in memory.
  var heldBytes = 0
  private(set) var waiting: [ObjectIdentifier: LoopExchange] = [:]

  init(
    limits: LoopServer.Limits, admission: @escaping LoopServer.Admission, handler: @escaping LoopServer.Handler
  ) {
    self.limits = limits
    self.admission = admission
    self.handler = handler
  }

  func add(_ exchange: LoopExchange) { waiting[ObjectIdentifier(exchange)] = exchange }

  func remove(_ exchange: LoopExchange) { waiting[ObjectIdentifier(exchange)] = nil }

  /// Ends all that wait, without an answer.
  func endAll() {
    for exchange in Array(waiting.values) { exchange.hangUp() }
  }
}
