public import EventLoop
public import RingiModel

/// What the agent lends to one plugin instance.
public struct ProviderContext: Sendable {
  public enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug, info, warning, error

    public static func < (a: LogLevel, b: LogLevel) -> Bool {
      a.rank < b.rank
    }

    private var rank: Int {
      switch self {
      case .debug: 0
      case .info: 1
      case .warning: 2
      case .error: 3
      }
    }
  }

  /// The instance's name: the prefix of its methods and of its tasks' ids.
  public let instance: String
  /// Time, for everything that waits.
  public let clock: any LoopClock
  /// The folder of the plugins.d file, which relative paths in settings start from.
  public let directory: String
  /// Reads a secret's value; throws `RPCError` (login-required) that names the place when it can't be read.
  ///
  /// Ask each time it is needed, since it may be renewed where it is kept.
  public let readSecret: @Loop @Sendable (Secret) async throws -> String
  /// Keeps a value that the instance was given, such as an access token, out of everything that the agent says.
  public let hide: @Loop @Sendable (String) -> Void
  /// What the agent keeps for the instance.
  public let state: PluginState
  /// Writes a line to the agent's log under the instance's name.
  public let log: @Loop @Sendable (LogLevel, String) -> Void
  /// Publishes an event of the instance's own; the built-in types are refused.
  public let publish: @Loop @Sendable (EventDraft) async throws -> Event

  public init(
    instance: String, clock: any LoopClock, directory: String,
    readSecret: @escaping @Loop @Sendable (Secret) async throws -> String,
    hide: @escaping @Loop @Sendable (String) -> Void,
    state: PluginState,
    log: @escaping @Loop @Sendable (LogLevel, String) -> Void,
    publish: @escaping @Loop @Sendable (EventDraft) async throws -> Event
  ) {
    self.instance = instance
    self.clock = clock
    self.directory = directory
    self.readSecret = readSecret
    self.hide = hide
    self.state = state
    self.log = log
    self.publish = publish
  }

  /// The full id of one of the instance's tasks.
  public func taskID(_ key: String) -> TaskItem.ID { TaskItem.ID(provider: instance, key: key) }
}
