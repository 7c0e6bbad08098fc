/// Due again and again, a fixed time apart.
///
/// The next time is counted from the one that is passed in, so the caller chooses the anchor: pass the last due time
/// to keep a rhythm that a slow run doesn't shift, or the end of the last run to rest that long in between.
public struct Every: Schedule, Hashable {
  /// The time from one run to the next.
  public let period: Duration

  /// Makes a schedule, or nil when `period` is under a millisecond: it would never move on.
  public init?(_ period: Duration) {
    guard period >= .milliseconds(1) else { return nil }
    self.period = period
  }

  /// Once a minute.
  public static let minute = Every(checked: .seconds(60))

  private init(checked period: Duration) { self.period = period }

  /// One period after `timestamp`; nil when that is later than any timestamp.
  public func next(after timestamp: Timestamp) -> Timestamp? {
    Timestamp.latest.duration(since: timestamp) < period ? nil : timestamp + period
  }
}
