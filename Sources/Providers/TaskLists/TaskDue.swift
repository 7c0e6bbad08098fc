internal import RingiKit

/// When a task of a list is due: a day, a time on everybody's own clock, or a moment.
enum TaskDue: Equatable {
  case day(CivilDate)
  case floating(CivilTime)
  case moment(Timestamp)

  /// Reads `2026-01-15`, `2026-01-15T12:00:00` or `2026-01-15T12:00:00Z`, the latter two with or without a fraction.
  init?(_ text: String) {
    if let moment = Timestamp(rfc3339: text) {
      self = .moment(moment)
    } else if let floating = Timestamp(rfc3339: text + "Z") {
      self = .floating(floating.utc)
    } else if text.utf8.count == 10, let midnight = Timestamp(rfc3339: text + "T00:00:00Z") {
      self = .day(midnight.utc.date)
    } else {
      return nil
    }
  }

  /// The day on which it is due, for somebody in a zone.
  func day(in zone: TimeZone) -> CivilDate {
    switch self {
    case .day(let day): day
    case .floating(let time): time.date
    case .moment(let moment): zone.civilTime(at: moment).date
    }
  }

  /// The last moment that is in time, for somebody in a zone: of a day its last second.
  func moment(in zone: TimeZone) -> Timestamp {
    switch self {
    case .day(let day):
      let next = CivilTime(secondsSinceEpoch: Int64(day.daysSinceEpoch + 1) * 86_400)
      return zone.match(next).first - .seconds(1)
    case .floating(let time): return zone.match(time).first
    case .moment(let moment): return moment
    }
  }
}
