internal import Glibc
internal import JSON
internal import Text

/// `ringi plugins logs`: lines of a plugin's log, and with `--follow` those that come.
enum PluginLogView {
  /// How long it waits before it asks for what is new, in milliseconds.
  private static let pause: Int32 = 500
  /// All that the agent keeps.
  private static let all: JSONValue = 1000

  static func run(_ invocation: Invocation, _ plugin: String) throws(Failure) {
    let params = ParameterText.members([("plugin", JSONValue(plugin)), ("limit", try invocation.count("limit"))])
    let result = try invocation.call("plugins.logs", params)
    let lines = Listing.rows(result, "lines")
    guard invocation.arguments.has("follow") else {
      guard !invocation.wantsJSON else { return invocation.output.json(result) }
      guard !lines.isEmpty else { return invocation.output.line("Nothing was logged.") }
      return show(lines, invocation)
    }
    show(lines, invocation)
    try invocation.output.flush()
    try follow(plugin, after: lines.last?["number"]?.int ?? 0, invocation)
  }

  private static func follow(_ plugin: String, after first: Int64, _ invocation: Invocation) throws(Failure) {
    var last = first
    // Until here a Ctrl-C ends the program at once, as it should when the agent does not answer.
    let interruption = invocation.surroundings.interruption()
    while goesOn(interruption, invocation.output.descriptor) {
      let params: JSONValue = ["plugin": JSONValue(plugin), "since": JSONValue(last), "limit": all]
      let lines = Listing.rows(try invocation.call("plugins.logs", params), "lines")
      guard let oldest = lines.first?["number"]?.int, let newest = lines.last?["number"]?.int else { continue }
      if last > 0, oldest > last + 1 { invocation.note("\(oldest - last - 1) lines came too fast, and are gone.") }
      last = newest
      show(lines, invocation)
      try invocation.output.flush()
    }
  }

  /// Waits a moment; false when the person wants to end, or nobody reads the output any more.
  private static func goesOn(_ interruption: Int32?, _ output: Int32?) -> Bool {
    var watched = [
      pollfd(fd: interruption ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: output ?? -1, events: 0, revents: 0),
    ]
    return poll(&watched, nfds_t(watched.count), pause) <= 0
  }

  private static func show(_ lines: [JSONValue], _ invocation: Invocation) {
    for line in lines {
      guard !invocation.wantsJSON else {
        invocation.output.jsonLine(line)
        continue
      }
      let level = Fields.plainText(line["level"])
      let time = padded(Moment.local(line["time"], in: invocation.surroundings), to: 19)
      invocation.output.line(
        Styled(time, .dim), "  ", Styled(padded(level, to: 7), tint(level)), "  ",
        Styled(Fields.plainText(line["message"])))
    }
  }

  private static func tint(_ level: String) -> Styled.Tint? {
    switch level {
    case "error": .red
    case "warning": .yellow
    case "debug": .dim
    default: nil
    }
  }
}
