/// A schedule in the five fields of crontab(5): minute, hour, day-of-month, month and day-of-week.
///
/// Each field is "*", a number, a range, a step ("*/5", "9-17/2") or a list of these; months and weekdays have names
/// of three letters in any case; Sunday is 0 and 7. `@hourly`, `@daily`, `@midnight`, `@weekly`, `@monthly`, `@yearly`
/// and `@annually` are short for five fields.
///
/// **The two day fields.** As in Vixie cron a day fits when either fits ("0 9 13 * 5": the 13th, and each Friday),
/// unless one of them begins with "*": then both must ("0 9 */2 * 1": Mondays with an odd date).
///
/// **When the clocks change**, it goes as in Debian's cron and in cronie:
/// - A fixed time (neither minute nor hour begins with "*") that is skipped comes right after the gap, once however
///   many of its times were skipped; one that is repeated comes the first time only.
/// - All others go on by real time: they come whenever the clock shows a time that fits, not at all for what is
///   skipped and twice for what is repeated.
public struct CronExpression: Schedule, Hashable, CustomStringConvertible {
  /// The text as it was given.
  public let description: String
  /// Whose clocks it means.
  public let timeZone: TimeZone
  private let calendar: CronCalendar

  /// Reads a cron expression.
  /// - Parameters:
  ///   - text: Five fields with spaces or tabs in between, or a nickname.
  ///   - timeZone: Whose clocks it means.
  /// - Throws: `CronExpressionError` when the text is none, or names only days that don't exist (31 February).
  public init(parsing text: String, timeZone: TimeZone) throws(CronExpressionError) {
    calendar = try CronParser.parse(text)
    description = text
    self.timeZone = timeZone
  }

  /// The first due time later than `timestamp`; nil when that would be after the year 9999.
  public func next(after timestamp: Timestamp) -> Timestamp? {
    calendar.goesByRealTime ? nextByRealTime(after: timestamp) : nextFixedTime(after: timestamp)
  }

  /// Follows the wall clock through one period of constant offset after the other.
  private func nextByRealTime(after timestamp: Timestamp) -> Timestamp? {
    var second = timestamp.seconds + 1
    while second <= Timestamp.latest.seconds {
      let period = timeZone.period(at: second)
      let minute = (second + period.offset + 59).dividedDown(by: 60).quotient
      guard let next = calendar.next(from: minute) else { return nil }
      let due = next * 60 - period.offset
      if due < period.end { return due <= Timestamp.latest.seconds ? Timestamp(seconds: due) : nil }
      second = period.end
    }
    return nil
  }

  /// Goes from one wall clock time to the next, and for each asks when the clocks first show it or leap over it.
  private func nextFixedTime(after timestamp: Timestamp) -> Timestamp? {
    var minute = (timestamp.seconds + Int64(timeZone.offset(at: timestamp))).dividedDown(by: 60).quotient
    // Only times that are being repeated, or that the same gap skipped, are not later: some dozens at most.
    while let next = calendar.next(from: minute + 1) {
      let due = timeZone.match(localSecond: next * 60).first
      // Due times are whole seconds and the latest timestamp is not: this one lies behind it.
      if due == .latest { return nil }
      if due > timestamp { return due }
      minute = next
    }
    return nil
  }
}
