package import JSON
internal import Timing

/// One file of plugins.d: a plugin instance.
package struct PluginFile: Equatable, Sendable {
  package enum FirstPoll: String, Sendable, CaseIterable {
    /// The very first poll says what already waits.
    case announce
    /// The very first poll only notes it.
    case baseline
  }

  package struct Poll: Equatable, Sendable {
    package var schedule: JobSchedule
    package var jitter: Duration
  }

  /// The poll of an instance whose file says nothing about it.
  static let standardPoll = Poll(schedule: .every(.minute), jitter: .seconds(6))

  /// The prefixes of the agent's own methods, which no instance may take.
  static let reserved: Set<String> = ["agent", "events", "hooks", "jobs", "phrases", "plugins", "rpc", "tasks"]

  package let instance: String
  package let path: String
  package let provider: String
  package let isEnabled: Bool
  package let settings: JSONValue
  package let poll: Poll
  package let firstPoll: FirstPoll

  /// The folder that relative paths in settings start from.
  package var directory: String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
  }

  static let schema = Schema.object(
    [
      "name": .string("The instance's name; the file's without."),
      "provider": .string("A built-in provider."),
      "library": .string("A native plugin."),
      "command": .array("An executable plugin and its arguments.", of: .string(), minItems: 1),
      "protocol": .string("What an executable plugin speaks.", enum: ["ringi", "mcp"]),
      "enabled": .boolean("Whether it is loaded.").default(true),
      "settings": .object([:], isOpen: true).described("The provider's own settings."),
      "poll": .object(properties: ScheduleSettings.properties).described("When its tasks are asked for."),
      "firstPoll": .string("What the very first poll does.", enum: FirstPoll.allCases.map(\.rawValue))
        .default("announce"),
    ])

  /// Reads a file; `nil` when it is not usable.
  ///
  /// - Parameters:
  ///   - file: The file; complaints go to it.
  ///   - providers: The settings' schemas of the built-in providers, by name.
  init?(_ file: inout ConfigurationFile, providers: [String: Schema]) {
    file.check(Self.schema)
    guard file.isUsable else { return nil }
    let value = file.value
    instance = value["name"]?.string ?? file.name
    path = file.path
    isEnabled = value["enabled"]?.bool ?? true
    settings = value["settings"] ?? .emptyObject
    firstPoll = value["firstPoll"]?.string.flatMap(FirstPoll.init) ?? .announce
    provider = value["provider"]?.string ?? ""
    let pointer = JSONPointer.root.appending("poll")
    if let poll = value["poll"] {
      let schedule = ScheduleSettings.read(&file, at: pointer) ?? Self.standardPoll.schedule
      self.poll = Poll(schedule: schedule, jitter: ScheduleSettings.jitter(poll))
    } else {
      poll = Self.standardPoll
    }
    Self.checkName(instance, &file)
    Self.checkKind(&file, providers)
    guard file.isUsable else { return nil }
  }

  private static func checkName(_ name: String, _ file: inout ConfigurationFile) {
    let pointer = file.value["name"] == nil ? JSONPointer.root : JSONPointer.root.appending("name")
    if reserved.contains(name) {
      file.complain(at: pointer, "the name \"\(name)\" is the prefix of the agent's own methods; choose another")
    } else if !isName(name) {
      file.complain(
        at: pointer, "the name \"\(name)\" is no prefix for methods; it takes a letter, then letters, digits, - and _")
    }
  }

  static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
    let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte | 0x20) }
    return isLetter(first)
      && name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F }
  }

  private static func checkKind(_ file: inout ConfigurationFile, _ providers: [String: Schema]) {
    let kinds = ["provider", "library", "command"].filter { file.value[$0] != nil }
    guard kinds == ["provider"], let name = file.value["provider"]?.string else {
      switch kinds.count {
      case 0: file.complain(at: .root, "it names no provider, library or command; give one of them")
      case 1:
        file.complain(
          at: JSONPointer.root.appending(kinds[0]), aboutKey: true,
          "this version loads built-in providers only, no \(kinds[0]); use \"provider\"")
      default:
        file.complain(
          at: JSONPointer.root.appending(kinds[1]), aboutKey: true,
          "\(kinds.joined(separator: " and ")) exclude each other; keep one")
      }
      return
    }
    guard let schema = providers[name] else {
      let near = Suggestion.nearest(to: name, among: Array(providers.keys)).map { "; did you mean \"\($0)\"?" } ?? ""
      file.complain(
        at: JSONPointer.root.appending("provider"),
        "there is no provider \"\(name)\"\(near) (there are: \(providers.keys.sorted().joined(separator: ", ")))")
      return
    }
    let pointer = JSONPointer.root.appending("settings")
    if file.value["settings"] == nil {
      for violation in schema.validate(.emptyObject) { file.complain(at: .root, "settings: \(violation.message)") }
    }
    file.check(schema, at: pointer)
    file.checkSecrets(schema, at: pointer)
  }
}
