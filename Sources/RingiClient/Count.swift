internal import JSON

/// A number of things for a person.
enum Count {
  /// "1 event", "2 events", "1 entry", "2 entries".
  static func text(_ count: JSONValue?, of one: String, _ many: String? = nil) -> String {
    "\(Fields.plainText(count)) \(count?.int == 1 ? one : many ?? one + "s")"
  }
}
