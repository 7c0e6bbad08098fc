/// The minutes that a cron expression names, on a wall clock that knows no time zone.
///
/// A minute of that clock is written as the number of minutes since 1970-01-01T00:00.
struct CronCalendar: Hashable, Sendable {
  let minutes: NumberSet
  let hours: NumberSet
  let daysOfMonth: NumberSet
  let months: NumberSet
  /// 0 is Sunday; a 7 has its 0 beside it.
  let daysOfWeek: NumberSet
  /// Vixie cron's rule for the two day fields: one that begins with "*" has to fit as well as the other, and without
  /// any such it is enough that one of them fits.
  let needsBothDays: Bool
  /// Whether it keeps its rhythm when the clocks change: the minute or the hour begins with "*".
  let goesByRealTime: Bool

  /// Whether there is a day in any year that fits.
  var hasAnyDay: Bool {
    // Each date falls on each weekday in some year, so the weekday can't rule out all of them.
    guard needsBothDays, let first = daysOfMonth.first else { return true }
    return (1...12).contains { months.contains($0) && first <= CivilDate.daysIn(month: $0, of: 2000) }
  }

  /// The first minute that fits and is `minute` or later; nil after the year 9999.
  func next(from minute: Int64) -> Int64? {
    let (dayNumber, minuteOfDay) = minute.dividedDown(by: 1440)
    let today = CivilDate(daysSinceEpoch: Int(dayNumber))
    if fits(today), let time = nextTime(from: Int(minuteOfDay)) { return dayNumber * 1440 + Int64(time) }
    guard let day = nextDay(from: Int(dayNumber) + 1), let time = nextTime(from: 0) else { return nil }
    return Int64(day) * 1440 + Int64(time)
  }

  private func nextTime(from minuteOfDay: Int) -> Int? {
    guard let hour = hours.next(from: minuteOfDay / 60) else { return nil }
    if hour == minuteOfDay / 60 {
      if let minute = minutes.next(from: minuteOfDay % 60) { return hour * 60 + minute }
      guard let later = hours.next(from: hour + 1), let minute = minutes.first else { return nil }
      return later * 60 + minute
    }
    return minutes.first.map { hour * 60 + $0 }
  }

  /// The first day that fits, leaping over months that don't.
  ///
  /// At worst it looks 40 years ahead, for a leap day on one weekday around a year such as 2100.
  private func nextDay(from dayNumber: Int) -> Int? {
    var dayNumber = dayNumber
    while true {
      let date = CivilDate(daysSinceEpoch: dayNumber)
      guard date.year <= 9999 else { return nil }
      if fits(date) { return dayNumber }
      let daysLeft = CivilDate.daysIn(month: date.month, of: date.year) - date.day
      dayNumber += months.contains(date.month) ? 1 : daysLeft + 1
    }
  }

  private func fits(_ date: CivilDate) -> Bool {
    guard months.contains(date.month) else { return false }
    let fitsMonth = daysOfMonth.contains(date.day)
    let fitsWeek = daysOfWeek.contains(date.weekday)
    return needsBothDays ? fitsMonth && fitsWeek : fitsMonth || fitsWeek
  }
}
