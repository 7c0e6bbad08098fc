public import EventLoop

/// Work that is under way once, however many wait for it.
@Loop public final class SingleFlight<Value: Sendable, Failure: Error> {
  public typealias Outcome = Result<Value, Failure>

  public private(set) var isRunning = false
  private var waiters: [Int: CheckedContinuation<Outcome?, Never>] = [:]
  private var nextWaiter = 0

  public init() {}

  /// Waits for the work under way, or for `work` when there is none.
  ///
  /// - Parameter work: It goes on when a caller is cancelled, for the others' sake.
  /// - Returns: What came of it; nil as soon as the caller is cancelled.
  public func outcome(of work: @escaping @Loop @Sendable () async -> Outcome) async -> Outcome? {
    let id = nextWaiter
    nextWaiter += 1
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled { return continuation.resume(returning: nil) }
        waiters[id] = continuation
        if !isRunning { start(work) }
      }
    } onCancel: {
      Loop.run { self.waiters.removeValue(forKey: id)?.resume(returning: nil) }
    }
  }

  private func start(_ work: @escaping @Loop @Sendable () async -> Outcome) {
    isRunning = true
    Loop.task {
      let outcome = await work()
      self.isRunning = false
      let waiting = self.waiters
      self.waiters = [:]
      for continuation in waiting.values { continuation.resume(returning: outcome) }
    }
  }
}
