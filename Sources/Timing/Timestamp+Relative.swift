extension Timestamp {
  /// How long ago or ahead this is, for a table: "now", "40 s ago", "3 min ago", "in 2 h", "12 d ago".
  ///
  /// The largest unit that fits at least once, rounded down; "now" is less than a second either way.
  /// - Parameter now: The moment from which it is seen.
  /// - Returns: The text, in English.
  public func relativeText(now: Timestamp) -> String {
    let distance = abs(milliseconds - now.milliseconds) / 1000
    let length: String
    switch distance {
    case 0: return "now"
    case ..<60: length = "\(distance) s"
    case ..<3600: length = "\(distance / 60) min"
    case ..<86_400: length = "\(distance / 3600) h"
    default: length = "\(distance / 86_400) d"
    }
    return self < now ? "\(length) ago" : "in \(length)"
  }
}
