/// An array, as a type's `init(from:)` reads it, one element after the other.
struct JSONUnkeyedDecodingContainer: UnkeyedDecodingContainer {
  let array: JSONArray
  let path: CodingPath
  private(set) var currentIndex = 0

  init(array: JSONArray, path: CodingPath) {
    self.array = array
    self.path = path
  }

  var codingPath: [any CodingKey] { path.keys }
  var count: Int? { array.count }
  var isAtEnd: Bool { currentIndex >= array.count }

  /// Reads the next element; one that can't be read stays the next.
  private mutating func next<T>(_ read: (JSONValueDecoder) throws -> T) throws -> T {
    guard !isAtEnd else {
      throw JSONDecodingError(
        pointer: JSONPointer(codingPath), message: "expected more than \(array.count) elements")
    }
    let result = try read(JSONValueDecoder(array[currentIndex], in: path, key: AnyCodingKey.index(currentIndex)))
    currentIndex += 1
    return result
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, array[currentIndex].isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.decode(type) } }

  mutating func decode(_ type: String.Type) throws -> String { try next { try $0.decode(type) } }

  mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.decode(type) } }

  mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.decode(type) } }

  mutating func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
    try next { try $0.decode(type) }
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next { try $0.decode(type) } }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try next { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
