internal import CLinux

/// The loop's interest in one file descriptor, level-triggered.
///
/// The loop keeps it alive until ``cancel()``; it never closes the file descriptor.
@Loop
public final class Descriptor {
  public nonisolated let fileDescriptor: CInt

  /// What to be told of; empty hears of errors and hang-ups alone.
  public var interest: Readiness {
    didSet {
      if let slot, interest != oldValue { Loop.shared.executor.change(slot, fileDescriptor, to: interest) }
    }
  }

  let handler: @Loop (Readiness) -> Void
  private var slot: Int?

  /// Begins to watch a file descriptor.
  ///
  /// - Parameters:
  ///   - fileDescriptor: An open descriptor that epoll can watch; regular files are not.
  ///   - interest: What to be told of.
  ///   - handler: Called in each turn while the descriptor is ready.
  /// - Throws: ``SystemError`` when epoll refuses the descriptor.
  public init(
    _ fileDescriptor: CInt, interest: Readiness, handler: @escaping @Loop (Readiness) -> Void
  ) throws(SystemError) {
    self.fileDescriptor = fileDescriptor
    self.interest = interest
    self.handler = handler
    let (slot, result) = Loop.shared.executor.add(self, interest)
    guard result == 0 else { throw SystemError(result, "epoll_ctl") }
    self.slot = slot
  }

  /// Ends the interest; the handler is not called again.
  ///
  /// Call it before closing the file descriptor.
  public func cancel() {
    guard let slot else { return }
    self.slot = nil
    Loop.shared.executor.remove(slot, fileDescriptor)
  }
}
