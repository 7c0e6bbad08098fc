internal import Glibc

/// A point on the time line, in milliseconds since 1970-01-01T00:00:00Z without leap seconds.
///
/// It lies between 0000-01-01T00:00:00Z and 9999-12-31T23:59:59.999Z, what RFC 3339 can write; whatever would
/// leave that range stops at its end, so no arithmetic on outside input can trap.
public struct Timestamp: Hashable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public let milliseconds: Int64

  /// The earliest timestamp, 0000-01-01T00:00:00Z.
  public static let earliest = Timestamp(unchecked: -62_167_219_200_000)
  /// The latest timestamp, 9999-12-31T23:59:59.999Z.
  public static let latest = Timestamp(unchecked: 253_402_300_799_999)

  /// Makes the timestamp nearest to `milliseconds` since 1970-01-01T00:00:00Z.
  public init(milliseconds: Int64) {
    self.milliseconds = min(max(milliseconds, Self.earliest.milliseconds), Self.latest.milliseconds)
  }

  /// Makes the timestamp nearest to `seconds` since 1970-01-01T00:00:00Z.
  public init(seconds: Int64) {
    let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    self.init(milliseconds: overflow ? (seconds < 0 ? .min : .max) : milliseconds)
  }

  /// Makes the timestamp at which a clock in UTC shows `utc`.
  public init(utc: CivilTime) {
    self.init(seconds: utc.secondsSinceEpoch)
  }

  private init(unchecked milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// What the system's real-time clock shows now.
  public static func now() -> Timestamp {
    var time = timespec()
    let result = clock_gettime(CLOCK_REALTIME, &time)
    // The one documented failure is an unknown clock, and Linux always has this one.
    precondition(result == 0, "clock_gettime(CLOCK_REALTIME) failed with errno \(errno)")
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
  public var seconds: Int64 { milliseconds.dividedDown(by: 1000).quotient }

  /// What a clock in UTC shows, without the fraction of the second.
  public var utc: CivilTime { CivilTime(secondsSinceEpoch: seconds) }

  /// The time from `earlier` to this; negative when `earlier` is later.
  public func duration(since earlier: Timestamp) -> Duration {
    .milliseconds(milliseconds - earlier.milliseconds)
  }

  /// The timestamp `duration` later; what is shorter than a millisecond is dropped.
  public static func + (timestamp: Timestamp, duration: Duration) -> Timestamp {
    let (sum, overflow) = timestamp.milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
    return Timestamp(milliseconds: overflow ? (duration < .zero ? .min : .max) : sum)
  }

  /// The timestamp `duration` earlier; what is shorter than a millisecond is dropped.
  public static func - (timestamp: Timestamp, duration: Duration) -> Timestamp {
    let (difference, overflow) = timestamp.milliseconds.subtractingReportingOverflow(duration.wholeMilliseconds)
    return Timestamp(milliseconds: overflow ? (duration < .zero ? .max : .min) : difference)
  }
}

extension Timestamp: Comparable {
  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }
}

extension Timestamp: CustomStringConvertible {
  /// The same as `rfc3339`.
  public var description: String { rfc3339 }
}

/// A timestamp is coded as a string in RFC 3339's format.
extension Timestamp: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let timestamp = Timestamp(rfc3339: text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "\"\(text)\" is no RFC 3339 date and time such as 2026-11-30T05:09:00Z")
    }
    self = timestamp
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rfc3339)
  }
}
