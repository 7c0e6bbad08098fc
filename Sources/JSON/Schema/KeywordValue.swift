/// The value of a keyword in a schema document, read as what the keyword takes.
struct KeywordValue {
  let value: JSONValue
  let place: JSONPointer

  private func failure(_ expected: String) -> SchemaError {
    SchemaError(pointer: place, message: "this keyword takes \(expected)")
  }

  private func at(_ token: String, _ value: JSONValue) -> KeywordValue {
    KeywordValue(value: value, place: place.appending(token))
  }

  func schema() throws(SchemaError) -> Schema { try Schema(value, at: place) }

  func array(_ expected: String) throws(SchemaError) -> [JSONValue] {
    guard let array = value.array else { throw failure(expected) }
    return Array(array)
  }

  func schemas() throws(SchemaError) -> [Schema] {
    let values = try array("an array of schemas")
    guard !values.isEmpty else { throw failure("an array of one schema or more") }
    var schemas: [Schema] = []
    for (index, value) in values.enumerated() { schemas.append(try at(String(index), value).schema()) }
    return schemas
  }

  func schemasByName() throws(SchemaError) -> [(name: String, schema: Schema)] {
    guard let members = value.object else { throw failure("an object of schemas") }
    var schemas: [(String, Schema)] = []
    for (name, value) in members { schemas.append((name, try at(name, value).schema())) }
    return schemas
  }

  func types() throws(SchemaError) -> [SchemaType] {
    let names = value.string.map { [JSONValue($0)] } ?? value.array.map(Array.init) ?? []
    let types = names.compactMap { $0.string.flatMap(SchemaType.init) }
    guard !types.isEmpty, types.count == names.count else {
      throw failure("a type or an array of types: null, boolean, integer, number, string, array, object")
    }
    return types
  }

  func names() throws(SchemaError) -> [String] {
    let names = try array("an array of strings").map(\.string)
    guard !names.contains(nil) else { throw failure("an array of strings") }
    return names.compactMap { $0 }
  }

  func count() throws(SchemaError) -> Int {
    guard let count = value.int, count >= 0 else { throw failure("a number from 0") }
    return Int(count)
  }

  func number() throws(SchemaError) -> JSONValue {
    guard value.double != nil else { throw failure("a number") }
    return value
  }

  /// The definition that a `$ref` names; nil for `#`, the whole schema.
  func definitionName() throws(SchemaError) -> String? {
    guard let text = value.string else { throw failure("a string") }
    if text == "#" { return nil }
    let tokens = text.hasPrefix("#") ? JSONPointer(String(text.dropFirst()))?.tokens : nil
    guard let tokens, tokens.count == 2, ["$defs", "definitions"].contains(tokens[0]) else {
      throw failure("\"#\" or \"#/$defs/NAME\"; references to other places are not followed")
    }
    return tokens[1]
  }
}
