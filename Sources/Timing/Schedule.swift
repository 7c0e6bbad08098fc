/// When something is due, as a pure function of a point in time.
public protocol Schedule: Sendable {
  /// The first due time later than `timestamp`, or nil when there is none any more.
  func next(after timestamp: Timestamp) -> Timestamp?
}
