import Glibc

/// A connection to a port of this machine, which tells whether its server has ended.
///
/// The port by itself does not: another test's server may have it by then.
final class OpenConnection {
  private let socket: CInt

  // `address` is http://127.0.0.1:PORT/…
  init(_ address: String) throws {
    let port = address.split(separator: "/").dropFirst().first?.split(separator: ":").last.flatMap { UInt16($0) }
    socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = try required(port).bigEndian
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw Unexpected("nobody listens at \(address)") }
  }

  deinit { close(socket) }

  /// Whether the other side has closed it.
  var isClosed: Bool {
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, CInt(MSG_DONTWAIT))
    return count == 0 || count < 0 && errno == ECONNRESET
  }
}
