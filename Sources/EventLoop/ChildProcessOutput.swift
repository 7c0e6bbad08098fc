internal import Glibc

/// Reads what a child writes to its standard output or error, whether anybody wants all of it or not, so that the child
/// never waits for a reader.
@Loop
final class ChildProcessOutput {
  let pipe: ChildProcessPipe
  private var output: ChildProcess.Output
  private var watch: Descriptor?
  private var isClosed = false
  private(set) var captured = ChildProcess.Captured()

  /// One read's worth, shared by all, since only the loop's thread reads.
  private static let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: ChildProcessPipe.messageBytes, alignment: 16)

  /// The most that a pipe can hold unless root has raised it (pipe(7)): what a child wrote before its end is in here.
  private static let maxPipeBytes = 1 << 20

  /// Opens the pipe; there is none for ``ChildProcess/Output/null``.
  init?(_ output: ChildProcess.Output) throws(SystemError) {
    if case .null = output { return nil }
    self.output = output
    let isForMessages = if case .pipe = output { true } else { false }
    pipe = try ChildProcessPipe(.fromChild, isForMessages: isForMessages)
  }

  /// Begins to read, once the child has its end.
  func start() throws(SystemError) {
    pipe.closeFar()
    watch = try Descriptor(pipe.near, interest: .readable) { _ in
      if self.readSome() == 0 { self.end() }
    }
  }

  /// Whether the child has to wait with what it writes; its end is noticed all the same.
  var isPaused = false {
    didSet { watch?.interest = isPaused ? [] : .readable }
  }

  /// Reads what is left after the child's end, without waiting for whoever else may hold the pipe open.
  func finish() {
    var total = 0
    while !isClosed, total < Self.maxPipeBytes {
      let count = readSome()
      guard count > 0 else { break }
      total += count
    }
    end()
  }

  /// Reads once.
  ///
  /// - Returns: How many bytes came; 0 at the end, -1 when there are none now.
  private func readSome() -> Int {
    guard !isClosed else { return 0 }
    let count = read(pipe.near, Self.buffer.baseAddress, Self.buffer.count)
    if count < 0 { return errno == EAGAIN || errno == EINTR ? -1 : 0 }
    if count > 0 { take(UnsafeRawBufferPointer(rebasing: Self.buffer[..<count])) }
    return count
  }

  private func take(_ bytes: UnsafeRawBufferPointer) {
    switch output {
    case .null: break
    case .captured(let limit):
      let kept = min(bytes.count, max(0, limit - captured.bytes.count))
      captured.bytes.append(contentsOf: bytes[..<kept])
      captured.omitted += bytes.count - kept
    case .pipe(let handler): handler(bytes)
    }
  }

  private func end() {
    guard !isClosed else { return }
    close()
    guard case .pipe(let handler) = output else { return }
    // Whoever owns the child may be what the handler holds.
    output = .null
    handler(UnsafeRawBufferPointer(start: nil, count: 0))
  }

  func close() {
    isClosed = true
    watch?.cancel()
    watch = nil
    pipe.closeNear()
  }
}
