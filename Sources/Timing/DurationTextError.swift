/// Why a text is no duration.
public struct DurationTextError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    case malformed
    case tooLong
  }

  /// What was given.
  public let text: String
  package let reason: Reason

  /// One sentence that says what was given and what is taken.
  public var description: String {
    switch reason {
    case .malformed: "\"\(text)\" is no duration: write a whole number and a unit, 500ms, 30s, 5m, 2h or 1d"
    case .tooLong: "\"\(text)\" is too long: a duration is at most 106751991167d"
    }
  }
}
