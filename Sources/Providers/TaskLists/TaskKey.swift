/// Which task, and of a recurring one which occurrence: `6X7r…@2026-01-15`.
///
/// Completing a recurring task moves it to its next date under the same id. With the date in its key each occurrence is a
/// task of its own, and one whose date has passed on is done.
struct TaskKey: Hashable {
  let id: String
  /// The date as the backend writes it.
  let occurrence: String?

  init(id: String, occurrence: String?) {
    self.id = id
    self.occurrence = occurrence
  }

  init(_ text: String) {
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    id = String(parts[0])
    occurrence = parts.count > 1 ? String(parts[1]) : nil
  }

  var text: String { occurrence.map { "\(id)@\($0)" } ?? id }
}
