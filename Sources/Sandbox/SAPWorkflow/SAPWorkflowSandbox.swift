package import HTTPServer

/// SAP's workflow service, imitated strictly over real HTTP on 127.0.0.1; docs/sandbox.md says what it does.
package final class SAPWorkflowSandbox: Sendable {
  /// Plays the world around the service: other people, trouble, time.
  package let control: SAPControl
  private let environment: SAPEnvironment
  private let server = Locked<LoopbackServer?>(nil)

  package init(_ configuration: SAPWorkflowConfiguration) {
    control = SAPControl(configuration)
    environment = configuration.environment
  }

  /// Begins to listen; a sandbox that listens already is stopped first.
  ///
  /// - Parameters:
  ///   - port: 0 takes any free port.
  ///   - tls: serves https when given.
  /// - Throws: `ServerError` when the port is taken or the certificate does not load.
  package func start(port: UInt16 = 0, tls: LoopbackServer.TLS? = nil) throws(ServerError) {
    stop()
    let control = control
    let started = try LoopbackServer(port: port, tls: tls) { request in
      request.segments.first == "_control" ? control.answer(request) : control.respond(to: request)
    }
    server.withLock { $0 = started }
  }

  /// Ends waiting answers and closes every connection; what the service knows is kept.
  package func stop() {
    let running = server.withLock { server in
      defer { server = nil }
      return server
    }
    running?.stop()
  }

  /// Scheme, address and port; empty while it does not listen.
  package var url: String { server.withLock { $0?.url ?? "" } }

  package var port: UInt16 { server.withLock { $0?.port ?? 0 } }

  /// What a client appends `/v1/...` to.
  package var baseURL: String { url + "/" + environment.basePaths[0].joined(separator: "/") }
}
