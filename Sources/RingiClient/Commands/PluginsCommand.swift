internal import JSON

extension Command {
  static let plugins = Command(
    name: "plugins", operands: "[restart PLUGIN]", operandCount: 0...2,
    summary: "Shows the plugins and how they are, or restarts one",
    examples: [
      ("ringi plugins", "which run, which don't, and why"),
      ("ringi plugins restart sap", "start one anew, with its file read again"),
    ],
    run: PluginList.run)
}

/// The table of plugins.
enum PluginList {
  static func run(_ invocation: Invocation) throws(Failure) {
    let operands = invocation.arguments.operands
    guard let action = operands.first else { return try list(invocation) }
    guard action == "restart", operands.count == 2 else {
      throw .usage("ringi plugins takes nothing, or restart PLUGIN.", advice: "See `ringi plugins --help`.")
    }
    let result = try invocation.call("plugins.restart", ["plugin": JSONValue(operands[1])])
    guard !invocation.wantsJSON else { return invocation.output.json(result) }
    let plugin = result["plugin"] ?? result
    invocation.output.line(Styled(plugin["name"]?.string ?? operands[1], .bold), ": ", state(plugin))
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
      Table.Column(title: "NAME"), Table.Column(title: "STATE"), Table.Column(title: "SINCE", leaves: 3),
      Table.Column(title: "KIND", leaves: 1), Table.Column(title: "PROVIDER", leaves: 4),
      Table.Column(title: "METHODS", isNumber: true, leaves: 2),
      Table.Column(title: "RESTARTS", isNumber: true, leaves: 2),
      Table.Column(title: "LAST ERROR", minimum: 10, leaves: 5),
    ]
    let rows = plugins.map { plugin in
      [
        Styled(Fields.plainText(plugin["name"]), .cyan), state(plugin),
        Styled(Moment.relative(plugin["since"], now: now)), Styled(Fields.plainText(plugin["kind"])),
        Styled(Fields.plainText(plugin["provider"])),
        Styled(plugin["methods"]?.array.map { String($0.count) } ?? Fields.plainText(plugin["methods"])),
        Styled(Fields.plainText(plugin["restarts"])), ErrorCell.of(plugin["lastError"]),
      ]
    }
    return Table(columns: columns, rows: rows)
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
