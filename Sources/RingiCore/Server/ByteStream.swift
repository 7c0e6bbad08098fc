internal import CLinux
package import EventLoop
internal import Glibc

/// What a byte stream tells its owner.
@Loop
package protocol ByteStreamDelegate: AnyObject, Sendable {
  /// Bytes came; they are gone when this returns.
  func received(_ bytes: UnsafeBufferPointer<UInt8>)
  /// The other end sends no more; it may still read.
  func inputEnded()
  /// The other end is gone, or the stream failed; nothing can be sent any more.
  func disconnected()
  /// What was to be sent has left, down to nothing.
  func drained()
  /// The turn ends: the last moment to add output to it.
  func turnEnds()
}

/// A non-blocking stream of bytes: a connected socket, or the two ends of standard input and output.
///
/// Output gathers in ``outbox`` during a turn and is written once, at the turn's end. An idle stream holds no buffer.
@Loop
package final class ByteStream: Flushable {
  /// Held until the stream closes.
  package var delegate: (any ByteStreamDelegate)?

  private let input: CInt
  private let output: CInt
  private var reads: Kind
  private var writes: Kind
  private var reader: Descriptor?
  private var writer: Descriptor?

  private var outbox: [UInt8] = []
  private var sent = 0
  private var isQueued = false
  private var isBlocked = false
  private var inputHasEnded = false
  private var isPaused = false
  private(set) var isClosed = false

  /// How the kernel wants a descriptor treated.
  private enum Kind {
    /// `recv` and `send`, which take a flag instead of changing the descriptor for everybody who shares it.
    case socket
    /// A pipe or terminal, opened anew so that its non-blocking mode is ours alone.
    case pipe
    /// A regular file, which never blocks and can't be watched.
    case file
  }

  /// One read's worth, shared by all streams, since only the loop's thread reads.
  private static let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64 << 10)

  /// Takes over a connected socket.
  package init(socket: CInt) throws(SystemError) {
    input = socket
    output = socket
    reads = .socket
    writes = .socket
    reader = try Descriptor(socket, interest: [.readable, .readHangUp]) { [unowned self] in self.ready($0) }
    writer = reader
  }

  /// Takes over standard input and output, or a pair like them.
  package init(input: CInt, output: CInt) throws(SystemError) {
    (self.input, reads) = Self.adopt(input, O_RDONLY)
    (self.output, writes) = Self.adopt(output, O_WRONLY)
    if reads != .file { reader = try Self.unlessUnwatchable(&reads) { () throws(SystemError) in try watchInput() } }
    if writes != .file { writer = try Self.unlessUnwatchable(&writes) { () throws(SystemError) in try watchOutput() } }
    if reads == .file {
      Loop.flushAtEndOfTurn(self)
      isQueued = true
    }
  }

  /// A device that epoll refuses never blocks either: /dev/null, say.
  private static func unlessUnwatchable(
    _ kind: inout Kind, _ watch: () throws(SystemError) -> Descriptor
  ) throws(SystemError) -> Descriptor? {
    do throws(SystemError) {
      return try watch()
    } catch {
      guard error.code == EPERM else { throw error }
      kind = .file
      return nil
    }
  }

  private func watchOutput() throws(SystemError) -> Descriptor {
    try Descriptor(output, interest: []) { [unowned self] in self.writable($0) }
  }

  private func watchInput() throws(SystemError) -> Descriptor {
    try Descriptor(input, interest: .readable) { [unowned self] in self.readable($0) }
  }

  private static func adopt(_ descriptor: CInt, _ mode: CInt) -> (CInt, Kind) {
    var status = stat()
    fstat(descriptor, &status)
    switch status.st_mode & S_IFMT {
    case S_IFSOCK: return (descriptor, .socket)
    case S_IFREG: return (descriptor, .file)
    default:
      let own = open("/proc/self/fd/\(descriptor)", mode | O_NONBLOCK | O_CLOEXEC)
      return (own >= 0 ? own : descriptor, .pipe)
    }
  }

  // MARK: Output

  /// Bytes that have not left yet.
  package var unsent: Int { outbox.count - sent }

  /// Appends output; it leaves at the end of the turn.
  @inline(__always)
  package func write<T>(_ body: (inout [UInt8]) throws -> T) rethrows -> T {
    if !isQueued { queue() }
    return try append(body)
  }

  /// Appends output for ``sendUnlessQueued()`` to send.
  @inline(__always)
  package func append<T>(_ body: (inout [UInt8]) throws -> T) rethrows -> T {
    if outbox.isEmpty { outbox = BufferPool.take() }
    return try body(&outbox)
  }

  /// Sends what was appended; with output that leaves at the end of the turn anyway, it leaves then, too.
  package func sendUnlessQueued() {
    if !isQueued, !isBlocked, !isClosed { send() }
  }

  private func queue() {
    isQueued = true
    Loop.flushAtEndOfTurn(self)
  }

  package func flush() {
    isQueued = false
    guard !isClosed else { return }
    if reads == .file, !inputHasEnded, !isPaused { readSome() }
    delegate?.turnEnds()
    if !isClosed, !isBlocked { send() }
    if reads == .file, !inputHasEnded, !isPaused, !isClosed, !isQueued { queue() }
  }

  private func send() {
    guard sent < outbox.count else { return }
    while sent < outbox.count {
      let count = Self.transmit(outbox, from: sent, to: output, writes)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return block() }
      if count < 0 { return fail() }
      sent += count
    }
    BufferPool.give(&outbox)
    sent = 0
    delegate?.drained()
  }

  /// Writes what the descriptor takes, and returns what the system call does.
  ///
  /// Outside the loop's isolation, where a closure need not prove its thread each time.
  private nonisolated static func transmit(
    _ bytes: [UInt8], from start: Int, to descriptor: CInt, _ kind: Kind
  ) -> Int {
    bytes.withUnsafeBytes { bytes in
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
      return kind == .socket
        ? Glibc.send(descriptor, rest.baseAddress, rest.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
        : Glibc.write(descriptor, rest.baseAddress, rest.count)
    }
  }

  private func block() {
    isBlocked = true
    if sent > 1 << 20 {
      outbox.removeFirst(sent)
      sent = 0
    }
    updateInterest()
  }

  // MARK: Input

  /// Stops reading, so that the other end feels that we don't keep up.
  package func pause() {
    isPaused = true
    updateInterest()
  }

  package func resume() {
    isPaused = false
    if reader == nil, reads == .pipe, !inputHasEnded, !isClosed {
      // It was let go of when its writer left; what is in the pipe is still to be read.
      do { reader = try watchInput() } catch { return fail() }
    }
    updateInterest()
    if reads == .file, !isQueued { queue() }
  }

  private func updateInterest() {
    guard !isClosed else { return }
    let reading: Readiness = isPaused || inputHasEnded ? [] : [.readable, .readHangUp]
    let writing: Readiness = isBlocked ? .writable : []
    if reader === writer {
      reader?.interest = [reading, writing]
    } else {
      reader?.interest = reading
      writer?.interest = writing
    }
  }

  /// One descriptor for both directions.
  private func ready(_ readiness: Readiness) {
    writable(readiness)
    readable(readiness)
  }

  private func writable(_ readiness: Readiness) {
    guard !isClosed else { return }
    if readiness.contains(.writable) {
      isBlocked = false
      updateInterest()
      send()
    }
    if !isClosed, reader !== writer, !readiness.isDisjoint(with: [.hangUp, .error]) { fail() }
  }

  private func readable(_ readiness: Readiness) {
    guard !isClosed else { return }
    let isHungUp = !readiness.isDisjoint(with: [.hangUp, .error])
    if !inputHasEnded, !isPaused, isHungUp || !readiness.isDisjoint(with: [.readable, .readHangUp]) {
      // What was sent before the end is read to its end, a piece a turn.
      readSome()
    } else if isHungUp {
      hungUp()
    }
  }

  /// Nobody is at the other end, which epoll says for ever from now on.
  private func hungUp() {
    if reader === writer { return fail() }
    reader?.cancel()
    reader = nil
  }

  private func readSome() {
    let buffer = Self.buffer
    let count =
      reads == .socket
      ? recv(input, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
      : read(input, buffer.baseAddress, buffer.count)
    if count > 0 {
      delegate?.received(UnsafeBufferPointer(rebasing: buffer[..<count]))
    } else if count == 0 {
      inputHasEnded = true
      updateInterest()
      delegate?.inputEnded()
    } else if errno != EAGAIN, errno != EINTR {
      fail()
    }
  }

  // MARK: End

  private func fail() {
    guard !isClosed, let delegate else { return close() }
    close()
    delegate.disconnected()
  }

  /// Closes both ends; what was not sent is lost.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    delegate = nil
    reader?.cancel()
    if writer !== reader { writer?.cancel() }
    reader = nil
    writer = nil
    Glibc.close(input)
    if output != input { Glibc.close(output) }
    BufferPool.give(&outbox)
    sent = 0
  }
}
