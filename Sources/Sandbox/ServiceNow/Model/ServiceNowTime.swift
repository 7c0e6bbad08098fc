internal import Timing

extension Timestamp {
  /// `2026-03-02 01:15:09`, in UTC.
  var serviceNow: String {
    String(rfc3339.prefix(19)).replacing("T", with: " ")
  }

  init?(serviceNow text: String) { self.init(rfc3339: text.replacing(" ", with: "T") + "Z") }
}
