/// Durations as people write them in configuration: a whole number and a unit.
public enum DurationText {
  private static let units: [(name: String, milliseconds: Int64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
  ]

  /// Reads "500ms", "30s", "5m", "2h" or "1d"; a day is 24 hours.
  ///
  /// - Throws: `DurationTextError` for anything else: no unit, a sign, a fraction, spaces, two units, or more than
  ///   2^63 milliseconds.
  public static func parse(_ text: String) throws(DurationTextError) -> Duration {
    var scanner = ByteScanner(text)
    let digits = scanner.take(while: ByteScanner.isDigit)
    let unit = scanner.take(while: { _ in true })
    guard !digits.isEmpty, let scale = units.first(where: { $0.name.utf8.elementsEqual(unit) })?.milliseconds else {
      throw DurationTextError(text: text, reason: .malformed)
    }
    guard let count = Int64(String(decoding: digits, as: UTF8.self)) else {
      throw DurationTextError(text: text, reason: .tooLong)
    }
    let (milliseconds, overflow) = count.multipliedReportingOverflow(by: scale)
    guard !overflow else { throw DurationTextError(text: text, reason: .tooLong) }
    return .milliseconds(milliseconds)
  }

  /// The shortest text that `parse` reads as the same duration, with what is shorter than a millisecond left out.
  public static func format(_ duration: Duration) -> String {
    let milliseconds = duration.wholeMilliseconds
    guard milliseconds != 0 else { return "0s" }
    for (name, scale) in units where milliseconds.isMultiple(of: scale) {
      return "\(milliseconds / scale)\(name)"
    }
    return "\(milliseconds)ms"
  }
}
