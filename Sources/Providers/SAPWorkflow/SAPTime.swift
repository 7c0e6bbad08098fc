internal import RingiKit

/// The one way in which the service takes times: UTC, with exactly three digits of a second's fraction.
enum SAPTime {
  /// `2026-11-30T05:09:00.000Z`.
  static func wire(_ time: Timestamp) -> String {
    let text = time.rfc3339
    return text.contains(".") ? text : text.dropLast() + ".000Z"
  }
}
