package import HTTPServer

/// A service, imitated strictly over real HTTP on 127.0.0.1; docs/sandbox.md says what it does.
package final class ServiceSandbox<Service: SandboxService>: RunnableSandbox {
  private let state: Locked<Service>
  private let server = Locked<LoopbackServer?>(nil)

  package init(_ configuration: Service.Configuration) { state = Locked(Service(configuration)) }

  package func start(port: UInt16, tls: LoopbackServer.TLS?) throws(ServerError) {
    stop()
    let state = state
    let started = try LoopbackServer(port: port, tls: tls) { request in
      state.withLock { service in
        request.segments.first == "_control" ? service.answerControl(request) : service.respond(to: request)
      }
    }
    server.withLock { $0 = started }
  }

  package func stop() {
    let running = server.withLock { server in
      defer { server = nil }
      return server
    }
    running?.stop()
  }

  package var url: String { server.withLock { $0?.url ?? "" } }

  /// Where the API begins.
  package var baseURL: String { url + "/" + Service.basePath.joined(separator: "/") }

  /// Reads or changes the service after all that has fallen due: other people, trouble, time.
  @discardableResult
  package func with<Result, Failure: Error>(
    _ body: (inout Service) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try state.withLock { service throws(Failure) in
      service.settle()
      let result = try body(&service)
      service.settle()
      return result
    }
  }
}

/// A sandbox as the program runs it.
package protocol RunnableSandbox: Sendable {
  /// Begins to listen; a sandbox that listens already is stopped first.
  ///
  /// - Parameters:
  ///   - port: 0 takes any free port.
  ///   - tls: serves https when given.
  /// - Throws: `ServerError` when the port is taken or the certificate does not load.
  func start(port: UInt16, tls: LoopbackServer.TLS?) throws(ServerError)
  /// Ends waiting answers and closes every connection; what the service knows is kept.
  func stop()
  /// Scheme, address and port; empty while it does not listen.
  var url: String { get }
}

extension SAPWorkflowSandbox: RunnableSandbox {}
