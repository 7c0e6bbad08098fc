internal import Timing

/// The distance between two occurrences of something that recurs.
struct CalendarStep: Sendable {
  enum Unit: String, Sendable { case day, week, month, year }

  let unit: Unit
  let count: Int

  /// The date so much later; a month without the day ends on its last one.
  func after(_ date: CivilDate) -> CivilDate {
    switch unit {
    case .day: return CivilDate(daysSinceEpoch: date.daysSinceEpoch + count)
    case .week: return CivilDate(daysSinceEpoch: date.daysSinceEpoch + 7 * count)
    case .month, .year:
      let months = date.year * 12 + date.month - 1 + count * (unit == .year ? 12 : 1)
      var day = date.day
      while true {
        if let next = CivilDate(year: months / 12, month: months % 12 + 1, day: day) { return next }
        day -= 1
      }
    }
  }
}

extension CivilDate {
  /// Reads `2026-11-30`.
  init?(iso text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].utf8.count == 4, parts[1].utf8.count == 2, parts[2].utf8.count == 2,
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }
}
