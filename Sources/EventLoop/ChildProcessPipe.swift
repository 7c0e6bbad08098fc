internal import CLinux
internal import Glibc

/// The two ends of a pipe between the agent and a child: the near one non-blocking, the far one for the child.
@Loop
final class ChildProcessPipe {
  enum Direction { case toChild, fromChild }

  private(set) var near: CInt
  /// Never one of the standard three, so that it can be put in their place in any order.
  private(set) var far: CInt

  /// What a pipe for messages is to hold, so that one of 64 KiB goes through it in one go.
  static let messageBytes = 128 << 10

  /// Opens a pipe.
  ///
  /// - Parameters:
  ///   - direction: Who writes.
  ///   - isForMessages: Whether both sides go on talking; a larger pipe is not to be had where the user has many
  ///     (pipe-user-pages-soft of pipe(7)), and not needed.
  /// - Throws: `SystemError`.
  init(_ direction: Direction, isForMessages: Bool) throws(SystemError) {
    var ends: [CInt] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemError.last("pipe2") }
    near = ends[direction == .toChild ? 1 : 0]
    far = ends[direction == .toChild ? 0 : 1]
    // Each end is an open file of its own: the child's stays blocking, as programs expect.
    guard fcntl(near, F_SETFL, O_NONBLOCK) == 0 else { throw SystemError.last("fcntl") }
    if isForMessages { _ = fcntl(near, ringi_set_pipe_size, CInt(Self.messageBytes)) }
    guard far <= STDERR_FILENO else { return }
    let higher = fcntl(far, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    guard higher >= 0 else { throw SystemError.last("fcntl") }
    Glibc.close(far)
    far = higher
  }

  deinit {
    if far >= 0 { Glibc.close(far) }
    if near >= 0 { Glibc.close(near) }
  }

  func closeFar() {
    if far >= 0 { Glibc.close(far) }
    far = -1
  }

  func closeNear() {
    if near >= 0 { Glibc.close(near) }
    near = -1
  }
}
