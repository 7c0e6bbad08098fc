/// Something took longer than it may.
public struct TimeoutError: Error, Hashable {
  /// The most that it was allowed to take.
  public let limit: Duration

  public init(limit: Duration) { self.limit = limit }
}
