/// Lets the `encode(to:)` of a type make a value, without writing it as text first.
///
/// It is the container of a single value too.
struct JSONValueEncoder: Encoder, SingleValueEncodingContainer {
  let target: EncodedValue
  let path: CodingPath
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init(into target: EncodedValue, path: CodingPath) {
    self.target = target
    self.path = path
  }

  var codingPath: [any CodingKey] { path.keys }

  private func failure(_ message: String) -> JSONEncodingError {
    JSONEncodingError(pointer: JSONPointer(codingPath), message: message)
  }

  // MARK: - Containers

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(JSONKeyedEncodingContainer(object: target, path: path))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    JSONUnkeyedEncodingContainer(array: target, path: path)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  // MARK: - Single values

  func encodeNil() { target.set(.null) }

  func encode(_ value: Bool) { target.set(JSONValue(value)) }

  func encode(_ value: String) { target.set(JSONValue(value)) }

  func encode(_ value: Double) throws {
    guard value.isFinite else { throw failure("JSON has no form for the real \(value)") }
    target.set(JSONValue(value))
  }

  /// The nearest real to the decimal form, so that `0.1` stays `0.1`.
  func encode(_ value: Float) throws { try encode(Double(value.description) ?? Double(value)) }

  func encode<T: FixedWidthInteger & Encodable>(_ value: T) throws {
    guard let integer = Int64(exactly: value) else { throw failure("the integer \(value) does not fit in 64 bits") }
    target.set(JSONValue(integer))
  }

  func encode<T: Encodable>(_ value: T) throws {
    do {
      try value.encode(to: self)
    } catch {
      throw JSONEncodingError(error, at: codingPath)
    }
  }
}

extension JSONValue {
  /// Makes a value from one of a Swift type; members come in the order in which the type encodes them.
  /// - Throws: `JSONEncodingError` for a real that isn't finite, an integer beyond 64 bits, and errors of the type.
  public init(encoding value: some Encodable) throws(JSONEncodingError) {
    let target = EncodedValue()
    do {
      try JSONValueEncoder(into: target, path: .root).encode(value)
    } catch {
      throw JSONEncodingError(error, at: [])
    }
    self = target.finished()
  }
}
