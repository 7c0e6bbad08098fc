import CJansson
import Glibc  // whose libm the exact conversion of reals calls

/// Any JSON value: immutable, shared rather than copied, safe to pass between threads.
///
/// Strings, arrays and objects are handles on jansson's values; null, booleans and numbers are stored in place. Reading
/// a member makes no copy of it.
public struct JSONValue: Sendable {
  enum Storage: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case node(JSONNode)
  }

  /// The kinds of JSON values, with integers and reals apart: `1` is an integer, `1.0` and `1e0` are reals.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case null, bool, integer, real, string, array, object
  }

  let storage: Storage

  init(_ storage: Storage) { self.storage = storage }

  /// Takes over a reference that the caller owns.
  init(owning reference: JSONNode.Reference) {
    switch reference.pointee.type {
    case JSON_STRING, JSON_ARRAY, JSON_OBJECT: self.init(.node(JSONNode(owning: reference)))
    default:
      self.init(borrowing: reference)
      json_decref(reference)
    }
  }

  /// Keeps a part of a value that somebody else holds.
  init(borrowing reference: JSONNode.Reference) {
    switch reference.pointee.type {
    case JSON_NULL: self.init(.null)
    case JSON_TRUE: self.init(.bool(true))
    case JSON_FALSE: self.init(.bool(false))
    case JSON_INTEGER: self.init(.integer(Int64(json_integer_value(reference))))
    case JSON_REAL: self.init(.real(json_real_value(reference)))
    default: self.init(.node(JSONNode(owning: JSONNode.made(json_incref(reference)))))
    }
  }

  /// A reference for the caller to own.
  func makeReference() -> JSONNode.Reference {
    switch storage {
    case .null: JSONNode.made(json_null())
    case .bool(true): JSONNode.made(json_true())
    case .bool(false): JSONNode.made(json_false())
    case .integer(let value): JSONNode.made(json_integer(json_int_t(value)))
    case .real(let value): JSONNode.made(json_real(value))
    case .node(let node): JSONNode.made(json_incref(node.reference))
    }
  }

  /// The node when it is of a type.
  func node(_ type: json_type) -> JSONNode? {
    guard case .node(let node) = storage, node.type == type else { return nil }
    return node
  }
}

// MARK: - Making

extension JSONValue {
  public static let null = JSONValue(.null)
  public static let emptyArray = JSONValue(owning: JSONNode.made(json_array()))
  public static let emptyObject = JSONValue(owning: JSONNode.made(json_object()))

  public init(_ value: Bool) { self.init(.bool(value)) }

  public init(_ value: Int) { self.init(.integer(Int64(value))) }

  public init(_ value: Int64) { self.init(.integer(value)) }

  /// A real; null when the value is infinite or not a number, which JSON has no form for.
  public init(_ value: Double) { self.init(value.isFinite ? .real(value) : .null) }

  public init(_ value: String) {
    self.init(owning: value.withBytes(JSONNode.string))
  }

  public init(array: some Sequence<JSONValue>) {
    let reference = JSONNode.made(json_array())
    for element in array { JSONNode.done(json_array_append_new(reference, element.makeReference())) }
    self.init(owning: reference)
  }

  /// An object with its members in the given order; of two with one key, the last value counts.
  public init(object: [(String, JSONValue)]) {
    let reference = JSONNode.made(json_object())
    for (key, value) in object {
      key.withBytes { JSONNode.set(reference, $0, value.makeReference()) }
    }
    self.init(owning: reference)
  }
}

// MARK: - Reading

extension JSONValue {
  public var kind: Kind {
    switch storage {
    case .null: .null
    case .bool: .bool
    case .integer: .integer
    case .real: .real
    case .node(let node):
      switch node.type {
      case JSON_STRING: .string
      case JSON_ARRAY: .array
      default: .object
      }
    }
  }

  public var isNull: Bool {
    if case .null = storage { true } else { false }
  }

  public var bool: Bool? {
    if case .bool(let value) = storage { value } else { nil }
  }

  /// An integer, or a real that has no fraction and fits in 64 bits.
  public var int: Int64? {
    switch storage {
    case .integer(let value): value
    case .real(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// A number of either kind; an integer beyond 2^53 is rounded.
  public var double: Double? {
    switch storage {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }

  /// A copy of a string's characters.
  public var string: String? { withUTF8 { String(decoding: $0, as: UTF8.self) } }

  /// Calls with a string's bytes where they are; nil, without a call, for another kind.
  ///
  /// The buffer is valid during the call only.
  public func withUTF8<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R? {
    guard let node = node(JSON_STRING) else { return nil }
    return try withExtendedLifetime(node) { try body(JSONNode.bytes(node.reference)) }
  }

  public var array: JSONArray? { node(JSON_ARRAY).map(JSONArray.init) }

  public var object: JSONObject? { node(JSON_OBJECT).map(JSONObject.init) }

  /// The member of an object; nil for another kind too.
  public subscript(_ key: String) -> JSONValue? { object?[key] }

  /// The element of an array; nil for another kind and out of bounds too.
  public subscript(_ index: Int) -> JSONValue? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }
}

// MARK: - Comparing

extension JSONValue: Equatable {
  /// Whether two values say the same: the order of members doesn't matter, and an integer differs from a real.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left.storage, right.storage) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.node(let left), .node(let right)):
      left === right || json_equal(left.reference, right.reference) == 1
    default: false
    }
  }
}
