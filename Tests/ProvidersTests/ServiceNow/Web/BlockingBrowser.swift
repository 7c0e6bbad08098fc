import EventLoop
import Glibc

/// A connection that sends what no HTTP client would.
///
/// Used by one thread at a time.
final class BlockingBrowser: @unchecked Sendable {
  private let socket: CInt

  init(port: UInt16) throws {
    socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Unexpected("no connection to port \(port)") }
  }

  deinit { Glibc.close(socket) }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(socket, bytes, bytes.count, CInt(MSG_NOSIGNAL))
  }

  /// Sends a request and reads until the other side closes.
  func ask(_ text: String) throws -> String {
    send(text)
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(socket, &buffer, buffer.count)
      if count <= 0 { return String(decoding: received, as: UTF8.self) }
      received += buffer[..<count]
    }
  }

  func close() { shutdown(socket, CInt(SHUT_RDWR)) }
}

extension Loop {
  /// Does what blocks, away from the loop.
  static func offLoop<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    try await Task.detached { try work() }.value
  }
}
