internal import JSON
internal import RingiKit
internal import Timing

/// ringi.json: the agent itself.
package struct AgentFile: Equatable, Sendable {
  package var listen: [Listener.Address] = []
  package var logLevel = Log.Level.info
  package var logFormat = Log.Format.text
  package var limits = Limits()
  package var phrases: [Phrase] = []

  package init() {}

  static let schema = Schema.object([
    "listen": .array("Where to listen, and what clients there may call.", of: address),
    "log": .object([
      "level": .string("The least that is written.", enum: Log.Level.allCases.map(\.rawValue)).default("info"),
      "format": .string("How it is written.", enum: Log.Format.allCases.map(\.rawValue)).default("text"),
    ]),
    "limits": limits,
    "phrases": .array(
      "What people may say, and what call it stands for.",
      of: .object(
        [
          "say": .anyOf([.string(minLength: 1), .array(of: .string(minLength: 1), minItems: 1)])
            .described("What is said; several ways in an array."),
          "call": .string("The method to call.", minLength: 1),
          "params": .anyOf([.object([:], isOpen: true), .array(of: .any)]).described("Its params."),
        ], required: ["say", "call"])),
  ])

  private static let address = Schema.object(
    [
      "socket": .string("The socket's path.", minLength: 1),
      "mode": .string("The permissions of its file, in octal.").default("0600"),
      "group": .string("The group of its file."),
      "allow": .array("Globs over the methods that clients may call; everything without.", of: .string(minLength: 1)),
    ], required: ["socket"])

  private static let limits = Schema.object([
    "messageBytes": .integer("The longest message.", 1024...(1 << 30)).default(16_777_216),
    "depth": .integer("The deepest nesting of a message.", 8...1024).default(256),
    "batch": .integer("The most elements of a batch.", 1...100_000).default(1000),
    "inFlight": .integer("The most requests of one connection without an answer.", 1...100_000).default(1024),
    "connections": .integer("The most connections.", 1...1_000_000).default(8192),
    "outboxBytes": .integer(
      "The most bytes waiting for one client before events are dropped for it.", 65_536...(1 << 30)
    )
    .default(8_388_608),
    "requestTimeout": .duration("The most time that an answer may take.").default("60s"),
  ])

  init?(_ file: inout ConfigurationFile) {
    file.check(Self.schema)
    guard file.isUsable else { return nil }
    let value = file.value
    listen = Self.addresses(&file)
    logLevel = value["log"]?["level"]?.string.flatMap(Log.Level.init) ?? .info
    logFormat = value["log"]?["format"]?.string.flatMap(Log.Format.init) ?? .text
    limits = Self.limits(value["limits"] ?? .emptyObject)
    phrases = value["phrases"]?.array?.flatMap(Self.phrases) ?? []
    guard file.isUsable else { return nil }
  }

  private static func addresses(_ file: inout ConfigurationFile) -> [Listener.Address] {
    var addresses: [Listener.Address] = []
    for (index, value) in (file.value["listen"]?.array.map(Array.init) ?? []).enumerated() {
      let pointer = JSONPointer.root.appending("listen").appending(index)
      let path = value["socket"]?.string ?? ""
      if path.utf8.count > UnixSocket.maxPathBytes {
        file.complain(at: pointer.appending("socket"), "\(UnixSocket.BindError.pathTooLong(path))")
      }
      if addresses.contains(where: { $0.path == path }) {
        file.complain(at: pointer.appending("socket"), "another listener has this socket already")
      }
      let text = value["mode"]?.string ?? "0600"
      let mode = UInt32(text, radix: 8)
      if mode == nil || mode.map({ $0 > 0o777 }) == true {
        file.complain(
          at: pointer.appending("mode"), "mode takes permissions in octal such as \"0660\", got \"\(text)\"")
      }
      let group = value["group"]?.string
      if let group, SystemGroup.id(of: group) == nil {
        file.complain(at: pointer.appending("group"), "\(UnixSocket.BindError.unknownGroup(group))")
      }
      let allow = value["allow"]?.array.map { $0.compactMap(\.string).map { Glob($0) } }
      addresses.append(Listener.Address(path: path, mode: mode ?? 0o600, group: group, allow: allow))
    }
    return addresses
  }

  private static func limits(_ value: JSONValue) -> Limits {
    var limits = Limits()
    func read(_ name: String, _ target: inout Int) { if let number = value[name]?.int { target = Int(number) } }
    read("messageBytes", &limits.messageBytes)
    read("depth", &limits.depth)
    read("batch", &limits.batch)
    read("inFlight", &limits.inFlight)
    read("connections", &limits.connections)
    read("outboxBytes", &limits.outboxBytes)
    if let time = value["requestTimeout"]?.string.flatMap({ try? DurationText.parse($0) }) {
      limits.requestTimeout = time
    }
    return limits
  }

  private static func phrases(_ value: JSONValue) -> [Phrase] {
    let ways = value["say"]?.string.map { [$0] } ?? value["say"]?.array?.compactMap(\.string) ?? []
    return ways.map { Phrase(say: $0, call: value["call"]?.string ?? "", params: value["params"]) }
  }
}
