internal import JSON

/// Where a value holds secrets, or says where they are.
enum SecretPlaces {
  /// Finds the places of a value that its schema calls secret; what is behind a `$ref` is not looked at.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - schema: A JSON Schema document about it.
  ///   - pointer: Where the value is.
  /// - Returns: The places; one that several parts of the schema speak of may be there more than once.
  static func find(in value: JSONValue, _ schema: JSONValue, at pointer: JSONPointer = .root) -> [JSONPointer] {
    if schema["x-secret"]?.bool == true { return [pointer] }
    var found: [JSONPointer] = []
    for key in value.object?.keys ?? [] {
      guard let member = value[key], let inner = schema["properties"]?[key] ?? schema["additionalProperties"] else {
        continue
      }
      found += find(in: member, inner, at: pointer.appending(key))
    }
    if let items = schema["items"], let array = value.array {
      for index in array.indices { found += find(in: array[index], items, at: pointer.appending(index)) }
    }
    for choice in ["anyOf", "oneOf", "allOf"].flatMap({ schema[$0]?.array.map(Array.init) ?? [] }) {
      found += find(in: value, choice, at: pointer)
    }
    return found
  }
}

extension JSONValue {
  /// A copy with another value at a place that there is.
  func replacing(at tokens: ArraySlice<String>, with value: JSONValue) -> JSONValue {
    guard let token = tokens.first else { return value }
    let rest = tokens.dropFirst()
    if let array {
      return JSONValue(
        array: array.enumerated().map { String($0) == token ? $1.replacing(at: rest, with: value) : $1 })
    }
    guard let member = self[token] else { return self }
    return setting(token, to: member.replacing(at: rest, with: value))
  }
}
