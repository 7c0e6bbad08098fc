internal import RingiKit

/// Dates as the Table API has them.
enum ServiceNowTime {
  /// Reads `2026-03-02 01:15:09`, which is UTC; nil for anything else.
  static func time(_ text: String) -> Timestamp? {
    let halves = text.split(separator: " ", omittingEmptySubsequences: false)
    return halves.count == 2 ? Timestamp(rfc3339: "\(halves[0])T\(halves[1])Z") : nil
  }
}
