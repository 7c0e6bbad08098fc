/// A wait that ends once: when somebody opens the gate, or the waiting task is cancelled.
///
/// One task at a time may wait.
@Loop
public final class Gate {
  public private(set) var isOpen = false
  private var waiter: CheckedContinuation<Void, any Error>?

  public init() {}

  /// Lets the waiter go on, and everybody who comes later.
  public func open() {
    isOpen = true
    waiter?.resume()
    waiter = nil
  }

  /// Shuts the gate again, so that it can be waited for once more.
  public func close() { isOpen = false }

  /// Waits until the gate is open.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func wait() async throws {
    if isOpen { return }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        if Task.isCancelled {
          continuation.resume(throwing: CancellationError())
        } else {
          waiter = continuation
        }
      }
    } onCancel: {
      Loop.run { self.cancelWaiter() }
    }
  }

  private func cancelWaiter() {
    waiter?.resume(throwing: CancellationError())
    waiter = nil
  }
}
