internal import JSON
internal import Text

extension Command {
  static let watch = Command(
    name: "watch",
    summary: "Tells what happens, as it happens",
    details: """
      One line per event until Ctrl-C, which is a success. When the agent goes away it ends with exit code 69.
      """,
    options: EventFilter.options + [
      Option(name: "since", value: "SEQUENCE", help: "first what happened after this event, then live")
    ],
    examples: [
      ("ringi watch", "everything"),
      ("ringi watch --type task-ready --where provider=sap", "new tasks of one backend"),
      ("ringi watch --since 0 --json >> events.jsonl", "from the beginning, one JSON object per line"),
      ("ringi watch --type task-ready | while read -r line; do printf '\\a'; done", "ring the bell"),
    ],
    run: Watch.run)
}

/// Live events as lines.
private enum Watch {
  static func run(_ invocation: Invocation) throws(Failure) {
    let since = try invocation.count("since")
    let params = ParameterText.members(try EventFilter.members(invocation) + [("since", since)])
    _ = try invocation.call("events.subscribe", params)
    let agent = try invocation.agent()
    // Until here a Ctrl-C ends the program at once, as it should when the agent does not answer.
    let interruption = invocation.surroundings.interruption()
    while case .message(let message) = try agent.next(interruption: interruption, output: invocation.output.descriptor)
    {
      guard let event = event(of: message) else { continue }
      show(event, invocation)
      try invocation.output.flush()
    }
  }

  /// The event of a notification; one about lost events has no envelope.
  private static func event(of message: JSONValue) -> JSONValue? {
    guard message["id"] == nil, let type = message["method"], let params = message["params"] else { return nil }
    return params["event"] ?? params.setting("type", to: type)
  }

  private static func show(_ event: JSONValue, _ invocation: Invocation) {
    guard !invocation.wantsJSON else { return invocation.output.jsonLine(event) }
    let view = EventView(json: event)
    let time = Styled(padded(view.time(in: invocation.surroundings), to: 19), .dim)
    let type = view.typeCell.replacingText { padded($0, to: 14) }
    invocation.output.line([time, "  ", type, "  "] + view.summary)
  }
}
