extension SchemaRule {
  /// Whether a value as a whole breaks this rule; rules about the parts of arrays and objects are always kept here.
  func isWhole(_ value: JSONValue) -> Bool {
    switch self {
    case .never: false
    case .type(let types): types.contains { $0.includes(value) }
    case .values(let values): values.contains { $0.isSame(as: value) }
    case .constant(let constant): constant.isSame(as: value)
    case .minLength(let count): value.length.map { $0 >= count } ?? true
    case .maxLength(let count): value.length.map { $0 <= count } ?? true
    case .minItems(let count): value.array.map { $0.count >= count } ?? true
    case .maxItems(let count): value.array.map { $0.count <= count } ?? true
    case .minimum(let bound): value.order(to: bound).map { $0 >= 0 } ?? true
    case .maximum(let bound): value.order(to: bound).map { $0 <= 0 } ?? true
    case .exclusiveMinimum(let bound): value.order(to: bound).map { $0 > 0 } ?? true
    case .exclusiveMaximum(let bound): value.order(to: bound).map { $0 < 0 } ?? true
    case .duration: value.withUTF8(Self.isDuration) ?? true
    default: true
    }
  }

  /// Digits and one of the units.
  private static func isDuration(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let unit = text.drop { $0.isDigit }
    guard unit.count < text.count else { return false }
    return ["ms", "s", "m", "h", "d"].contains { unit.elementsEqual($0.utf8) }
  }
}

extension JSONValue {
  /// A string's length in Unicode characters.
  fileprivate var length: Int? {
    withUTF8 { $0.count { !$0.isContinuation } }
  }

  /// Equality as JSON Schema means it: `1` and `1.0` are one number.
  fileprivate func isSame(as other: JSONValue) -> Bool { order(to: other).map { $0 == 0 } ?? (self == other) }

  /// Less than, equal to or more than 0 as this number is to another; nil unless both are numbers.
  fileprivate func order(to other: JSONValue) -> Int? {
    func order<T: Comparable>(_ left: T, _ right: T) -> Int { left < right ? -1 : left > right ? 1 : 0 }
    if case .integer(let integer) = storage, case .integer(let otherInteger) = other.storage {
      return order(integer, otherInteger)
    }
    guard let number = double, let otherNumber = other.double else { return nil }
    return order(number, otherNumber)
  }
}
