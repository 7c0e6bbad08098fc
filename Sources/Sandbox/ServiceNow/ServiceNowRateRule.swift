internal import Timing

/// A rule of so many requests per hour; what was counted comes into force every 30 seconds, and so it bites late.
struct ServiceNowRateRule: Sendable {
  static let id = "4f0c0d1b2f3a4e5d8c7b6a5948372615"

  private var hour: Int64 = .min
  private var halfMinute: Int64 = .min
  private var counted = 0
  private var waiting = 0

  /// Counts one more request, unless the limit is known to be reached.
  mutating func allows(_ limit: Int, at now: Timestamp) -> Bool {
    if now.seconds / 3600 != hour { (hour, counted, waiting) = (now.seconds / 3600, 0, 0) }
    if now.seconds / 30 != halfMinute {
      halfMinute = now.seconds / 30
      counted += waiting
      waiting = 0
    }
    guard counted < limit else { return false }
    waiting += 1
    return true
  }

  /// When the count begins anew, in seconds since 1970.
  static func reset(at now: Timestamp) -> Int64 { (now.seconds / 3600 + 1) * 3600 }
}
