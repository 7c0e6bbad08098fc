public import JSON

/// Who had something done, as far as the agent can tell.
///
/// What happens on behalf of the agent's owner names the file that says so; where a client set it off, by saying a
/// phrase, both are named.
public struct Actor: Sendable, Equatable {
  /// A program at the other end of a connection.
  public struct Client: Sendable, Equatable {
    /// The listener that it came in by: a socket's path, or `stdio`.
    public var listener: String
    /// What the kernel says of it.
    public var process: Process?
    /// The name of the process' user.
    public var user: String?
    /// What the program calls itself; anybody can call themselves anything.
    public var name: String?
    public var version: String?

    package init(listener: String, process: Process? = nil) {
      self.listener = listener
      self.process = process
    }
  }

  /// A process of this machine at the time when it connected.
  public struct Process: Sendable, Equatable {
    public var user: UInt32
    public var group: UInt32
    public var id: Int32

    package init(user: UInt32, group: UInt32, id: Int32) {
      self.user = user
      self.group = group
      self.id = id
    }
  }

  public var client: Client?
  /// The hook of hooks.d.
  public var hook: String?
  /// The job of jobs.d.
  public var job: String?
  /// The plugin of plugins.d, where it is no part of the agent.
  public var plugin: String?
  /// The phrase of ringi.json, as it is written there.
  public var phrase: String?
  /// The signal that the agent got.
  public var signal: String?

  public init(
    client: Client? = nil, hook: String? = nil, job: String? = nil, plugin: String? = nil, phrase: String? = nil,
    signal: String? = nil
  ) {
    self.client = client
    self.hook = hook
    self.job = job
    self.plugin = plugin
    self.phrase = phrase
    self.signal = signal
  }
}

// MARK: - JSON

extension Actor {
  /// Reads what ``json`` wrote; what is missing is unknown.
  public init(json: JSONValue) {
    self.init(
      client: json["client"].flatMap(Client.init), hook: json["hook"]?.string, job: json["job"]?.string,
      plugin: json["plugin"]?.string, phrase: json["phrase"]?.string, signal: json["signal"]?.string)
  }

  /// What is known, and nothing else.
  public var json: JSONValue {
    .known([
      ("client", client?.json), ("hook", hook.map { JSONValue($0) }), ("job", job.map { JSONValue($0) }),
      ("plugin", plugin.map { JSONValue($0) }), ("phrase", phrase.map { JSONValue($0) }),
      ("signal", signal.map { JSONValue($0) }),
    ])
  }
}

extension Actor.Client {
  fileprivate init?(_ json: JSONValue) {
    guard let listener = json["listener"]?.string else { return nil }
    self.init(listener: listener)
    if let user = json["uid"]?.int, let group = json["gid"]?.int, let id = json["pid"]?.int {
      process = Actor.Process(
        user: UInt32(truncatingIfNeeded: user), group: UInt32(truncatingIfNeeded: group),
        id: Int32(truncatingIfNeeded: id))
    }
    user = json["user"]?.string
    name = json["name"]?.string
    version = json["version"]?.string
  }

  fileprivate var json: JSONValue {
    .known([
      ("listener", JSONValue(listener)), ("uid", process.map { JSONValue(Int64($0.user)) }),
      ("gid", process.map { JSONValue(Int64($0.group)) }), ("pid", process.map { JSONValue(Int64($0.id)) }),
      ("user", user.map { JSONValue($0) }), ("name", name.map { JSONValue($0) }),
      ("version", version.map { JSONValue($0) }),
    ])
  }
}

extension JSONValue {
  /// An object of the members that have a value.
  package static func known(_ members: [(String, JSONValue?)]) -> JSONValue {
    JSONValue(object: members.compactMap { name, value in value.map { (name, $0) } })
  }
}
