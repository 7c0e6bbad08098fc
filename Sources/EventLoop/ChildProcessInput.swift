internal import Glibc

/// Writes a child's standard input, at the end of a turn and then as the child takes it; what it doesn't take is dropped
/// when it ends.
@Loop
final class ChildProcessInput: Flushable {
  let pipe: ChildProcessPipe
  private var watch: Descriptor?
  private var queue: [UInt8] = []
  private var sent = 0
  private var endsWhenWritten = false
  private var isClosed = false
  private var isQueued = false

  /// Opens the pipe; there is none for ``ChildProcess/Input/null``.
  init?(_ input: ChildProcess.Input) throws(SystemError) {
    switch input {
    case .null: return nil
    case .bytes(let bytes):
      queue = bytes
      endsWhenWritten = true
    case .pipe: break
    }
    pipe = try ChildProcessPipe(.toChild, isForMessages: !endsWhenWritten)
  }

  /// Begins to write, once the child has its end.
  func start() throws(SystemError) {
    pipe.closeFar()
    watch = try Descriptor(pipe.near, interest: .writable) { _ in self.ready() }
  }

  var unwritten: Int { queue.count - sent }

  func write(_ body: (inout [UInt8]) -> Void) {
    guard !isClosed, !endsWhenWritten else { return }
    body(&queue)
    guard !isQueued else { return }
    isQueued = true
    Loop.flushAtEndOfTurn(self)
  }

  /// Writes what the turn has gathered; what the pipe has no room for waits until it has.
  func flush() {
    isQueued = false
    guard !isClosed, sent < queue.count, watch?.interest == [] else { return }
    send()
    if sent < queue.count { watch?.interest = .writable }
  }

  func end() {
    endsWhenWritten = true
    watch?.interest = .writable
  }

  /// An error says that nobody reads; with nothing to write epoll reports that unasked.
  private func ready() {
    if sent == queue.count, !hasReader { return close() }
    send()
  }

  private func send() {
    if sent < queue.count {
      let count = queue.withUnsafeBytes { Glibc.write(pipe.near, $0.baseAddress.map { $0 + sent }, $0.count - sent) }
      if count < 0 { return errno == EAGAIN || errno == EINTR ? () : close() }
      sent += count
      if sent > 1 << 20, sent < queue.count {
        queue.removeFirst(sent)
        sent = 0
      }
    }
    guard sent == queue.count else { return }
    queue = []
    sent = 0
    if endsWhenWritten { close() } else { watch?.interest = [] }
  }

  private var hasReader: Bool {
    var poll = pollfd(fd: pipe.near, events: 0, revents: 0)
    return Glibc.poll(&poll, 1, 0) == 0
  }

  func close() {
    isClosed = true
    watch?.cancel()
    watch = nil
    queue = []
    sent = 0
    pipe.closeNear()
  }
}
