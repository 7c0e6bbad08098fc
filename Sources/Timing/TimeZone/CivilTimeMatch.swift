/// When the clocks of a time zone show a certain date and time.
public enum CivilTimeMatch: Hashable, Sendable {
  /// Once, as on nearly all days.
  case once(Timestamp)
  /// Twice, since the clocks were put back over it: before that and after.
  case twice(Timestamp, Timestamp)
  /// Never, since the clocks were put forward over it, in this moment.
  case never(skippedAt: Timestamp)

  /// The first moment at which the clocks show the time, or at which they show a later one.
  public var first: Timestamp {
    switch self {
    case .once(let timestamp), .twice(let timestamp, _), .never(let timestamp): timestamp
    }
  }

  /// All moments at which the clocks show the time, in order.
  public var timestamps: [Timestamp] {
    switch self {
    case .once(let timestamp): [timestamp]
    case .twice(let earlier, let later): [earlier, later]
    case .never: []
    }
  }
}
