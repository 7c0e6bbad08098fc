/// An object, as a type's `init(from:)` reads it.
struct JSONKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let object: JSONObject
  let path: CodingPath

  var codingPath: [any CodingKey] { path.keys }
  var allKeys: [Key] { object.compactMap { Key(stringValue: $0.key) } }

  func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }

  private func decoder(_ key: some CodingKey) throws -> JSONValueDecoder {
    guard let value = object[key.stringValue] else {
      throw JSONDecodingError(
        pointer: JSONPointer(codingPath), message: "the key \"\(key.stringValue)\" is missing")
    }
    return JSONValueDecoder(value, in: path, key: key)
  }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).decode(type) }

  func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder(key).decode(type) }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder(key).decode(type) }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder(key).decode(type) }

  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try decoder(key).decode(type)
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder(key).decode(type) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try decoder(AnyCodingKey.super) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}
