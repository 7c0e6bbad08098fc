/// A day of the proleptic Gregorian calendar, with no time zone.
public struct CivilDate: Hashable, Comparable, Sendable {
  /// The year; 0 is 1 BC.
  public let year: Int
  /// The month, 1 to 12.
  public let month: Int
  /// The day of the month, 1 to 31.
  public let day: Int

  /// Makes a date, or nil when the calendar has no such day.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...12).contains(month), day >= 1, day <= Self.daysIn(month: month, of: year) else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Makes the date that is so many days after 1970-01-01 (before it, when negative).
  public init(daysSinceEpoch: Int) {
    let days = daysSinceEpoch + Self.daysBefore(year: 1970)
    // 400 years have 146,097 days, so the estimate is off by one year at most.
    var year = (days * 400).dividedDown(by: 146_097).quotient
    while Self.daysBefore(year: year) > days { year -= 1 }
    while Self.daysBefore(year: year + 1) <= days { year += 1 }
    var dayOfYear = days - Self.daysBefore(year: year)
    var month = 1
    while dayOfYear >= Self.daysIn(month: month, of: year) {
      dayOfYear -= Self.daysIn(month: month, of: year)
      month += 1
    }
    self.year = year
    self.month = month
    self.day = dayOfYear + 1
  }

  /// Days since 1970-01-01, negative before it.
  public var daysSinceEpoch: Int {
    var days = Self.newYear(year) + day - 1
    for earlier in 1..<month { days += Self.daysIn(month: earlier, of: year) }
    return days
  }

  /// The day of the week, 0 (Sunday) to 6 (Saturday).
  public var weekday: Int {
    (daysSinceEpoch + 4).dividedDown(by: 7).remainder
  }

  public static func < (left: Self, right: Self) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }

  static func isLeap(_ year: Int) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }

  static func daysIn(month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days from 1970-01-01 to the first of January of `year`.
  static func newYear(_ year: Int) -> Int { daysBefore(year: year) - daysBefore(year: 1970) }

  /// Days from the first of January of the year 0 to that of `year`.
  private static func daysBefore(year: Int) -> Int {
    let last = year - 1
    let leapYears =
      last.dividedDown(by: 4).quotient - last.dividedDown(by: 100).quotient + last.dividedDown(by: 400).quotient + 1
    return year * 365 + leapYears
  }
}

extension CivilDate: CustomStringConvertible {
  /// The date as ISO 8601 writes it, 2026-11-30.
  public var description: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }
}
