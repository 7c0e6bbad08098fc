/// A record of the agent's own that is not what it should be.
public struct RecordError: Error, Equatable, CustomStringConvertible {
  /// The member that is missing or wrong.
  public let member: String

  public init(member: String) { self.member = member }

  public var description: String { "the member \(member) of a stored record is missing or wrong" }
}
