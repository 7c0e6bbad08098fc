package import JSON
internal import RingiModel
internal import Timing

/// One file of plugins.d: a plugin instance.
package struct PluginFile: Equatable, Sendable {
  /// How an instance is run.
  package enum Kind: String, Sendable, CaseIterable { case builtin, library, process }

  package enum FirstPoll: String, Sendable, CaseIterable {
    /// The very first poll says what already waits.
    case announce
    /// The very first poll only notes it.
    case baseline
  }

  package struct Poll: Equatable, Sendable {
    package var schedule: JobSchedule
    package var jitter: Duration

    /// The poll as a file would have it.
    fileprivate var json: JSONValue {
      guard case .every(let every) = schedule else { return .null }
      return [
        "every": JSONValue(DurationText.format(every.period)), "jitter": JSONValue(DurationText.format(jitter)),
      ]
    }
  }

  /// The poll of an instance whose file says nothing about it.
  static let standardPoll = Poll(schedule: .every(.minute), jitter: .seconds(6))

  package let instance: String
  package let path: String
  /// The folder that relative paths in settings start from.
  package let directory: String
  /// The provider, the program or the library that the instance is made from.
  package let provider: String
  /// How the program is run, where it is one.
  package let program: PluginProgram?
  /// The library, where it is one.
  package let library: PluginLibrary?
  /// Globs over the methods that a program or a library may call; `nil` for the usual ones.
  package let allow: [Glob]?
  package let isEnabled: Bool
  package let settings: JSONValue
  package let poll: Poll
  package let firstPoll: FirstPoll
  package let settleAfter: Duration

  static let schema = Schema.object(
    [
      "name": .string("The instance's name: the prefix of its methods; the file's name without.", minLength: 1),
      "provider": .string("A built-in provider.", minLength: 1),
      "library": .string("A shared library; its path starts from this file's folder.", minLength: 1),
      "command": .array("An executable plugin and its arguments.", of: .string(), minItems: 1),
      "protocol": .string("What `command` speaks.", enum: PluginProtocol.allCases.map(\.rawValue)).default("ringi"),
      "allow": .array(
        "Globs over the methods that a `command` or a `library` may call; without, its own, `events.publish`, and `tasks.*` for its "
          + "own tasks.", of: .string(minLength: 1)),
      "elicitation": MCPElicitation.schema,
      "env": .map("Variables of a `command`'s environment beyond the ones that every plugin gets.", of: .string()),
      "limits": ProcessLimits.schema,
      "enabled": .boolean("Whether it is loaded.").default(true),
      "settings": .object([:], isOpen: true).described("The provider's own settings, which its page lists."),
      "poll": .object(properties: ScheduleSettings.properties)
        .described("When the backend is asked for its tasks.").default(standardPoll.json),
      "firstPoll": .string(
        "What the very first poll does with what already waits: say so, or only note it.",
        enum: FirstPoll.allCases.map(\.rawValue)
      ).default("announce"),
      "settleAfter": .duration(
        "Within what time the backend shows what it made of a decision whose answer was lost; then it is asked again."
      ).default(JSONValue(DurationText.format(TaskTable.Pending.settles))),
    ])

  /// Reads a file; `nil` when it is not usable.
  ///
  /// - Parameters:
  ///   - file: The file; complaints go to it.
  ///   - providers: The settings' schemas of the built-in providers, by name.
  init?(_ file: inout ConfigurationFile, providers: [String: Schema]) {
    guard file.isObject else { return nil }
    file.check(Self.schema)
    var poll: Poll? = Self.standardPoll
    if file.value["poll"]?.object != nil {
      poll = ScheduleSettings.read(&file, at: JSONPointer.root.appending("poll"))
        .map { Poll(schedule: $0.schedule, jitter: $0.jitter) }
    }
    instance = InstanceName.read(&file)
    let origin = PluginOrigin.read(&file, providers)
    let settleAfter = file.positiveDuration(at: JSONPointer.root.appending("settleAfter"))
    let limits = ProcessLimits.read(&file)
    file.checkVariables(at: JSONPointer.root.appending("env"))
    guard file.isUsable, let poll, let origin else { return nil }
    let value = Self.schema.fillingDefaults(file.value)
    (path, directory) = (file.path, file.directory)
    provider = origin
    program = value["command"] == nil ? nil : PluginProgram(value, limits, in: file.directory)
    library = value["library"]?.string.map { PluginLibrary($0, in: file.directory) }
    allow = value["allow"]?.array?.compactMap { $0.string.map { Glob($0) } }
    isEnabled = value["enabled"]?.bool ?? true
    settings = value["settings"] ?? .emptyObject
    firstPoll = value["firstPoll"]?.string.flatMap(FirstPoll.init) ?? .announce
    self.poll = poll
    self.settleAfter = settleAfter ?? TaskTable.Pending.settles
  }

  package var kind: Kind { program != nil ? .process : library != nil ? .library : .builtin }

  /// Whether it is the same program or library, whatever else the file says of it.
  func hasSameCode(as other: PluginFile) -> Bool {
    switch (program, other.program) {
    case (let mine?, let theirs?): mine.hasSameCode(as: theirs)
    case (nil, nil): library == other.library
    default: false
    }
  }
}
