internal import JSON

/// An error in an answer: an object with a message, or a text.
enum ErrorCell {
  static func of(_ value: JSONValue?) -> Styled {
    guard let value, !value.isNull else { return "-" }
    return Styled(value["message"]?.string ?? Fields.plainText(value), .red)
  }
}
