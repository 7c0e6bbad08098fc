internal import JSON

/// Answers that list something.
enum Listing {
  /// The elements of the member `key`, or of the answer itself when it is an array.
  static func rows(_ result: JSONValue, _ key: String) -> [JSONValue] {
    (result[key] ?? result).array.map(Array.init) ?? []
  }
}
