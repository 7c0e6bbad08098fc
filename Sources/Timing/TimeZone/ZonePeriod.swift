/// A stretch of the time line with one offset from UTC; the next one may have the same.
struct ZonePeriod: Equatable {
  /// The first second of it, since 1970-01-01T00:00:00Z; `Int64.min` when it has no beginning.
  var start: Int64
  /// The first second after it; `Int64.max` when it has no end.
  var end: Int64
  /// Seconds to add to UTC.
  var offset: Int64

  /// No offset in the world, and none that RFC 9636 lets a file have, is longer than this.
  static let longestOffset: Int64 = 26 * 3600

  static let utc = ZonePeriod(start: .min, end: .max, offset: 0)
}
