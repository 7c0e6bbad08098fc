internal import JSON
internal import Text

/// Names and values, a line each, the values lined up.
enum Fields {
  static func print(_ fields: [(String, Styled)], to output: Output) {
    let width = fields.map { displayWidth(of: $0.0) }.max() ?? 0
    for (name, value) in fields { output.line(Styled("  \(padded(name, to: width))  ", .dim), hanging: value) }
  }

  /// Takes a value apart until nothing but plain values is left: an object's members by name, an array's by number.
  static func flattened(_ value: JSONValue, at path: String = "") -> [(String, Styled)] {
    func joined(_ key: String) -> String { path.isEmpty ? key : path + "." + key }
    if path.isEmpty, value.isNull { return [] }
    if isEmpty(value) { return path.isEmpty ? [] : [(path, Styled("none"))] }
    if let object = value.object { return object.flatMap { flattened($0.value, at: joined($0.key)) } }
    if let array = value.array, !isPlain(array) {
      return array.enumerated().flatMap { flattened($1, at: joined(String($0 + 1))) }
    }
    return [(path, Styled(plainText(value)))]
  }

  static func isEmpty(_ value: JSONValue) -> Bool {
    value.object?.isEmpty ?? value.array?.isEmpty ?? false
  }

  /// A value in a cell or a line: a text without quotes, plain values with commas between, "-" for null, anything else
  /// as JSON.
  static func plainText(_ value: JSONValue?) -> String {
    guard let value, !value.isNull else { return "-" }
    if let array = value.array, isPlain(array) { return array.map(plainText).joined(separator: ", ") }
    return value.string ?? PrintableJSON.text(of: value, pretty: false)
  }

  private static func isPlain(_ array: JSONArray) -> Bool {
    array.allSatisfy { $0.object == nil && $0.array == nil }
  }
}
