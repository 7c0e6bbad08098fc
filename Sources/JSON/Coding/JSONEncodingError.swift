/// A Swift value contains what JSON can't hold.
public struct JSONEncodingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Where in the result it would have been.
  public let pointer: JSONPointer
  /// What can't be held, without the place.
  public let message: String

  public init(pointer: JSONPointer, message: String) {
    self.pointer = pointer
    self.message = message
  }

  public var description: String { pointer.prefixing(message) }
}

extension JSONEncodingError {
  /// Any error that a type's `encode(to:)` may throw, at the place of the value it was thrown for.
  init(_ error: any Error, at path: @autoclosure () -> [any CodingKey]) {
    switch error {
    case let error as JSONEncodingError: self = error
    case EncodingError.invalidValue(_, let context):
      self.init(pointer: JSONPointer(context.codingPath), message: context.debugDescription)
    default: self.init(pointer: JSONPointer(path()), message: String(describing: error))
    }
  }
}
