internal import JSON

extension JSONValue {
  /// The value for a message, where it is short; of a longer one its length alone, since half a secret in it would be
  /// recognized by nobody.
  var shown: String {
    let text = description
    return text.utf8.count <= 100 ? text : "a value of \(text.utf8.count) bytes"
  }
}
