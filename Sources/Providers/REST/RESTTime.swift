internal import RingiKit

/// A time as services write it: RFC 3339, also with `+0900`, and a date alone, which begins in UTC.
struct RESTTime {
  let timestamp: Timestamp

  init?(_ text: String) {
    let candidates = [text, Self.withColon(text), text + "T00:00:00Z"]
    guard let timestamp = candidates.lazy.compactMap({ Timestamp(rfc3339: $0) }).first else { return nil }
    self.timestamp = timestamp
  }

  /// `+0900` as `+09:00`.
  private static func withColon(_ text: String) -> String {
    let sign = text.dropLast(4).last
    guard sign == "+" || sign == "-", text.suffix(4).allSatisfy(\.isNumber) else { return text }
    return text.dropLast(2) + ":" + text.suffix(2)
  }
}
