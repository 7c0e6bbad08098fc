/// A JSON value is not what a type wants.
public struct JSONDecodingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Where the value is, inside the one that was decoded.
  public let pointer: JSONPointer
  /// What was found there and what was expected, without the place.
  ///
  /// It contains no string from the value.
  public let message: String

  public init(pointer: JSONPointer, message: String) {
    self.pointer = pointer
    self.message = message
  }

  public var description: String { pointer.prefixing(message) }
}

extension JSONDecodingError {
  /// Any error that a type's `init(from:)` may throw, at the place of the value it was thrown for.
  init(_ error: any Error, at path: @autoclosure () -> [any CodingKey]) {
    switch error {
    case let error as JSONDecodingError: self = error
    case DecodingError.keyNotFound(let key, let context):
      self.init(context.codingPath, "the key \"\(key.stringValue)\" is missing")
    case DecodingError.valueNotFound(_, let context), DecodingError.typeMismatch(_, let context),
      DecodingError.dataCorrupted(let context):
      self.init(context.codingPath, context.debugDescription)
    default: self.init(path(), String(describing: error))
    }
  }

  private init(_ path: [any CodingKey], _ message: String) {
    self.init(pointer: JSONPointer(path), message: message)
  }
}

extension JSONValue.Kind {
  /// The kind with its article, for sentences.
  var described: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer: "an integer"
    case .real: "a real"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
