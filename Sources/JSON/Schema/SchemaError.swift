/// A document is no schema that can be used here.
public struct SchemaError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Where in the document.
  public let pointer: JSONPointer
  public let message: String

  public init(pointer: JSONPointer, message: String) {
    self.pointer = pointer
    self.message = message
  }

  public var description: String { pointer.prefixing(message) }
}
