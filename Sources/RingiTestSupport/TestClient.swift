internal import EventLoop
internal import Glibc
package import JSON
package import JSONRPC
internal import RingiCore

/// A client of an agent's socket, in the calling thread; what it waits for it waits for a bounded time.
package final class TestClient {
  package enum Failure: Error, Equatable {
    /// Nothing came, or nothing more could be sent, for a long time.
    case timedOut
    /// The agent closed the connection.
    case ended
    /// The agent wrote what no framing allows.
    case badFrame(String)
    /// The agent answered with an error.
    case refused(JSONValue)
  }

  /// Long enough for a machine that is busy with other things.
  private static let patience: CInt = 30_000

  private var socket: CInt
  private let framing: Framing
  private var received: [UInt8] = []
  private var position = 0
  /// Messages that came while another one was waited for.
  private var passedOver: [String] = []
  private var lastID = 0

  /// Connects to a listening socket.
  package init(_ path: String, framing: Framing = .newline) throws {
    socket = try UnixSocket.connect(path)
    self.framing = framing
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
  }

  /// Takes over a connected socket.
  package init(socket: CInt, framing: Framing = .newline) {
    self.socket = socket
    self.framing = framing
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
  }

  deinit { close() }

  // MARK: Sending

  /// Sends messages in their frames, all in one write where the system takes it.
  package func send(_ messages: String...) throws { try send(messages) }

  package func send(_ messages: [String]) throws {
    try sendRaw(messages.flatMap { frame($0) })
  }

  /// A message in its frame.
  package func frame(_ message: String) -> [UInt8] {
    switch framing {
    case .newline: Array("\(message)\n".utf8)
    case .contentLength: Array("Content-Length: \(message.utf8.count)\r\n\r\n\(message)".utf8)
    }
  }

  /// Sends bytes as they are.
  package func sendRaw(_ bytes: some Sequence<UInt8>) throws {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      rest = rest.dropFirst(try sendSome(rest))
      if !rest.isEmpty { try wait(for: POLLOUT) }
    }
  }

  /// Sends what the system takes at once.
  ///
  /// - Returns: How many bytes it took.
  /// - Throws: ``Failure`` when the connection has ended.
  package func sendSome(_ bytes: ArraySlice<UInt8>) throws -> Int {
    let count = bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
    if count >= 0 { return count }
    guard errno == EAGAIN else { throw Failure.ended }
    return 0
  }

  /// Sends a request.
  ///
  /// - Returns: Its id.
  @discardableResult
  package func ask(_ method: String, _ params: JSONValue? = nil) throws -> Int {
    lastID += 1
    var message: [UInt8] = []
    MessageWriter.request(method, id: lastID, params: params, in: &message)
    try send(String(decoding: message, as: UTF8.self))
    return lastID
  }

  package func notify(_ method: String, _ params: JSONValue) throws {
    var message: [UInt8] = []
    MessageWriter.notification(method, in: &message) { params.write(into: &$0) }
    try send(String(decoding: message, as: UTF8.self))
  }

  // MARK: Receiving

  /// The text of the next message.
  package func receiveText() throws -> String {
    passedOver.isEmpty ? try read() : passedOver.removeFirst()
  }

  /// The next message.
  package func receive() throws -> JSONValue { try JSONValue(parsing: receiveText()) }

  /// The next message that fits; others stay for later.
  package func receive(where fits: (JSONValue) -> Bool) throws -> JSONValue {
    for (index, text) in passedOver.enumerated() {
      let message = try JSONValue(parsing: text)
      if fits(message) {
        passedOver.remove(at: index)
        return message
      }
    }
    while true {
      let text = try read()
      let message = try JSONValue(parsing: text)
      if fits(message) { return message }
      passedOver.append(text)
    }
  }

  /// The response to a request that ``ask(_:_:)`` sent.
  package func response(to id: Int) throws -> JSONValue { try receive { $0["id"] == JSONValue(id) } }

  /// The params of the next notification of a method.
  package func notification(_ method: String) throws -> JSONValue {
    try receive { $0["method"]?.string == method && $0["id"] == nil }["params"] ?? .null
  }

  /// Calls a method.
  ///
  /// - Returns: Its result.
  /// - Throws: ``Failure/refused(_:)`` with the error object of an answer that is one.
  @discardableResult
  package func call(_ method: String, _ params: JSONValue? = nil) throws -> JSONValue {
    let response = try response(to: ask(method, params))
    guard let result = response["result"] else { throw Failure.refused(response["error"] ?? .null) }
    return result
  }

  /// The error that a call is answered with; `nil` when it succeeds.
  package func refusal(_ method: String, _ params: JSONValue? = nil) throws -> JSONValue? {
    try response(to: ask(method, params))["error"]
  }

  /// All messages until the agent ends the connection.
  package func receiveRest() throws -> [JSONValue] {
    var messages: [JSONValue] = []
    do { while true { messages.append(try receive()) } } catch Failure.ended { return messages }
  }

  private func read() throws -> String {
    while true {
      if let message = try takeMessage() { return String(decoding: message, as: UTF8.self) }
      try fill()
    }
  }

  /// Reads bytes without looking at them.
  package func readRaw(_ count: Int) throws -> [UInt8] {
    while received.count - position < count { try fill() }
    defer { position += count }
    return Array(received[position..<position + count])
  }

  private func fill() throws {
    if position > 0 {
      received.removeFirst(position)
      position = 0
    }
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = recv(socket, &chunk, chunk.count, 0)
      if count > 0 { return received += chunk[..<count] }
      guard count < 0, errno == EAGAIN else { throw Failure.ended }
      try wait(for: POLLIN)
    }
  }

  private func takeMessage() throws -> ArraySlice<UInt8>? {
    switch framing {
    case .newline:
      guard let end = received[position...].firstIndex(of: 0x0A) else { return nil }
      defer { position = end + 1 }
      return received[position..<end]
    case .contentLength:
      let name = Array("Content-Length: ".utf8)
      guard let end = received[position...].firstIndex(of: 0x0A), end + 2 < received.count else { return nil }
      // The header is to be this one alone.
      let header = received[position..<end + 3]
      guard header.starts(with: name), header.suffix(4).elementsEqual("\r\n\r\n".utf8),
        let length = Int(String(decoding: header.dropFirst(name.count).dropLast(4), as: UTF8.self))
      else { throw Failure.badFrame(String(decoding: header, as: UTF8.self)) }
      guard received.count >= end + 3 + length else { return nil }
      defer { position = end + 3 + length }
      return received[end + 3..<end + 3 + length]
    }
  }

  private func wait(for events: CInt) throws {
    var poll = pollfd(fd: socket, events: Int16(events), revents: 0)
    guard Glibc.poll(&poll, 1, Self.patience) > 0 else { throw Failure.timedOut }
  }

  // MARK: The end

  /// Says that nothing more will be sent; answers can still come.
  package func finishSending() { shutdown(socket, CInt(SHUT_WR)) }

  /// Hangs up at once.
  package func close() {
    guard socket >= 0 else { return }
    Glibc.close(socket)
    socket = -1
  }
}
