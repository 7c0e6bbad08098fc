/// The rule by which a zone goes on for ever: the footer of a TZif file, or the value of $TZ.
///
/// The syntax is that of POSIX's TZ with RFC 9636's extension (section 3.3.2): "CET-1CEST,M3.5.0,M10.5.0/3".
struct ZoneRule: Equatable, Sendable {
  struct Daylight: Equatable, Sendable {
    /// Seconds to add to UTC.
    var offset: Int64
    /// On the clock of standard time.
    var start: YearlyDate
    /// On the clock of daylight saving time.
    var end: YearlyDate
  }

  /// Seconds to add to UTC.
  var standardOffset: Int64
  var daylight: Daylight?

  /// Reads a rule, or gives nil when it is none.
  ///
  /// One that leaves out the dates of the changes is none, for they'd be a guess.
  init?(_ text: String) {
    var scanner = ByteScanner(text)
    guard scanner.takeZoneName(), let west = scanner.zoneOffset() else { return nil }
    standardOffset = -west
    if !scanner.isAtEnd {
      guard scanner.takeZoneName() else { return nil }
      var offset = standardOffset + 3600
      if scanner.next != UInt8(ascii: ",") {
        guard let west = scanner.zoneOffset() else { return nil }
        offset = -west
      }
      guard scanner.take(","), let start = scanner.yearlyDate(),
        scanner.take(","), let end = scanner.yearlyDate(), scanner.isAtEnd
      else { return nil }
      daylight = Daylight(offset: offset, start: start, end: end)
    }
  }

  /// The period that contains `second`, counted from 1970-01-01T00:00:00Z.
  func period(at second: Int64) -> ZonePeriod {
    guard let daylight else { return ZonePeriod(start: .min, end: .max, offset: standardOffset) }
    let year = CivilTime(secondsSinceEpoch: second).date.year
    var period = ZonePeriod(start: .min, end: .max, offset: standardOffset)
    for year in (year - 1)...(year + 1) {
      // A rule for daylight saving all the year ends in the very second in which it starts again: start wins.
      period.change(to: standardOffset, at: daylight.end.seconds(in: year) - daylight.offset, seenFrom: second)
      period.change(to: daylight.offset, at: daylight.start.seconds(in: year) - standardOffset, seenFrom: second)
    }
    return period
  }
}

extension ZonePeriod {
  /// Narrows the period around `second` by a change of the offset.
  fileprivate mutating func change(to offset: Int64, at change: Int64, seenFrom second: Int64) {
    if change > second {
      end = min(end, change)
    } else if change >= start {
      start = change
      self.offset = offset
    }
  }
}

extension ByteScanner {
  /// Takes "CET" or "<+0330>".
  fileprivate mutating func takeZoneName() -> Bool {
    if take("<") {
      let name = take { Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
      return !name.isEmpty && take(">")
    }
    return take(while: Self.isLetter).count >= 3
  }

  /// Takes "-3:30", seconds west of Greenwich, up to 24 hours and 59 minutes.
  fileprivate mutating func zoneOffset() -> Int64? {
    clockTime(hours: 0...24).map(Int64.init)
  }

  /// Takes "M3.5.0/2", "J60" or "59/-1:30".
  fileprivate mutating func yearlyDate() -> YearlyDate? {
    let day: YearlyDate.Day
    if take("M") {
      guard let month = number(upTo: 2, in: 1...12), take("."), let week = number(upTo: 1, in: 1...5), take("."),
        let weekday = number(upTo: 1, in: 0...6)
      else { return nil }
      day = .weekday(weekday, week: week, month: month)
    } else if take("J") {
      guard let number = number(upTo: 3, in: 1...365) else { return nil }
      day = .numberWithoutLeapDay(number)
    } else {
      guard let number = number(upTo: 3, in: 0...365) else { return nil }
      day = .number(number)
    }
    guard take("/") else { return YearlyDate(day: day, secondOfDay: 2 * 3600) }
    return clockTime(hours: 0...167).map { YearlyDate(day: day, secondOfDay: $0) }
  }

  /// Takes "2", "-1:30" or "+01:02:03", in seconds.
  private mutating func clockTime(hours range: ClosedRange<Int>) -> Int? {
    let isNegative = take("-")
    if !isNegative { _ = take("+") }
    guard let hours = number(upTo: 3, in: range) else { return nil }
    var seconds = hours * 3600
    for unit in [60, 1] where take(":") {
      guard let count = number(upTo: 2, in: 0...59) else { return nil }
      seconds += count * unit
    }
    return isNegative ? -seconds : seconds
  }
}
