internal import Glibc
internal import JSON

/// One connection to the agent: JSON-RPC 2.0, a message per line, by blocking calls.
final class AgentConnection {
  /// What comes while nothing is asked.
  enum Incoming {
    case message(JSONValue)
    /// The person wants to end, or nobody reads the output any more.
    case interrupted
  }

  private static let chunk = 65536
  /// What the agent passes on from a backend may be deeper and have larger numbers than a request may.
  private static let lenient = JSONParsingOptions(maxDepth: JSONParsingOptions.depthLimit, largeIntegers: .asReal)

  private static let identification: [UInt8] = {
    let params: JSONValue = ["name": "ringi", "version": JSONValue(version)]
    let message: JSONValue = ["jsonrpc": "2.0", "method": "agent.identify", "params": params]
    return message.utf8 + [UInt8(ascii: "\n")]
  }()

  private let descriptor: Int32
  private let path: String
  private var received: [UInt8] = []
  /// How much of `received` was given out as messages, and how much is known to hold no line break.
  private var consumed = 0
  private var searched = 0
  /// Messages that came before the answer that was waited for.
  private var queue: [JSONValue] = []
  private var lastID: Int64 = 0

  /// Connects to the socket at `path`.
  ///
  /// - Throws: `Failure` with `.agentUnreachable`.
  init(path: String) throws(Failure) {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Self.unreachable(path, errno) }
    guard Self.connect(descriptor, to: path) else { throw Self.unreachable(path, errno) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Calls a method and waits for its answer; other messages that come are kept for `next`.
  ///
  /// - Parameters:
  ///   - method: The method's name.
  ///   - params: An array or an object.
  ///   - deadline: When to stop waiting.
  ///   - progress: Called with what the agent says of how far it has come.
  /// - Returns: The result.
  /// - Throws: `Failure` for an error answer, and when no answer comes.
  func call(
    _ method: String, _ params: JSONValue, deadline: Deadline, progress: ((JSONValue) -> Void)? = nil
  ) throws(Failure) -> JSONValue {
    lastID += 1
    let id = lastID
    let request: JSONValue = [
      "jsonrpc": "2.0", "id": JSONValue(id), "method": JSONValue(method), "params": params,
    ]
    // The agent's audit log is to tell that it was this program; no answer comes, so nothing waits for it.
    var bytes = id == 1 ? Self.identification : []
    bytes += request.utf8
    bytes.append(UInt8(ascii: "\n"))
    try send(bytes, method: method, deadline: deadline)
    while true {
      let message = try receive(method: method, deadline: deadline)
      if let progress, message["method"]?.string == "$/progress" {
        progress(message["params"]?["value"] ?? .null)
        continue
      }
      guard message["method"] == nil, message["id"]?.int == id || message["id"]?.isNull == true else {
        queue.append(message)
        continue
      }
      if let error = message["error"] { throw AgentError(error).failure }
      guard let result = message["result"] else { throw Self.unintelligible("neither a result nor an error") }
      return result
    }
  }

  /// Waits for the next message, for a sign on the descriptor `interruption`, or for the reader of the descriptor
  /// `output` to go away, whichever comes first.
  ///
  /// - Throws: `Failure` with `.agentUnreachable` when the agent goes away.
  func next(interruption: Int32?, output: Int32?) throws(Failure) -> Incoming {
    if !queue.isEmpty { return .message(queue.removeFirst()) }
    while true {
      if let message = try bufferedMessage() { return .message(message) }
      var watched = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: interruption ?? -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: output ?? -1, events: 0, revents: 0),
      ]
      guard poll(&watched, nfds_t(watched.count), -1) > 0 else { continue }
      if watched[1].revents != 0 || watched[2].revents != 0 { return .interrupted }
      if watched[0].revents != 0, try !read() {
        throw Failure(
          .agentUnreachable, "The agent closed the connection.",
          advice: ["It was stopped, or it died: `ringi status` says whether it is back."])
      }
    }
  }

  private func receive(method: String, deadline: Deadline) throws(Failure) -> JSONValue {
    while true {
      if let message = try bufferedMessage() { return message }
      try wait(for: POLLIN, method: method, deadline: deadline)
      guard try read() else {
        throw Failure(
          .agentUnreachable, "The agent closed the connection before it answered \(method).",
          advice: ["It was stopped, or it died: `ringi status` says whether it is back."])
      }
    }
  }

  /// Takes the next whole line from what was received.
  private func bufferedMessage() throws(Failure) -> JSONValue? {
    guard let end = received[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      received.removeFirst(consumed)
      consumed = 0
      searched = received.count
      return nil
    }
    defer {
      consumed = end + 1
      searched = end + 1
    }
    do {
      return try JSONValue(parsing: received[consumed..<end], options: Self.lenient)
    } catch {
      throw Self.unintelligible(error.message)
    }
  }

  /// Reads what is there; false at the end of the stream.
  private func read() throws(Failure) -> Bool {
    let old = received.count
    received.append(contentsOf: repeatElement(0, count: Self.chunk))
    let count = received.withUnsafeMutableBytes { bytes in
      Glibc.read(descriptor, bytes.baseAddress.map { $0 + old }, Self.chunk)
    }
    let error = errno
    received.removeLast(Self.chunk - max(0, count))
    if count < 0, error != EINTR, error != EAGAIN { throw Self.unreachable(path, error) }
    return count != 0
  }

  private func send(_ bytes: [UInt8], method: String, deadline: Deadline) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      try wait(for: POLLOUT, method: method, deadline: deadline)
      // Without MSG_NOSIGNAL an agent that went away would end this process without a word.
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR, errno != EAGAIN {
        throw Self.unreachable(path, errno)
      }
    }
  }

  private func wait(for events: Int32, method: String, deadline: Deadline) throws(Failure) {
    var watched = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while true {
      let ready = poll(&watched, 1, deadline.pollTimeout)
      if ready > 0 { return }
      if ready == 0 {
        throw Failure(
          .temporary, "The agent has not answered \(method) in time; what was asked may still happen.",
          advice: ["Wait longer with --timeout, such as --timeout 5m, or look at what it does with `ringi status`."])
      }
      guard errno == EINTR else { throw Self.unreachable(path, errno) }
    }
  }

  private static func connect(_ descriptor: Int32, to path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8.prefix(SocketPath.limit))
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    while true {
      let result = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
      }
      if result == 0 { return true }
      if errno != EINTR { return false }
    }
  }

  private static func unreachable(_ path: String, _ error: Int32) -> Failure {
    Failure(
      .agentUnreachable, "No agent answers at \(path): \(SystemMessage.text(error)).",
      advice: ["Start it with `ringid`, or name its socket with --socket PATH or RINGI_SOCKET."])
  }

  private static func unintelligible(_ what: String) -> Failure {
    Failure(
      .unknownOutcome, "What answers at the socket does not speak JSON-RPC 2.0: \(what).",
      advice: ["Name the agent's own socket with --socket PATH or RINGI_SOCKET."])
  }
}
