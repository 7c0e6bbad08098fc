internal import Timing

/// Counts requests per window of the sandbox's clock.
package struct RateLimit: Sendable {
  private let window: Int64
  private var current: Int64 = .min
  private var count = 0

  /// - Parameter seconds: the length of a window.
  init(per seconds: Int64 = 1) { window = seconds }

  /// Whether one more request in this window stays within `limit`.
  mutating func allows(_ limit: Int, at now: Timestamp) -> Bool {
    let window = now.seconds / window
    if window != current { (current, count) = (window, 0) }
    count += 1
    return count <= limit
  }

  /// The seconds until the next window begins.
  func secondsLeft(at now: Timestamp) -> Int64 { window - now.seconds % window }
}
