internal import JSON

/// Parameters as people type them.
enum ParameterText {
  /// Reads KEY=VALUE pairs.
  ///
  /// A value that is JSON counts as that (5, true, null, {"a": 1}, "5"), any other as a text.
  ///
  /// - Throws: `Failure` with `.usage` for a pair without an equals sign or a key, or a key given twice.
  static func object(_ pairs: [String], of what: String) throws(Failure) -> JSONValue {
    var members: [(String, JSONValue)] = []
    for pair in pairs {
      guard let equals = pair.firstIndex(of: "="), equals != pair.startIndex else {
        throw .usage("\(what) takes KEY=VALUE, not \(pair).")
      }
      let key = String(pair[..<equals])
      guard !members.contains(where: { $0.0 == key }) else { throw .usage("\(what): \(key) is given twice.") }
      let text = String(pair[pair.index(after: equals)...])
      members.append((key, (try? JSONValue(parsing: text)) ?? JSONValue(text)))
    }
    return JSONValue(object: members)
  }

  /// Reads operands that are one JSON text, "-" for one on standard input, or KEY=VALUE pairs; nil when there are none.
  static func parameters(_ operands: [String], of what: String, input: Int32) throws(Failure) -> JSONValue? {
    guard let first = operands.first else { return nil }
    if operands.count == 1, first == "-" { return try json(StandardInput.read(input), of: what) }
    let isJSON = first.utf8.first { !" \t\n\r".utf8.contains($0) }.map("{[".utf8.contains) ?? false
    return isJSON && operands.count == 1 ? try json(first, of: what) : try object(operands, of: what)
  }

  /// Reads JSON.
  ///
  /// - Throws: `Failure` with `.usage`, which says where it is wrong.
  static func json(_ text: String, of what: String) throws(Failure) -> JSONValue {
    do {
      return try JSONValue(parsing: text)
    } catch {
      throw .usage("\(what) is no JSON: line \(error.line), column \(error.column): \(error.message).")
    }
  }

  /// Makes an object of the members that have a value.
  static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
    JSONValue(object: members.compactMap { key, value in value.map { (key, $0) } })
  }
}
