/// A date and time that comes each year, as the rules of POSIX's TZ write it: "M3.5.0/2" is the last Sunday of March.
struct YearlyDate: Equatable, Sendable {
  enum Day: Equatable, Sendable {
    /// "J60": 1 to 365, never counting the 29th of February.
    case numberWithoutLeapDay(Int)
    /// "59": 0 to 365, counting the 29th of February.
    case number(Int)
    /// "M3.5.0": a weekday (0 is Sunday) in a week of a month, where week 5 is the last one.
    case weekday(Int, week: Int, month: Int)
  }

  var day: Day
  /// Seconds after midnight; RFC 9636 lets them reach a week to either side.
  var secondOfDay: Int

  /// When the wall clock shows it in `year`, in seconds since 1970-01-01T00:00:00 on the same wall clock.
  func seconds(in year: Int) -> Int64 {
    Int64(dayNumber(in: year)) * 86_400 + Int64(secondOfDay)
  }

  private func dayNumber(in year: Int) -> Int {
    switch day {
    case .numberWithoutLeapDay(let number):
      let isAfterLeapDay = CivilDate.isLeap(year) && number >= 60
      return CivilDate.newYear(year) + number - 1 + (isAfterLeapDay ? 1 : 0)
    case .number(let number):
      return CivilDate.newYear(year) + number
    case .weekday(let weekday, let week, let month):
      let first = CivilDate.newYear(year) + (1..<month).reduce(0) { $0 + CivilDate.daysIn(month: $1, of: year) }
      let firstWeekday = CivilDate(daysSinceEpoch: first).weekday
      let day = (weekday - firstWeekday + 7) % 7 + 7 * (week - 1)
      // The fifth one is there in some months only, and then it is the last one.
      return first + (day < CivilDate.daysIn(month: month, of: year) ? day : day - 7)
    }
  }
}
