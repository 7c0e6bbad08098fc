internal import Timing

/// What the clock on the wall shows, where the person is.
struct LocalTime {
  /// "2026-11-30".
  let date: String
  /// "14:09:00".
  let time: String

  /// "2026-11-30 14:09:00".
  var text: String { "\(date) \(time)" }

  init(_ timestamp: Timestamp, in surroundings: Surroundings) {
    let local = (timestamp + .seconds(surroundings.secondsEastOfUTC(timestamp))).utc
    date = local.date.description
    time = String(local.description.dropFirst(date.count + 1))
  }
}
