/// What a parser accepts beyond plain RFC 8259, and how deep it goes.
public struct JSONParsingOptions: Sendable, Hashable {
  /// What to do with an integer that 64 bits can't hold.
  public enum LargeIntegers: Sendable, Hashable {
    /// It is an error that points at the number.
    case reject
    /// It becomes the nearest real.
    case asReal
  }

  /// What to do with a key that an object has twice.
  public enum DuplicateKeys: Sendable, Hashable {
    /// The last value counts, in the first one's place.
    case lastWins
    /// It is an error that points at the second one.
    case reject
  }

  /// How many arrays and objects may be inside each other; more than ``depthLimit`` counts as that.
  public var maxDepth: Int
  public var largeIntegers: LargeIntegers
  public var duplicateKeys: DuplicateKeys

  /// The deepest nesting that jansson itself reads.
  public static let depthLimit = 2047

  public init(
    maxDepth: Int = 256, largeIntegers: LargeIntegers = .reject, duplicateKeys: DuplicateKeys = .lastWins
  ) {
    self.maxDepth = maxDepth
    self.largeIntegers = largeIntegers
    self.duplicateKeys = duplicateKeys
  }
}
