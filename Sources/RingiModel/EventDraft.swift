public import JSON

/// An event before the log has numbered it.
public struct EventDraft: Equatable, Sendable {
  public var type: EventType
  /// The instance it comes from; `nil` for the agent itself.
  public var instance: String?
  public var subject: String?
  public var data: JSONValue
  /// The ids of the events that led to this one, oldest first.
  public var causes: [String]

  public init(
    _ type: EventType, instance: String? = nil, subject: String? = nil, data: JSONValue = .emptyObject,
    causes: [String] = []
  ) {
    self.type = type
    self.instance = instance
    self.subject = subject
    self.data = data
    self.causes = causes
  }
}
