extension Timestamp {
  /// Reads a date and time of RFC 3339, section 5.6, such as "2026-11-30T05:09:00.123+09:00".
  ///
  /// Digits after the millisecond are dropped. A leap second (23:59:60 in UTC, at the end of a month) is read as
  /// the second after it. Anything else gives nil: no offset, a day that does not exist, text before or after it.
  public init?(rfc3339 text: String) {
    var scanner = ByteScanner(text)
    guard let year = scanner.number(digits: 4, in: 0...9999), scanner.take("-"),
      let month = scanner.number(digits: 2, in: 1...12), scanner.take("-"),
      let day = scanner.number(digits: 2, in: 1...31),
      let date = CivilDate(year: year, month: month, day: day),
      scanner.take("T") || scanner.take("t"),
      let hour = scanner.number(digits: 2, in: 0...23), scanner.take(":"),
      let minute = scanner.number(digits: 2, in: 0...59), scanner.take(":"),
      let second = scanner.number(digits: 2, in: 0...60),
      let time = CivilTime(date, hour: hour, minute: minute),
      let fraction = scanner.fractionInMilliseconds(),
      let offset = scanner.offsetInSeconds(),
      scanner.isAtEnd
    else { return nil }
    let seconds = time.secondsSinceEpoch + Int64(second - offset)
    if second == 60 {
      let following = CivilTime(secondsSinceEpoch: seconds)
      guard following.date.day == 1, following.hour == 0, following.minute == 0 else { return nil }
    }
    let milliseconds = seconds * 1000 + (second == 60 ? 0 : fraction)
    guard (Self.earliest.milliseconds...Self.latest.milliseconds).contains(milliseconds) else { return nil }
    self.init(milliseconds: milliseconds)
  }

  /// The date and time in UTC as RFC 3339 writes it, with three digits of fraction unless they are zero.
  public var rfc3339: String {
    let utc = utc
    let (_, fraction) = milliseconds.dividedDown(by: 1000)
    return "\(utc.date)T\(utc.timeOfDay)\(fraction == 0 ? "" : ".\(padded(Int(fraction), 3))")Z"
  }
}

extension ByteScanner {
  /// Takes "." and digits, if they are here: nil when there is a point and no digit.
  fileprivate mutating func fractionInMilliseconds() -> Int64? {
    guard take(".") else { return 0 }
    let digits = take(while: Self.isDigit)
    guard !digits.isEmpty else { return nil }
    let thousandths = Array(digits.prefix(3)) + Array(repeating: 0x30, count: max(0, 3 - digits.count))
    return thousandths.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  /// Takes "Z" or "+09:00".
  fileprivate mutating func offsetInSeconds() -> Int? {
    if take("Z") || take("z") { return 0 }
    let isWest = take("-")
    guard isWest || take("+"),
      let hours = number(digits: 2, in: 0...23), take(":"),
      let minutes = number(digits: 2, in: 0...59)
    else { return nil }
    return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
  }
}
