internal import EventLoop

/// A thread for calls that a file system may keep waiting for ever; the loop waits for a while only.
@Loop
final class SideThread {
  private var thread: SerialThread?
  /// How much has been given to it and is not done.
  private var pending = 0

  @Loop
  private final class Answer<T: Sendable> {
    var value: T?
    let isThere = Gate()
  }

  /// What a hung file system may leave waiting; beyond it nothing more is tried.
  private static let most = 4096

  /// Does something on the thread.
  ///
  /// - Parameters:
  ///   - limit: How long to wait.
  ///   - clock: Measures that.
  ///   - work: What may block.
  /// - Returns: What `work` returns; nil when it has not come to an end in time.
  func perform<T: Sendable>(
    within limit: Duration, _ clock: any LoopClock, _ work: @escaping @Sendable () -> T
  ) async -> T? {
    guard pending < Self.most, let thread = started() else { return nil }
    let answer = Answer<T>()
    pending += 1
    thread.perform {
      let value = work()
      Loop.run {
        self.pending -= 1
        answer.value = value
        answer.isThere.open()
      }
    }
    let alarm = clock.alarm(after: limit) { answer.isThere.open() }
    // Whoever is cancelled waits no longer.
    try? await answer.isThere.wait()
    alarm.cancel()
    return answer.value
  }

  private func started() -> SerialThread? {
    if let thread { return thread }
    let new = SerialThread()
    guard (try? new.start()) != nil else { return nil }
    thread = new
    return new
  }

  deinit { thread?.stop() }
}
