/// An object, as a type's `encode(to:)` fills it.
struct JSONKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let object: EncodedValue
  let path: CodingPath

  init(object: EncodedValue, path: CodingPath) {
    self.object = object
    self.path = path
    object.becomeObject()
  }

  var codingPath: [any CodingKey] { path.keys }

  private func encoder(_ key: some CodingKey) -> JSONValueEncoder {
    let target = EncodedValue()
    object.set(key.stringValue, target)
    return JSONValueEncoder(into: target, path: .child(path, key))
  }

  func encodeNil(forKey key: Key) { encoder(key).encodeNil() }

  func encode(_ value: Bool, forKey key: Key) { encoder(key).encode(value) }

  func encode(_ value: String, forKey key: Key) { encoder(key).encode(value) }

  func encode(_ value: Double, forKey key: Key) throws { try encoder(key).encode(value) }

  func encode(_ value: Float, forKey key: Key) throws { try encoder(key).encode(value) }

  func encode<T: FixedWidthInteger & Encodable>(_ value: T, forKey key: Key) throws {
    try encoder(key).encode(value)
  }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try encoder(key).encode(value) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    encoder(key).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder(key).unkeyedContainer() }

  func superEncoder() -> any Encoder { encoder(AnyCodingKey.super) }

  func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
}
