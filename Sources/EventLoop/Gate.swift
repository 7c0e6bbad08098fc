/// A wait that ends when somebody opens the gate, or the waiting task is cancelled; any number of tasks may wait.
@Loop
public final class Gate {
  public private(set) var isOpen = false
  private var waiters: Waiters<Void>?

  public init() {}

  /// Lets everybody who waits go on, and everybody who comes later.
  public func open() {
    isOpen = true
    waiters?.end(())
    waiters = nil
  }

  /// Shuts the gate again, so that it can be waited for once more.
  public func close() { isOpen = false }

  /// Waits until the gate is open.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func wait() async throws {
    if isOpen { return }
    let waiters = waiters ?? Waiters()
    self.waiters = waiters
    try await waiters.wait()
  }
}
