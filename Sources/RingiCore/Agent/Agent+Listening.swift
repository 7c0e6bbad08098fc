internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import RingiKit
internal import RingiModel
internal import Timing

// MARK: - Listening

extension Agent {
  var isStdioAlone: Bool { options.isStdio && options.sockets.isEmpty }

  /// Where to listen: the command line's sockets, else the configuration's, else the usual place.
  private var addresses: [Listener.Address] {
    if !options.sockets.isEmpty { return options.sockets.map { Listener.Address(path: $0) } }
    if isStdioAlone { return [] }
    let configured = configuration.agent.listen
    return configured.isEmpty ? [Listener.Address(path: options.defaultSocket)] : configured
  }

  func listen() throws {
    let inherited = ServiceNotifier.inheritedSockets(options.environment)
    for (descriptor, path) in inherited {
      let address = configuration.agent.listen.first { $0.path == path } ?? Listener.Address(path: path)
      try server.listen(address, inherited: descriptor)
    }
    if !inherited.isEmpty, options.sockets.isEmpty { return }
    for address in addresses where !inherited.contains(where: { $0.path == address.path }) {
      try server.listen(address)
    }
  }

  /// Puts changed listeners into force; the command line's sockets stay what they are.
  func relisten(_ old: Configuration) {
    guard old.agent.listen != configuration.agent.listen, options.sockets.isEmpty, !isStdioAlone else { return }
    problems.resolve("listen")
    let failures = server.replace(addresses)
    if !failures.isEmpty { problems.report("listen", failures.joined(separator: " ")) }
  }

  /// Serves one client on standard input and output; when it is done the agent stops.
  ///
  /// - Throws: `SystemError` when the descriptors can't be watched.
  package func serveStdio() throws {
    server.serve(try ByteStream(input: 0, output: 1)) { [self] in
      Loop.task { await self.stop() }
    }
  }
}
