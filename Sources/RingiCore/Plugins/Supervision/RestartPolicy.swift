internal import Timing

/// Whether and when a program that crashed is started again.
///
/// The wait doubles with each crash, and begins anew after a minute without one; five within a minute are enough.
struct RestartPolicy: Equatable {
  enum Step: Equatable {
    case restart(after: Duration)
    case giveUp
  }

  static let window = Duration.seconds(60)
  static let most = 5
  private static let backoff = Backoff(base: .seconds(1), cap: .seconds(60))

  /// When it crashed, within the last minute.
  private var recent: [Int64] = []
  private var attempt = 0

  /// Notes a crash.
  ///
  /// - Parameters:
  ///   - now: The clock's uptime, in nanoseconds.
  ///   - life: How long the program had run.
  /// - Returns: What to do.
  mutating func crashed(at now: Int64, after life: Duration) -> Step {
    recent = recent.filter { .nanoseconds(now - $0) < Self.window } + [now]
    attempt = life >= Self.window ? 1 : attempt + 1
    return recent.count >= Self.most ? .giveUp : .restart(after: Self.backoff.limit(attempt: attempt))
  }
}
