import Glibc

/// A port of this machine that only those get who ask for it by its number, as long as this lives.
final class ReservedPort {
  struct Failure: Error { let code: CInt }

  let number: UInt16
  private let socket: CInt

  /// Takes any free port, and never listens: whoever sets SO_REUSEADDR may.
  init() throws {
    let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var yes: CInt = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    (self.socket, number) = (socket, UInt16(bigEndian: name.sin_port))
    guard isBound else { throw Failure(code: errno) }
  }

  deinit { close(socket) }
}
