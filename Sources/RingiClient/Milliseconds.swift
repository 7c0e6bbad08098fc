internal import JSON

/// A length of time for a person.
enum Milliseconds {
  /// "0.21 ms", "123 ms", "4.5 s"; "-" for what is no number.
  static func text(_ value: JSONValue?) -> String {
    guard let number = value?.double, number >= 0, number < 1e12 else { return "-" }
    let microseconds = Int((number * 1000).rounded())
    if microseconds < 10_000 {
      let hundredths = (microseconds + 5) / 10
      return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) ms"
    }
    if microseconds < 1_000_000 { return "\((microseconds + 500) / 1000) ms" }
    let tenths = (microseconds + 50_000) / 100_000
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
