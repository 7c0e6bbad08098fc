/// An array, as a type's `encode(to:)` fills it.
struct JSONUnkeyedEncodingContainer: UnkeyedEncodingContainer {
  let array: EncodedValue
  let path: CodingPath

  init(array: EncodedValue, path: CodingPath) {
    self.array = array
    self.path = path
    array.becomeArray()
  }

  var codingPath: [any CodingKey] { path.keys }
  var count: Int { array.count }

  private func next() -> JSONValueEncoder {
    let target = EncodedValue()
    let key = AnyCodingKey.index(count)
    array.append(target)
    return JSONValueEncoder(into: target, path: .child(path, key))
  }

  func encodeNil() { next().encodeNil() }

  func encode(_ value: Bool) { next().encode(value) }

  func encode(_ value: String) { next().encode(value) }

  func encode(_ value: Double) throws { try next().encode(value) }

  func encode(_ value: Float) throws { try next().encode(value) }

  func encode<T: FixedWidthInteger & Encodable>(_ value: T) throws { try next().encode(value) }

  func encode<T: Encodable>(_ value: T) throws { try next().encode(value) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    next().container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }

  func superEncoder() -> any Encoder { next() }
}
