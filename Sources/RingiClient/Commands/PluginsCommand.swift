internal import JSON
internal import Timing

extension Command {
  static let plugins = Command(
    name: "plugins", operands: "[PLUGIN | get PLUGIN | logs PLUGIN | restart PLUGIN]", operandCount: 0...2,
    summary: "Shows the plugins and how they are, all of one, or its log; restarts one",
    details: """
      CALLS counts the calls of its methods and its tasks; MEDIAN and P95 are how long the last of them took. --limit and
      --follow are for logs; Ctrl-C ends --follow, which is a success.
      """,
    options: [
      Option(name: "limit", value: "N", help: "logs: at most so many lines, the newest (default 100)"),
      Option(name: "follow", help: "logs: go on with what comes"),
    ],
    examples: [
      ("ringi plugins", "which run, which don't, and why"),
      ("ringi plugins sap", "all there is to know of one"),
      ("ringi plugins logs sap --follow", "what it says, as it says it"),
      ("ringi plugins restart sap", "start one anew, with its file as it was last read"),
    ],
    run: PluginList.run)
}

/// The table of plugins, and what there is to do with one.
enum PluginList {
  static func run(_ invocation: Invocation) throws(Failure) {
    let operands = invocation.arguments.operands
    let isLog = operands.first == "logs" && operands.count == 2
    guard isLog || !(invocation.arguments.has("follow") || invocation.arguments.has("limit")) else {
      throw .usage("--follow and --limit are for ringi plugins logs PLUGIN.", advice: "See `ringi plugins --help`.")
    }
    switch (operands.first, operands.count) {
    case (nil, _): try list(invocation)
    case ("get", 1), ("logs", 1), ("restart", 1):
      throw .usage(
        "ringi plugins \(operands[0]) needs the name of a plugin.", advice: "`ringi plugins` lists them.")
    case ("get", 2), (_, 1): try show(invocation, operands[operands.count - 1])
    case ("logs", 2): try PluginLogView.run(invocation, operands[1])
    case ("restart", 2): try restart(invocation, operands[1])
    default:
      throw .usage(
        "ringi plugins takes nothing, PLUGIN, get PLUGIN, logs PLUGIN, or restart PLUGIN.",
        advice: "See `ringi plugins --help`.")
    }
  }

  private static func restart(_ invocation: Invocation, _ name: String) throws(Failure) {
    let plugin = try invocation.call("plugins.restart", ["plugin": JSONValue(name)])
    guard !invocation.wantsJSON else { return invocation.output.json(plugin) }
    invocation.output.line(Styled(plugin["name"]?.string ?? name, .bold), ": ", state(plugin))
  }

  private static func list(_ invocation: Invocation) throws(Failure) {
    let result = try invocation.call("plugins.list")
    guard !invocation.wantsJSON else { return invocation.output.json(result) }
    let plugins = Listing.rows(result, "plugins")
    guard !plugins.isEmpty else {
      return invocation.output.line("There are no plugins. Each is a file in plugins.d of the configuration.")
    }
    invocation.output.table(table(plugins, in: invocation.surroundings))
  }

  static func table(_ plugins: [JSONValue], in surroundings: Surroundings) -> Table {
    let now = surroundings.now()
    let columns = [
      Table.Column(title: "NAME"), Table.Column(title: "STATE"), Table.Column(title: "SINCE", leaves: 5),
      Table.Column(title: "KIND", leaves: 1), Table.Column(title: "CALLS", isNumber: true, leaves: 9),
      Table.Column(title: "IN FLIGHT", isNumber: true, leaves: 2),
      Table.Column(title: "ERRORS", isNumber: true, leaves: 7),
      Table.Column(title: "MEDIAN", isNumber: true, leaves: 8),
      Table.Column(title: "P95", isNumber: true, leaves: 4), Table.Column(title: "MEMORY", isNumber: true, leaves: 6),
      Table.Column(title: "RESTARTS", isNumber: true, leaves: 3),
      Table.Column(title: "LAST ERROR", minimum: 10, leaves: 10),
    ]
    let rows = plugins.map { plugin in
      func text(_ key: String) -> Styled { Styled(Fields.plainText(plugin[key])) }
      return [
        Styled(Fields.plainText(plugin["name"]), .cyan), state(plugin),
        Styled(Moment.relative(plugin["since"], now: now)), text("kind"), text("calls"), text("inFlight"),
        text("errors"),
        Styled(Milliseconds.text(plugin["latency"]?["median"])), Styled(Milliseconds.text(plugin["latency"]?["p95"])),
        memory(plugin), text("restarts"), ErrorCell.of(plugin["lastError"]),
      ]
    }
    return Table(columns: columns, rows: rows)
  }

  /// All of one plugin, the error last, since it may be long.
  private static func show(_ invocation: Invocation, _ name: String) throws(Failure) {
    let plugin = try invocation.call("plugins.get", ["plugin": JSONValue(name)])
    guard !invocation.wantsJSON else { return invocation.output.json(plugin) }
    func text(_ key: String) -> Styled { Styled(Fields.plainText(plugin[key])) }
    let uptime = plugin["uptime"]?.int.map { DurationText.format(.seconds($0)) } ?? "-"
    var fields: [(String, Styled)] = [
      ("name", text("name")), ("kind", text("kind")), ("provider", text("provider")), ("state", state(plugin)),
      ("since", Styled(Moment.local(plugin["since"], in: invocation.surroundings))), ("uptime", Styled(uptime)),
      ("restarts", text("restarts")), ("pid", text("pid")), ("memory", memory(plugin)), ("calls", text("calls")),
      ("in flight", text("inFlight")), ("errors", text("errors")),
      ("median", Styled(Milliseconds.text(plugin["latency"]?["median"]))),
      ("p95", Styled(Milliseconds.text(plugin["latency"]?["p95"]))),
    ]
    let methods = plugin["methods"]?.array.map(Array.init) ?? []
    fields += methods.enumerated().map { ($0 == 0 ? "methods" : "", Styled(Fields.plainText($1))) }
    fields.append(("last error", ErrorCell.of(plugin["lastError"])))
    Fields.print(fields, to: invocation.output)
  }

  private static func memory(_ plugin: JSONValue) -> Styled {
    Styled(plugin["memory"]?.int.map { ByteCount.text($0) } ?? "-")
  }

  private static func state(_ plugin: JSONValue) -> Styled {
    let state = Fields.plainText(plugin["state"])
    switch state {
    case "running": return Styled(state, .green)
    case "starting", "backoff": return Styled(state, .yellow)
    case "failed": return Styled(state, .red)
    default: return Styled(state)
    }
  }
}
