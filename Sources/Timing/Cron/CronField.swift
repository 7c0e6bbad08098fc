/// One of the five fields of a cron expression.
enum CronField: CaseIterable {
  case minute, hour, dayOfMonth, month, dayOfWeek

  var name: String {
    switch self {
    case .minute: "minute"
    case .hour: "hour"
    case .dayOfMonth: "day-of-month"
    case .month: "month"
    case .dayOfWeek: "day-of-week"
    }
  }

  /// The numbers it takes; Sunday is both 0 and 7.
  var range: ClosedRange<Int> {
    switch self {
    case .minute: 0...59
    case .hour: 0...23
    case .dayOfMonth: 1...31
    case .month: 1...12
    case .dayOfWeek: 0...7
    }
  }

  /// How many different values there are, and so the longest step that makes sense.
  var count: Int {
    self == .dayOfWeek ? 7 : range.count
  }

  /// The names it takes, the first one for `firstNamed`.
  var names: [String] {
    switch self {
    case .month: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
    case .dayOfWeek: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
    default: []
    }
  }

  var firstNamed: Int { range.lowerBound }

  /// What one value may be, for messages.
  var values: String {
    switch self {
    case .month: "1 to 12 or JAN to DEC"
    case .dayOfWeek: "0 to 7 (0 and 7 are Sunday) or SUN to SAT"
    default: "\(range.lowerBound) to \(range.upperBound)"
    }
  }
}
