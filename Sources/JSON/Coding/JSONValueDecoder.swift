import Glibc  // whose libm the exact conversion of reals calls

/// Gives a value to the `init(from:)` of a type, without writing it as text first.
///
/// It is the container of a single value too.
struct JSONValueDecoder: Decoder, SingleValueDecodingContainer {
  let value: JSONValue
  /// Where the container is from which the value comes, and its key there.
  let parent: CodingPath
  let key: (any CodingKey)?
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init(_ value: JSONValue, in parent: CodingPath = .root, key: (any CodingKey)? = nil) {
    self.value = value
    self.parent = parent
    self.key = key
  }

  var path: CodingPath { key.map { .child(parent, $0) } ?? parent }
  var codingPath: [any CodingKey] { path.keys }

  func failure(_ message: String) -> JSONDecodingError {
    JSONDecodingError(pointer: JSONPointer(codingPath), message: message)
  }

  func mismatch(_ expected: String) -> JSONDecodingError {
    failure("expected \(expected), found \(value.kind.described)")
  }

  // MARK: - Containers

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let object = value.object else { throw mismatch("an object") }
    return KeyedDecodingContainer(JSONKeyedDecodingContainer(object: object, path: path))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let array = value.array else { throw mismatch("an array") }
    return JSONUnkeyedDecodingContainer(array: array, path: path)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  // MARK: - Single values

  func decodeNil() -> Bool { value.isNull }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard let bool = value.bool else { throw mismatch("a boolean") }
    return bool
  }

  func decode(_ type: String.Type) throws -> String {
    guard let string = value.string else { throw mismatch("a string") }
    return string
  }

  func decode(_ type: Double.Type) throws -> Double {
    guard let double = value.double else { throw mismatch("a number") }
    return double
  }

  func decode(_ type: Float.Type) throws -> Float {
    let float = Float(try decode(Double.self))
    guard float.isFinite else { throw failure("the number is too large for a Float") }
    return float
  }

  /// An integer of any width; a real will do if it has no fraction, as in JSON Schema.
  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
    switch value.storage {
    case .integer(let found): return try integer(found)
    case .real(let found):
      if let whole = Int64(exactly: found) { return try integer(whole) }
      throw found.magnitude < 0x1p63 ? failure("expected an integer, found \(found)") : outOfRange(type, found)
    default: throw mismatch("an integer")
    }
  }

  private func integer<T: FixedWidthInteger>(_ found: Int64) throws -> T {
    guard let integer = T(exactly: found) else { throw outOfRange(T.self, found) }
    return integer
  }

  private func outOfRange<T: FixedWidthInteger>(_ type: T.Type, _ found: some Any) -> JSONDecodingError {
    failure("expected an integer from \(T.min) to \(T.max), found \(found)")
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    do {
      return try T(from: self)
    } catch {
      throw JSONDecodingError(error, at: codingPath)
    }
  }
}

extension JSONValue {
  /// Makes a value of a Swift type from this one.
  /// - Throws: `JSONDecodingError`, which says where something is missing or of another kind, and what was expected.
  ///   Keys that the type doesn't ask for are no error.
  public func decode<T: Decodable>(_ type: T.Type = T.self) throws(JSONDecodingError) -> T {
    do {
      return try JSONValueDecoder(self).decode(type)
    } catch {
      throw JSONDecodingError(error, at: [])
    }
  }
}
