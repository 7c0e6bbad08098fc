/// How much of something is let through: so many at once, and so many a second in the long run.
struct TokenBucket {
  private let capacity: Double
  private let perSecond: Double
  private var tokens: Double
  private var last: Int64
  /// How many were held back since the last that was let through.
  private(set) var refused = 0

  /// Makes a full bucket.
  ///
  /// - Parameters:
  ///   - capacity: The most at once.
  ///   - perSecond: The most in the long run.
  ///   - now: The clock's uptime, in nanoseconds.
  init(capacity: Int, perSecond: Int, at now: Int64) {
    (self.capacity, self.perSecond) = (Double(capacity), Double(perSecond))
    (tokens, last) = (Double(capacity), now)
  }

  /// Asks for one more.
  ///
  /// - Parameter now: The clock's uptime, in nanoseconds.
  /// - Returns: How many were held back before this one; `nil` when it is held back too.
  mutating func take(at now: Int64) -> Int? {
    tokens = min(capacity, tokens + Double(now - last) / 1e9 * perSecond)
    last = now
    guard tokens >= 1 else {
      refused += 1
      return nil
    }
    tokens -= 1
    defer { refused = 0 }
    return refused
  }
}
