internal import JSON

extension Command {
  static let events = Command(
    name: "events",
    summary: "Shows what happened",
    options: EventFilter.options + [
      Option(name: "since", value: "SEQUENCE", help: "what happened after this event"),
      Option(name: "limit", value: "N", help: "at most so many, the oldest (default: all)"),
    ],
    examples: [
      ("ringi events", "what the agent remembers"),
      ("ringi events --type approval-done --where provider=sap", "who decided what"),
      ("ringi events --since 41 --json", "what came after event 41"),
    ],
    run: { invocation throws(Failure) in
      let result = try EventHistory.fetch(invocation)
      guard !invocation.wantsJSON else { return invocation.output.json(result) }
      let events = Listing.rows(result, "events").map(EventView.init)
      guard !events.isEmpty else { return invocation.output.line("Nothing happened.") }
      let columns = [
        Table.Column(title: "SEQUENCE", isNumber: true), Table.Column(title: "TIME", leaves: 1),
        Table.Column(title: "TYPE"), Table.Column(title: "WHAT", minimum: 16),
      ]
      let rows = events.map { event in
        [
          Styled(event.sequence), Styled(event.time(in: invocation.surroundings)), event.typeCell,
          Styled(event.summary.map(\.text).joined()),
        ]
      }
      invocation.output.table(Table(columns: columns, rows: rows))
    })

  static let publish = Command(
    name: "publish", operands: "TYPE [DATA | KEY=VALUE…]", operandCount: 1...Int.max,
    summary: "Publishes an event of your own, for subscribers and hooks",
    details: "DATA is JSON. The agent's own types, such as task-ready, are refused.",
    options: [Option(name: "subject", value: "TEXT", help: "what the event is about")],
    examples: [
      ("ringi publish lunch", "just that"),
      ("ringi publish build-done branch=main ok=true", "with data"),
      ("ringi publish build-done '{\"branch\": \"main\"}' --subject ci/42", "with data as JSON"),
    ],
    run: { invocation throws(Failure) in
      let operands = invocation.arguments.operands
      let data = try ParameterText.parameters(
        Array(operands.dropFirst()), of: "DATA", input: invocation.surroundings.input)
      let result = try invocation.call(
        "events.publish",
        ParameterText.members([
          ("type", JSONValue(operands[0])), ("subject", invocation.text("subject")), ("data", data),
        ]))
      guard !invocation.wantsJSON else { return invocation.output.json(result) }
      let event = EventView(json: result["event"] ?? .null)
      invocation.output.line(Styled("Published", .green), ": \(event.type), event \(event.sequence)")
    })
}

/// What the agent's log has.
private enum EventHistory {
  /// Asks for one page, or without a limit for page after page until there is nothing more.
  static func fetch(_ invocation: Invocation) throws(Failure) -> JSONValue {
    let limit = try invocation.count("limit")
    let rest = [("since", try invocation.count("since")), ("limit", limit)]
    let filter = ParameterText.members(try EventFilter.members(invocation) + rest)
    var page = try invocation.call("events.list", filter)
    guard limit == nil else { return page }
    var events: [JSONValue] = []
    while !Listing.rows(page, "events").isEmpty, let sequence = page["sequence"] {
      events += Listing.rows(page, "events")
      page = try invocation.call("events.list", filter.setting("since", to: sequence))
    }
    return page.setting("events", to: JSONValue(array: events))
  }
}
