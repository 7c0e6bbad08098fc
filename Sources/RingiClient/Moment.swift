internal import JSON
internal import Timing

/// A time in an answer.
enum Moment {
  /// How long ago or ahead it is; what is no time is shown as it is.
  static func relative(_ value: JSONValue?, now: Timestamp) -> String {
    value?.string.flatMap(Timestamp.init(rfc3339:))?.relativeText(now: now) ?? Fields.plainText(value)
  }

  /// What the clock on the wall showed; what is no time is shown as it is.
  static func local(_ value: JSONValue?, in surroundings: Surroundings) -> String {
    value?.string.flatMap(Timestamp.init(rfc3339:)).map { LocalTime($0, in: surroundings).text }
      ?? Fields.plainText(value)
  }
}
