internal import Timing

/// Counts requests per second of the sandbox's clock.
struct RateLimit {
  private var second: Int64 = .min
  private var count = 0

  /// Whether one more request in this second stays within `limit`.
  mutating func allows(_ limit: Int, at now: Timestamp) -> Bool {
    if now.seconds != second { (second, count) = (now.seconds, 0) }
    count += 1
    return count <= limit
  }
}
