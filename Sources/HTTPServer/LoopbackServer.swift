internal import CMicroHTTPD
import Glibc
internal import Synchronization

/// An HTTP/1.1 server on 127.0.0.1, for sandboxes and tests (libmicrohttpd).
///
/// Each connection has a thread of its own, so that a slow or hanging answer holds up nobody else.
package final class LoopbackServer: @unchecked Sendable {
  // Sendable: `daemon` and `context` are set once, libmicrohttpd's calls are thread-safe, and `isStopped` lets one
  // caller alone through to the freeing.

  /// Answers a request; several threads call it at once.
  package typealias Handler = @Sendable (ServerRequest) -> ServerResponse

  /// A certificate chain and its private key, in PEM.
  package struct TLS: Sendable {
    package let certificate: String
    package let key: String

    package init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }
  }

  package let port: UInt16
  /// Scheme, address and port, without a trailing slash.
  package let url: String
  private let daemon: OpaquePointer
  private let context: Unmanaged<ServerContext>
  private let isStopped = Atomic(false)

  /// Listens at once.
  ///
  /// - Parameters:
  ///   - port: 0 takes any free port.
  ///   - tls: serves https when given.
  ///   - bodyLimit: a longer request body, in bytes, is read, dropped and answered with 413.
  ///   - connectionLimit: further connections are closed unanswered.
  ///   - handler: answers the requests; it must not stop the server, whose threads call it.
  /// - Throws: `ServerError` when the port is taken or the certificate does not load.
  package init(
    port: UInt16 = 0, tls: TLS? = nil, bodyLimit: Int = 16 << 20, connectionLimit: Int = 1024,
    handler: @escaping Handler
  ) throws(ServerError) {
    context = Unmanaged.passRetained(try ServerContext(handler: handler, bodyLimit: bodyLimit))
    guard let daemon = Self.start(port, tls, connectionLimit, context) else {
      let code = errno
      context.release()
      throw tls != nil && code == 0 ? .unusableCertificate : .cannotListen(port: port, code: code)
    }
    self.daemon = daemon
    self.port = ringi_mhd_port(daemon)
    url = "\(tls == nil ? "http" : "https")://127.0.0.1:\(self.port)"
  }

  deinit { stop() }

  /// Ends waiting answers, closes every connection and joins their threads; returns when all is gone.
  ///
  /// Only the first call does anything.
  package func stop() {
    guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    context.takeUnretainedValue().stop.raise()
    MHD_stop_daemon(daemon)
    context.release()
  }

  private static func start(
    _ port: UInt16, _ tls: TLS?, _ connectionLimit: Int, _ context: Unmanaged<ServerContext>
  ) -> OpaquePointer? {
    errno = 0
    var settings = ringi_mhd_settings()
    settings.port = port
    settings.connection_limit = UInt32(clamping: connectionLimit)
    settings.context = context.toOpaque()
    settings.on_request_line = { _, target, _ in
      Unmanaged.passRetained(Exchange(target: target.map { String(cString: $0) } ?? "/")).toOpaque()
    }
    settings.on_part = { context, connection, _, method, _, piece, count, slot in
      guard let context, let connection, let method, let count, let exchange = slot?.pointee else { return .NO }
      return Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue().take(
        connection, method: method, piece: piece, count: count,
        in: Unmanaged<ServerContext>.fromOpaque(context).takeUnretainedValue())
    }
    settings.on_completed = { _, _, slot, _ in
      if let exchange = slot?.pointee { Unmanaged<Exchange>.fromOpaque(exchange).release() }
      slot?.pointee = nil
    }
    guard let tls else { return ringi_mhd_start(&settings) }
    // GnuTLS copies both texts while the daemon starts.
    return tls.certificate.withCString { certificate in
      tls.key.withCString { key in
        settings.certificate = certificate
        settings.key = key
        return ringi_mhd_start(&settings)
      }
    }
  }
}
