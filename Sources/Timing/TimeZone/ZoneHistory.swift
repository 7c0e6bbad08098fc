/// All that is known of one zone's offset from UTC: the changes so far, and the rule that goes on from there.
struct ZoneHistory: Equatable, Sendable {
  /// The seconds at which the offset may change, since 1970-01-01T00:00:00Z, in ascending order.
  var changes: [Int64]
  /// Seconds to add to UTC: the first until the first change, then one from each change on.
  var offsets: [Int64]
  /// What holds from the last change on; nil when its offset does.
  var rule: ZoneRule?

  static let utc = ZoneHistory(changes: [], offsets: [0], rule: nil)

  /// The period that contains `second`, counted from 1970-01-01T00:00:00Z.
  func period(at second: Int64) -> ZonePeriod {
    let index = changesUntil(second)
    if index == changes.count, let rule {
      var period = rule.period(at: second)
      if let last = changes.last { period.start = max(period.start, last) }
      return period
    }
    return ZonePeriod(
      start: index == 0 ? .min : changes[index - 1],
      end: index == changes.count ? .max : changes[index],
      offset: offsets[index])
  }

  /// How many changes have happened at `second`.
  private func changesUntil(_ second: Int64) -> Int {
    var low = 0
    var high = changes.count
    while low < high {
      let middle = (low + high) / 2
      if changes[middle] <= second { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
