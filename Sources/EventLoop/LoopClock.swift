public import Timing

/// The time of day and the passing of time, as the agent's code sees them; a test puts its own in place.
@Loop
public protocol LoopClock: AnyObject, Sendable {
  /// The wall clock, which people and backends read; it may jump.
  var now: Timestamp { get }
  /// Nanoseconds on a clock that only goes forward, for measuring lengths; its zero means nothing.
  var uptime: Int64 { get }
  /// Calls `body` once the wall clock shows `time` or later; a jump of the clock is noticed.
  func alarm(at time: Timestamp, _ body: @escaping @Loop () -> Void) -> Alarm
  /// Calls `body` once after `delay`, whatever the wall clock does.
  func alarm(after delay: Duration, _ body: @escaping @Loop () -> Void) -> Alarm
}

extension LoopClock {
  /// Waits for a length of time.
  ///
  /// - Parameter delay: How long; zero and less return at once.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(for delay: Duration) async throws {
    try Task.checkCancellation()
    guard delay > .zero else { return }
    try await wait { self.alarm(after: delay, $0) }
  }

  /// Waits until the wall clock shows a time.
  ///
  /// - Parameter time: The time; one that is past returns at once.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(until time: Timestamp) async throws {
    try Task.checkCancellation()
    guard time > now else { return }
    try await wait { self.alarm(at: time, $0) }
  }

  private func wait(_ set: (@escaping @Loop () -> Void) -> Alarm) async throws {
    let gate = Gate()
    let alarm = set { gate.open() }
    defer { alarm.cancel() }
    try await gate.wait()
  }

  /// Runs `body`, and cancels it when it takes longer than `limit`.
  ///
  /// - Parameters:
  ///   - limit: The most it may take; `nil` for no limit.
  ///   - body: The work; it must react to cancellation.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; ``TimeoutError`` when the limit was reached and `body` threw because of it.
  public func withTimeout<T: Sendable>(
    _ limit: Duration?, _ body: @escaping @Loop @Sendable () async throws -> T
  ) async throws -> T {
    guard let limit else { return try await body() }
    let task = Loop.task(body)
    var timedOut = false
    let alarm = alarm(after: limit) {
      timedOut = true
      task.cancel()
    }
    defer { alarm.cancel() }
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      throw timedOut ? TimeoutError(limit: limit) : error
    }
  }
}
