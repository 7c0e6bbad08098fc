/// A length of time for a person.
enum Elapsed {
  /// "12 s", "5 min", "3 h", "2 d": the largest unit that fits at least once, rounded down.
  static func text(seconds: Double) -> String {
    switch Int64(clamping: seconds) {
    case let seconds where seconds < 60: "\(seconds) s"
    case let seconds where seconds < 3600: "\(seconds / 60) min"
    case let seconds where seconds < 86_400: "\(seconds / 3600) h"
    case let seconds: "\(seconds / 86_400) d"
    }
  }
}

extension Int64 {
  /// Makes the nearest whole number that is not greater, whatever the agent sent.
  init(clamping value: Double) {
    self = value.isNaN ? 0 : Int64(exactly: value.rounded(.down)) ?? (value < 0 ? .min : .max)
  }
}
