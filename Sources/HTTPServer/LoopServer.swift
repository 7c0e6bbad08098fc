internal import CMicroHTTPD
package import EventLoop
import Glibc

/// An HTTP/1.1 server on 127.0.0.1 that runs on the loop, without a thread (libmicrohttpd).
///
/// The loop keeps it alive until ``stop()``.
@Loop
package final class LoopServer {
  /// Looks at a request before its body is read, which is empty here.
  ///
  /// Returns the answer to one that is refused, whose body is not read then.
  package typealias Admission = @Loop @Sendable (ServerRequest) -> ServerResponse?
  /// Answers a request; cancelled when its sender hangs up.
  ///
  /// How an answer is delivered can't be chosen here.
  package typealias Handler = @Loop @Sendable (ServerRequest) async -> ServerResponse

  package struct Limits: Sendable {
    /// Further connections wait to be accepted.
    package var connections = 64
    /// A longer body is answered with 413.
    package var bodyBytes = 16 << 20
    /// The bytes of all bodies that are in memory; what goes beyond is answered with 413 too.
    package var heldBytes = 64 << 20

    package init() {}
  }

  package let port: UInt16
  /// Scheme, address and port, without a trailing slash.
  package let url: String
  private let daemon: OpaquePointer
  private let context: LoopServerContext
  private let limit: UInt32
  private var descriptor: Descriptor?
  private var alarm: Alarm?
  private var isStopped = false
  private var isQueued = false

  /// Listens at once, on any free port.
  ///
  /// - Parameters:
  ///   - limits: What it takes at once.
  ///   - admission: Looks at each request's head.
  ///   - handler: Answers the requests.
  /// - Throws: `ServerError` when there is no port or descriptor left.
  package init(
    limits: Limits = Limits(), admission: @escaping Admission = { _ in nil }, handler: @escaping Handler
  ) throws(ServerError) {
    limit = UInt32(clamping: limits.connections)
    context = LoopServerContext(limits: limits, admission: admission, handler: handler)
    guard let daemon = Self.start(limits, context) else {
      let code = errno
      throw code == EMFILE || code == ENFILE ? .noDescriptors(code: code) : .cannotListen(port: 0, code: code)
    }
    self.daemon = daemon
    port = ringi_mhd_port(daemon)
    url = "http://127.0.0.1:\(port)"
    context.wake = { [unowned self] in queueRun() }
    do throws(SystemError) {
      descriptor = try Descriptor(ringi_mhd_epoll(daemon), interest: .readable) { _ in self.run() }
    } catch {
      MHD_stop_daemon(daemon)
      throw .noDescriptors(code: error.code)
    }
  }

  /// Stops listening, cancels the requests that wait for their answers, and closes every connection.
  ///
  /// Not to be called from an admission. Only the first call does anything.
  package func stop() {
    guard !isStopped else { return }
    isStopped = true
    alarm?.cancel()
    descriptor?.cancel()
    // Both keep the server.
    (alarm, descriptor) = (nil, nil)
    // libmicrohttpd aborts when it is stopped with suspended connections.
    context.endAll()
    MHD_stop_daemon(daemon)
  }

  /// How many requests wait for their answers.
  package var waiting: Int { context.waiting.count }

  // MARK: Running

  private func run() {
    guard !isStopped else { return }
    let wasFull = ringi_mhd_connections(daemon) >= limit
    MHD_run(daemon)
    // It goes on to accept connections only in a run after the one in which there is room again.
    if wasFull, ringi_mhd_connections(daemon) < limit { queueRun() }
    alarm?.cancel()
    var milliseconds: UInt64 = 0
    // It measures silence by the system's clock, so that is the one to wait by.
    alarm =
      MHD_get_timeout(daemon, &milliseconds) == .YES
      ? SystemClock.shared.alarm(after: .milliseconds(Int64(clamping: milliseconds))) { self.run() } : nil
  }

  private func queueRun() {
    guard !isQueued, !isStopped else { return }
    isQueued = true
    Loop.flushAtEndOfTurn(self)
  }

  private static func start(_ limits: Limits, _ context: LoopServerContext) -> OpaquePointer? {
    errno = 0
    var settings = ringi_mhd_settings()
    settings.runs_outside = true
    settings.connection_limit = UInt32(clamping: limits.connections)
    // The server keeps the context for as long as the daemon lives.
    settings.context = Unmanaged.passUnretained(context).toOpaque()
    settings.on_request_line = { context, target, connection in
      guard let context, let connection else { return nil }
      let target = target.map { String(cString: $0) } ?? "/"
      nonisolated(unsafe) let (from, of) = (context, connection)
      return Loop.assumeIsolated {
        let context = Unmanaged<LoopServerContext>.fromOpaque(from).takeUnretainedValue()
        let exchange = LoopExchange(target: target, connection: of, context: context)
        return UInt(bitPattern: Unmanaged.passRetained(exchange).toOpaque())
      }.pointer
    }
    settings.on_part = { _, _, _, method, _, piece, count, slot in
      guard let method, let count, let exchange = slot?.pointee else { return .NO }
      let name = String(cString: method)
      nonisolated(unsafe) let bytes = UnsafeRawBufferPointer(start: piece, count: count.pointee)
      let taker = Unmanaged<LoopExchange>.fromOpaque(exchange)
      count.pointee = 0
      return Loop.assumeIsolated { taker.takeUnretainedValue().take(name, bytes) }
    }
    settings.on_completed = { _, _, slot, _ in
      guard let exchange = slot?.pointee else { return }
      let ended = Unmanaged<LoopExchange>.fromOpaque(exchange)
      slot?.pointee = nil
      Loop.assumeIsolated { ended.takeRetainedValue().close() }
    }
    return ringi_mhd_start(&settings)
  }
}

extension LoopServer: Flushable {
  package func flush() {
    isQueued = false
    run()
  }
}

extension UInt {
  /// A pointer can't leave the loop's isolation as such.
  fileprivate var pointer: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: self) }
}
