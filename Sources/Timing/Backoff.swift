/// How long to wait before another attempt: exponential, with full jitter.
///
/// The wait before retry n is drawn evenly between nothing and `base` · 2^(n-1), or `cap` if that is less, so that many
/// who failed together don't come back together. With a base of 1 s and the cap of 15 min the upper ends are 1, 2, 4,
/// 8, 16, 32, 64, 128, 256, 512 s and, from the eleventh retry on, 900 s; the average wait is half of each.
public struct Backoff: Hashable, Sendable {
  /// The most that the first retry waits.
  public let base: Duration
  /// The most that any retry waits.
  public let cap: Duration

  /// Makes a backoff; a negative duration counts as zero, and a base over the cap as the cap.
  public init(base: Duration, cap: Duration = .seconds(15 * 60)) {
    self.cap = max(cap, .zero)
    self.base = min(max(base, .zero), self.cap)
  }

  /// The most that a retry waits.
  /// - Parameter attempt: 1 after the first failure in a row, 2 after the second; less counts as 1.
  /// - Returns: The upper end of what `delay` draws.
  public func limit(attempt: Int) -> Duration {
    var limit = base
    for _ in 1..<max(attempt, 1) {
      guard limit > .zero, limit < cap else { break }
      limit = limit > cap / 2 ? cap : limit * 2
    }
    return limit
  }

  /// Draws the wait before a retry.
  /// - Parameters:
  ///   - attempt: 1 after the first failure in a row, 2 after the second; less counts as 1.
  ///   - generator: Where the jitter comes from.
  /// - Returns: Whole milliseconds, from zero to `limit(attempt:)`.
  public func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
    .milliseconds(Int64.random(in: 0...limit(attempt: attempt).wholeMilliseconds, using: &generator))
  }

  /// Draws the wait before a retry with the system's random numbers.
  /// - Parameter attempt: 1 after the first failure in a row, 2 after the second; less counts as 1.
  /// - Returns: Whole milliseconds, from zero to `limit(attempt:)`.
  public func delay(attempt: Int) -> Duration {
    var generator = SystemRandomNumberGenerator()
    return delay(attempt: attempt, using: &generator)
  }
}
