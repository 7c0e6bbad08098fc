internal import CLinux
internal import Glibc

/// Waits on a port of 127.0.0.1 for a browser to come back (RFC 8252 §7.3).
///
/// Several may be connected at once, so that one that says nothing holds up nobody; each gets one answer.
final class LoopbackListener {
  /// A browser's request for the path, which waits for an answer.
  struct Visit {
    fileprivate let socket: Int32
    let query: [String: String]

    /// Answers with a page of one sentence, and hangs up.
    func answer(_ status: Int, _ sentence: String) { LoopbackListener.answer(socket, status, sentence) }
  }

  private struct Connection {
    let socket: Int32
    let deadline: Deadline
    var received: [UInt8] = []
  }

  private static let mostConnections = 16
  private static let longestHead = 16384

  private let address: LoopbackAddress
  private let listener: Int32
  private var connections: [Connection] = []

  /// Begins to listen.
  ///
  /// - Throws: `Failure` when the port is taken.
  init(_ address: LoopbackAddress) throws(Failure) {
    self.address = address
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = address.port.bigEndian
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let bound = withUnsafePointer(to: name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard bound == 0, listen(listener, 16) == 0 else {
      let reason = SystemMessage.text(errno)
      close(listener)
      throw Failure(
        .temporary, "The login can't wait at 127.0.0.1:\(address.port), where the browser comes back: \(reason).",
        advice: ["End what listens there, such as another `ringi login`, or register another callback."])
    }
  }

  deinit {
    for connection in connections { close(connection.socket) }
    close(listener)
  }

  /// Waits for the next request for the path; others are answered here.
  ///
  /// - Throws: `Failure` when none has come in time.
  func next(before deadline: Deadline) throws(Failure) -> Visit {
    while true {
      var watched = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
      watched += connections.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
      guard deadline.pollTimeout != 0 else {
        throw Failure(
          .temporary, "The browser has not come back in time; nothing was changed.",
          advice: [
            "Run it again, and allow more time with --wait, such as --wait 10m.",
            "If the page said yes all the same: register \(address.text) at the backend, letter by letter. A backend may send the browser to another callback that is registered there, and nobody waits at that one.",
          ])
      }
      // Once a second it is looked for who has been silent for too long.
      _ = poll(&watched, nfds_t(watched.count), deadline.pollTimeout < 0 ? 1000 : min(deadline.pollTimeout, 1000))
      let readable = Set(watched.dropFirst().filter { $0.revents != 0 }.map(\.fd))
      if watched[0].revents != 0 { accept() }
      if let visit = read(readable) { return visit }
    }
  }

  private func accept() {
    while true {
      let socket = accept4(listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue))
      guard socket >= 0 else { return }
      if connections.count >= Self.mostConnections { close(connections.removeFirst().socket) }
      connections.append(Connection(socket: socket, deadline: Deadline(after: .seconds(10))))
    }
  }

  /// Reads what came, until one request for the path is whole.
  private func read(_ readable: Set<Int32>) -> Visit? {
    var index = 0
    while index < connections.count {
      let connection = connections[index]
      if connection.deadline.pollTimeout == 0 || (readable.contains(connection.socket) && !readMore(index)) {
        close(connection.socket)
        connections.remove(at: index)
      } else if let head = head(of: connections[index]) {
        connections.remove(at: index)
        if let visit = visit(head, connection.socket) { return visit }
      } else {
        index += 1
      }
    }
    return nil
  }

  /// Whether the connection goes on.
  private func readMore(_ index: Int) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(connections[index].socket, &buffer, buffer.count)
    guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
    connections[index].received += buffer[..<count]
    return connections[index].received.count <= Self.longestHead
  }

  private func head(of connection: Connection) -> Substring? {
    let text = String(decoding: connection.received, as: UTF8.self)
    return text.firstRange(of: "\r\n\r\n").map { text[..<$0.lowerBound] }
  }

  /// What a request is for; one for anything else gets its answer at once.
  private func visit(_ head: Substring, _ socket: Int32) -> Visit? {
    let words = head.prefix { $0 != "\r\n" }.split(separator: " ")
    guard words.count == 3, words[0] == "GET" else {
      Self.answer(socket, 405, "Only a browser's GET is answered here.")
      return nil
    }
    let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0] == address.path else {
      Self.answer(socket, 404, "There is nothing here.")
      return nil
    }
    return Visit(socket: socket, query: QueryText.pairs(parts.count > 1 ? parts[1] : ""))
  }

  private static let reasons = [200: "OK", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed"]

  private static func answer(_ socket: Int32, _ status: Int, _ sentence: String) {
    let page = "<!doctype html><meta charset=\"utf-8\"><title>Ringi</title><p>\(sentence)</p>\n"
    let head = """
      HTTP/1.1 \(status) \(reasons[status] ?? "")\r
      Content-Type: text/html; charset=utf-8\r
      Content-Length: \(page.utf8.count)\r
      Cache-Control: no-store\r
      Referrer-Policy: no-referrer\r
      Connection: close\r
      \r

      """
    let bytes = Array((head + page).utf8)
    // A few hundred bytes fit the socket's buffer; a browser that has gone misses nothing.
    _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    shutdown(socket, Int32(SHUT_RDWR))
    close(socket)
  }
}
