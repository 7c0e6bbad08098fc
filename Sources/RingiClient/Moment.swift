internal import JSON
internal import Timing

/// A time in an answer.
enum Moment {
  /// How long ago or ahead it is; what is no time is shown as it is.
  static func relative(_ value: JSONValue?, now: Timestamp) -> String {
    value?.string.flatMap(Timestamp.init(rfc3339:))?.relativeText(now: now) ?? Fields.plainText(value)
  }
}
