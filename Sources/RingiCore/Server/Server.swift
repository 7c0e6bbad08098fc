package import EventLoop
internal import Glibc
internal import JSON
package import RingiKit

/// All listeners and the clients that came in by them.
@Loop
package final class Server {
  private let environment: SessionEnvironment
  private let log: Log
  private var listeners: [Listener] = []
  private var sessions: [ObjectIdentifier: Session] = [:]
  private var isStopping = false
  private var idle: Gate?

  package init(environment: SessionEnvironment, log: Log) {
    self.environment = environment
    self.log = log
  }

  package var count: Int { sessions.count }

  /// Where it listens.
  var addresses: [Listener.Address] { listeners.map(\.address) }

  package var json: JSONValue { JSONValue(array: listeners.map(\.json)) }

  /// Begins to listen on an address.
  ///
  /// - Parameters:
  ///   - address: Where, and what its clients may call.
  ///   - inherited: A listening socket that was passed on to the process.
  /// - Throws: `UnixSocket.BindError`.
  package func listen(_ address: Listener.Address, inherited: CInt? = nil) throws(UnixSocket.BindError) {
    let access = AccessList(address.allow, registry: environment.registry)
    listeners.append(
      try Listener(
        address, inherited: inherited, clock: environment.clock,
        hasRoom: { [unowned self] in !isStopping && sessions.count < environment.limits.connections },
        accept: { [unowned self] in self.accept($0, address.path, access) }))
  }

  private func accept(_ socket: CInt, _ listener: String, _ access: AccessList) {
    do throws(SystemError) {
      start(try ByteStream(socket: socket), listener, ProcessCredentials.peer(of: socket), access)
    } catch {
      log.write(.error, "agent", "a client could not be taken in: \(error)")
      Glibc.close(socket)
    }
  }

  /// Serves one client on a pair of descriptors.
  ///
  /// - Parameters:
  ///   - stream: Its bytes.
  ///   - onEnd: Called once the client is gone and its answers are written.
  package func serve(_ stream: ByteStream, onEnd: @escaping @Loop () -> Void) {
    let session = start(
      stream, "stdio", ProcessCredentials.parent, AccessList(nil, registry: environment.registry), onEnd: onEnd)
    session.staysForEvents = false
  }

  @discardableResult
  private func start(
    _ stream: ByteStream, _ listener: String, _ process: Actor.Process?, _ access: AccessList,
    onEnd: (@Loop () -> Void)? = nil
  ) -> Session {
    let session = Session(
      stream: stream, listener: listener, process: process, access: access, environment: environment
    ) { [weak self] session in
      self?.ended(session)
      onEnd?()
    }
    sessions[ObjectIdentifier(session)] = session
    environment.counters.connections += 1
    return session
  }

  private func ended(_ session: Session) {
    guard sessions.removeValue(forKey: ObjectIdentifier(session)) != nil else { return }
    environment.counters.connections -= 1
    if sessions.isEmpty { idle?.open() }
  }

  // MARK: Changing and stopping

  /// Puts another set of addresses into force; those that stay keep their clients.
  ///
  /// - Parameter addresses: Where to listen from now on.
  /// - Returns: What could not be done, in sentences.
  package func replace(_ addresses: [Listener.Address]) -> [String] {
    for listener in listeners where !addresses.contains(listener.address) { listener.close() }
    listeners.removeAll { !addresses.contains($0.address) }
    var problems: [String] = []
    for address in addresses where !listeners.contains(where: { $0.address == address }) {
      do throws(UnixSocket.BindError) { try listen(address) } catch { problems.append("\(error)") }
    }
    return problems
  }

  /// Takes no more clients in.
  package func stopListening() {
    isStopping = true
    for listener in listeners { listener.close() }
    listeners = []
  }

  /// Lets every client have its answers, then closes; returns once all are gone or the task is cancelled.
  package func finish() async {
    for session in sessions.values { session.finishClosing() }
    guard !sessions.isEmpty else { return }
    let gate = Gate()
    idle = gate
    // Cancelled, the wait is over all the same.
    try? await gate.wait()
  }

  /// Closes every connection: who still waits is told why, as far as that can be sent at once.
  package func close() {
    for session in sessions.values {
      session.giveUp()
      session.close()
    }
  }
}
