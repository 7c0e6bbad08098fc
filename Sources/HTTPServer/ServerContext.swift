/// What every connection's thread reads; nothing in it changes.
final class ServerContext: Sendable {
  let handler: LoopbackServer.Handler
  let bodyLimit: Int
  let stop: StopSignal

  init(handler: @escaping LoopbackServer.Handler, bodyLimit: Int) throws(ServerError) {
    self.handler = handler
    self.bodyLimit = bodyLimit
    stop = try StopSignal()
  }
}
