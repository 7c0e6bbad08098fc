/// What an event says happened; the agent's own types are named here, others belong to whoever publishes them.
public struct EventType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public init(_ name: String) { rawValue = name }

  public var description: String { rawValue }

  /// A task became actionable: once per readiness.
  public static let taskReady = EventType("task-ready")
  /// What matters about an open task changed.
  public static let taskChanged = EventType("task-changed")
  /// A task left the backend undecided.
  public static let taskGone = EventType("task-gone")
  /// A task was decided, through the agent or elsewhere.
  public static let approvalDone = EventType("approval-done")
  public static let pollFailed = EventType("poll-failed")
  public static let pollRecovered = EventType("poll-recovered")
  public static let pluginDown = EventType("plugin-down")
  public static let pluginUp = EventType("plugin-up")
  public static let loginRequired = EventType("login-required")
  /// Events that a subscriber asked for are not there any more, or were not kept for it.
  public static let eventsLost = EventType("events-lost")
  /// The agent is about to end.
  public static let agentStopping = EventType("agent-stopping")

  /// The types that the agent alone may publish.
  public static let builtIn: Set<EventType> = [
    .taskReady, .taskChanged, .taskGone, .approvalDone, .pollFailed, .pollRecovered, .pluginDown, .pluginUp,
    .loginRequired, .eventsLost, .agentStopping,
  ]
}
