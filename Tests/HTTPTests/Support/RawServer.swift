import Foundation
import Glibc
import Synchronization

/// A server on 127.0.0.1 that does to its connections whatever a test wants.
///
/// Sendable since all that changes is atomic.
final class RawServer: Sendable {
  let port: UInt16
  private let listener: CInt
  private let count = Atomic(0)
  private let isStopped = Atomic(false)

  /// How many connections were accepted so far.
  var accepted: Int { count.load(ordering: .sequentiallyConsistent) }

  /// Listens at once; each connection is handled on a thread of its own and closed when `handler` returns.
  init(_ handler: @escaping @Sendable (AcceptedConnection) -> Void) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        precondition(bind(listener, $0, length) == 0 && listen(listener, 64) == 0)
        getsockname(listener, $0, &length)
      }
    }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in
      while true {
        let socket = accept(listener, nil, nil)
        guard socket >= 0 else {
          close(listener)
          return
        }
        count.add(1, ordering: .sequentiallyConsistent)
        Thread.detachNewThread {
          let connection = AcceptedConnection(socket)
          handler(connection)
          connection.close()
        }
      }
    }
  }

  /// Stops listening; connections go on.
  func stop() {
    // The thread that accepts closes the listener then, and its number may soon belong to somebody else.
    if !isStopped.exchange(true, ordering: .sequentiallyConsistent) { shutdown(listener, Int32(SHUT_RDWR)) }
  }
}

/// One accepted connection; used by its own thread alone.
final class AcceptedConnection {
  private let socket: CInt
  /// Whether everything sent so far could be sent.
  private(set) var isOpen = true
  private var unread: [UInt8] = []

  init(_ socket: CInt) { self.socket = socket }

  /// Reads one request, its body by `Content-Length`; nil when the client has gone.
  func request() -> String? {
    while headEnd == nil { guard more() else { return nil } }
    let end = (headEnd ?? 0) + 4
    let head = String(decoding: unread[..<end], as: UTF8.self)
    let length =
      head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
    while unread.count < end + length { guard more() else { return nil } }
    defer { unread.removeFirst(end + length) }
    return String(decoding: unread[..<(end + length)], as: UTF8.self)
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else {
        isOpen = false
        return
      }
      rest = rest.dropFirst(sent)
    }
  }

  /// Waits until the client closes.
  func waitForClose() { while more() {} }

  /// Closes with a reset (RST).
  func reset() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
  }

  func close() { Glibc.close(socket) }

  private var headEnd: Int? {
    unread.count < 4 ? nil : unread.indices.dropLast(3).first { unread[$0..<($0 + 4)].elementsEqual("\r\n\r\n".utf8) }
  }

  private func more() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(socket, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    unread.append(contentsOf: buffer[..<count])
    return true
  }
}
