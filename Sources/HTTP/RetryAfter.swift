public import Timing

/// The `Retry-After` header (RFC 9110 §10.2.3): seconds, or a date.
public enum RetryAfter {
  /// A server's wish counts up to this.
  static let longest = Duration.seconds(86_400)

  /// How long to wait.
  ///
  /// - Parameters:
  ///   - value: The header's value.
  ///   - now: When the wait begins; a date in the value is compared with it.
  /// - Returns: The wait, at most a day; zero for a date in the past, nil for anything else than the two forms.
  public static func wait(_ value: String, now: Timestamp) -> Duration? {
    if !value.isEmpty, value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // What does not fit 64 bits is longer than a day too.
      return min(Int64(value).map { .seconds($0) } ?? longest, longest)
    }
    guard let date = Timestamp(httpDate: value, now: now) else { return nil }
    return min(max(date.duration(since: now), .zero), longest)
  }
}
