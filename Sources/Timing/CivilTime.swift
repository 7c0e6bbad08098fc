/// A date and a time of day as a wall clock shows them, with no time zone.
public struct CivilTime: Hashable, Comparable, Sendable {
  public let date: CivilDate
  /// The hour, 0 to 23.
  public let hour: Int
  /// The minute, 0 to 59.
  public let minute: Int
  /// The second, 0 to 59.
  public let second: Int

  /// Makes a time, or nil when a part is out of range.
  public init?(_ date: CivilDate, hour: Int, minute: Int, second: Int = 0) {
    guard (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second) else { return nil }
    self.date = date
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// Makes the time that is so many seconds after 1970-01-01T00:00:00 on the same wall clock.
  public init(secondsSinceEpoch: Int64) {
    let (days, seconds) = secondsSinceEpoch.dividedDown(by: 86_400)
    let secondOfDay = Int(seconds)
    date = CivilDate(daysSinceEpoch: Int(days))
    hour = secondOfDay / 3600
    minute = secondOfDay / 60 % 60
    second = secondOfDay % 60
  }

  /// Seconds since 1970-01-01T00:00:00 on the same wall clock.
  public var secondsSinceEpoch: Int64 {
    Int64(date.daysSinceEpoch) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }

  public static func < (left: Self, right: Self) -> Bool {
    (left.date, left.hour, left.minute, left.second) < (right.date, right.hour, right.minute, right.second)
  }
}

extension CivilTime: CustomStringConvertible {
  /// The date and time as ISO 8601 writes them, 2026-11-30T05:09:00.
  public var description: String { "\(date)T\(timeOfDay)" }

  var timeOfDay: String { "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))" }
}
