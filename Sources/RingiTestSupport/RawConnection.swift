internal import Glibc

/// A TCP connection to a port of this machine that sends bytes as given and shows bytes as received.
package final class RawConnection {
  package enum Failure: Error, Equatable { case cannotConnect, reset, timedOut, endedEarly(received: Int) }

  private let socket: CInt
  private var unread: [UInt8] = []

  /// Connects to the port of `http://127.0.0.1:PORT/…`.
  package convenience init(to address: String) throws {
    let port = address.split(separator: "/").dropFirst().first?.split(separator: ":").last.flatMap { UInt16($0) }
    guard let port else { throw Failure.cannotConnect }
    try self.init(port: port)
  }

  package init(port: UInt16) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else {
      close(socket)
      throw Failure.cannotConnect
    }
  }

  deinit { close(socket) }

  package func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  package func send(_ text: String) { send(Array(text.utf8)) }

  /// Waits until an answer has begun.
  package func waitForBytes() throws {
    while unread.isEmpty { try more() }
  }

  /// Reads one whole answer and leaves what follows it for the next call.
  package func answer() throws -> RawAnswer {
    while headEnd == nil { try more() }
    let head = String(decoding: unread[..<(headEnd ?? 0)], as: UTF8.self)
    unread.removeFirst((headEnd ?? 0) + 4)
    var answer = RawAnswer(head: head)
    let length = answer["Content-Length"].flatMap { Int($0) } ?? 0
    while unread.count < length {
      do { try more() } catch Failure.endedEarly { throw Failure.endedEarly(received: unread.count) }
    }
    answer.body = Array(unread[..<length])
    unread.removeFirst(length)
    return answer
  }

  /// Whether the other side has closed it by now: the port alone does not tell, for another server may have it.
  package var isClosed: Bool {
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    return count == 0 || count < 0 && errno == ECONNRESET
  }

  /// Ends it as a browser does that hangs up.
  package func hangUp() { shutdown(socket, Int32(SHUT_RDWR)) }

  /// Waits until the other side closes; true when it did so without sending a byte.
  package func isClosedUnanswered() -> Bool {
    do { try more() } catch { return error as? Failure == .endedEarly(received: 0) }
    return false
  }

  private var headEnd: Int? {
    unread.count < 4 ? nil : unread.indices.dropLast(3).first { unread[$0..<($0 + 4)].elementsEqual("\r\n\r\n".utf8) }
  }

  private func more() throws {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(socket, &buffer, buffer.count, 0)
    if count > 0 { return unread.append(contentsOf: buffer[..<count]) }
    if count == 0 { throw Failure.endedEarly(received: unread.count) }
    throw errno == ECONNRESET ? Failure.reset : Failure.timedOut
  }
}
