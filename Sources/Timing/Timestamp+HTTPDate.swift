/// Dates as HTTP writes them in Date, Expires and Retry-After (RFC 9110, section 5.6.7).
extension Timestamp {
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let fullWeekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Reads an HTTP date in any of its three formats; anything else gives nil.
  ///
  /// The name of the weekday has to be one, but need not fit the date: the date decides.
  /// - Parameters:
  ///   - text: "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT" or "Sun Nov  6 08:49:37 1994".
  ///   - now: Settles the century of a year with two digits: it is never more than 50 years after this.
  public init?(httpDate text: String, now: Timestamp) {
    var scanner = ByteScanner(text)
    let time: CivilTime?
    if scanner.take(oneOf: Self.fullWeekdays) != nil {
      time = scanner.rfc850Date(months: Self.months, now: now)
    } else if scanner.take(oneOf: Self.weekdays) != nil {
      time =
        scanner.next == UInt8(ascii: ",")
        ? scanner.imfFixdate(months: Self.months) : scanner.asctimeDate(months: Self.months)
    } else {
      time = nil
    }
    guard let time, scanner.isAtEnd else { return nil }
    self.init(utc: time)
  }

  /// The date in the one format that HTTP senders use, "Sun, 06 Nov 1994 08:49:37 GMT"; the fraction is dropped.
  public var httpDate: String {
    let utc = utc
    let month = Self.months[utc.date.month - 1]
    let date = "\(padded(utc.date.day, 2)) \(month) \(padded(utc.date.year, 4))"
    return "\(Self.weekdays[utc.date.weekday]), \(date) \(utc.timeOfDay) GMT"
  }
}

extension ByteScanner {
  /// Takes ", 06 Nov 1994 08:49:37 GMT".
  fileprivate mutating func imfFixdate(months: [String]) -> CivilTime? {
    guard take(", "), let day = number(digits: 2, in: 1...31), take(" "),
      let month = take(oneOf: months), take(" "),
      let year = number(digits: 4, in: 0...9999), take(" "),
      let date = CivilDate(year: year, month: month + 1, day: day),
      let time = timeOfDay(on: date), take(" GMT")
    else { return nil }
    return time
  }

  /// Takes ", 06-Nov-94 08:49:37 GMT".
  fileprivate mutating func rfc850Date(months: [String], now: Timestamp) -> CivilTime? {
    guard take(", "), let day = number(digits: 2, in: 1...31), take("-"),
      let month = take(oneOf: months), take("-"),
      let shortYear = number(digits: 2, in: 0...99), take(" ")
    else { return nil }
    var year = now.utc.date.year / 100 * 100 + shortYear
    if year > now.utc.date.year + 50 { year -= 100 }
    if year <= now.utc.date.year - 50 { year += 100 }
    guard let date = CivilDate(year: year, month: month + 1, day: day),
      let time = timeOfDay(on: date), take(" GMT")
    else { return nil }
    return time
  }

  /// Takes " Nov  6 08:49:37 1994", the format of C's asctime.
  fileprivate mutating func asctimeDate(months: [String]) -> CivilTime? {
    guard take(" "), let month = take(oneOf: months), take(" "),
      let day = take(" ") ? number(digits: 1, in: 1...9) : number(digits: 2, in: 1...31), take(" ")
    else { return nil }
    // The year comes last, so the time is read against a leap year first and then moved to its own.
    guard let leapDate = CivilDate(year: 2000, month: month + 1, day: day),
      let time = timeOfDay(on: leapDate), take(" "),
      let year = number(digits: 4, in: 0...9999),
      let date = CivilDate(year: year, month: month + 1, day: day)
    else { return nil }
    return CivilTime(date, hour: time.hour, minute: time.minute, second: time.second)
  }

  /// Takes "08:49:37"; a leap second counts as the second before it.
  private mutating func timeOfDay(on date: CivilDate) -> CivilTime? {
    guard let hour = number(digits: 2, in: 0...23), take(":"),
      let minute = number(digits: 2, in: 0...59), take(":"),
      let second = number(digits: 2, in: 0...60)
    else { return nil }
    return CivilTime(date, hour: hour, minute: minute, second: min(second, 59))
  }
}
