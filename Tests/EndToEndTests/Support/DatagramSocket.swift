import Glibc

/// A bound datagram socket, as systemd has one for what its services tell it.
final class DatagramSocket {
  struct Failure: Error { let code: Int32 }

  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let descriptor = descriptor
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0 else { throw Failure(code: errno) }
  }

  deinit { close(descriptor) }

  /// The next datagram's lines; waits for it for a bounded time.
  func receive() throws -> [String] {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&poll, 1, 30_000) == 1 else { throw Failure(code: ETIMEDOUT) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { throw Failure(code: errno) }
    return String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The first datagram that begins with a line; those before it are passed over.
  func receive(_ line: String) throws -> [String] {
    while true {
      let lines = try receive()
      if lines.first == line { return lines }
    }
  }
}
