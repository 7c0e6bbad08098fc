extension Schema {
  /// One thing in a value that the schema doesn't take.
  public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// Where in the value; for a missing key, the object that lacks it.
    public let pointer: JSONPointer
    /// Whether it is the key there that is wrong, not the value.
    public let concernsKey: Bool
    /// What is there and what would be taken, without the place.
    ///
    /// A secret's value is never in it.
    public let message: String

    init(at tokens: [String], concernsKey: Bool = false, _ message: String) {
      self.pointer = JSONPointer(tokens: tokens)
      self.concernsKey = concernsKey
      self.message = message
    }

    public var description: String { pointer.prefixing(message) }
  }
}
