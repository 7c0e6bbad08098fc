internal import JSON
internal import Text

extension Command {
  static let status = Command(
    name: "status",
    summary: "Says how the agent is: what runs, what is wrong",
    examples: [
      ("ringi status", "at a glance"),
      ("ringi status --json | jq '.problems[]'", "what is wrong, for a program"),
    ],
    run: { invocation throws(Failure) in
      let result = try invocation.call("agent.status")
      guard !invocation.wantsJSON else { return invocation.output.json(result) }
      StatusReport.print(result, invocation)
    })

  static let reload = Command(
    name: "reload",
    summary: "Makes the agent read its configuration again",
    details: "What did not change goes on undisturbed; a broken new file is reported, and the old one stays in force.",
    examples: [("ringid --check && ringi reload", "look first, then take it over")],
    run: { invocation throws(Failure) in
      let result = try invocation.call("agent.reload")
      guard !invocation.wantsJSON else { return invocation.output.json(result) }
      if let changed = result["changed"], !Fields.isEmpty(changed) {
        invocation.output.line(Styled("Reloaded", .green), "; changed:")
        Fields.print(Fields.flattened(changed, at: changed.object == nil ? "files" : ""), to: invocation.output)
      } else {
        invocation.output.line("Reloaded; nothing changed.")
      }
      let problems = result["problems"]?.array?.compactMap(\.string) ?? []
      guard problems.isEmpty else {
        throw Failure(.refused, "Something is wrong; what was right before stays in force:", advice: problems)
      }
    })

  static let shutdown = Command(
    name: "shutdown",
    summary: "Stops the agent, once running calls and hooks are done",
    examples: [("ringi shutdown", "it ends within seconds")],
    run: { invocation throws(Failure) in
      let result = try invocation.call("agent.shutdown")
      guard !invocation.wantsJSON else { return invocation.output.json(result) }
      invocation.output.line("The agent stops.")
    })
}

/// The answer of `agent.status` for a person: what is wrong, a line each for the agent and its store, then the tables.
private enum StatusReport {
  static func print(_ status: JSONValue, _ invocation: Invocation) {
    let (output, surroundings) = (invocation.output, invocation.surroundings)
    problems(Listing.rows(status["problems"] ?? .null, ""), to: output)
    output.line()
    line("Agent", agent(status, in: surroundings), to: output)
    if let store = status["store"] { line("Store", self.store(store, in: surroundings), to: output) }
    if let pending = status["pendingDecisions"], pending.int ?? 0 > 0 {
      line("Pending", [Styled(Count.text(pending, of: "decision"), .yellow)], to: output)
    }
    section("Plugins", status["plugins"], to: output) { PluginList.table($0, in: surroundings) }
    section("Jobs", status["jobs"], to: output) { JobList.table($0, in: surroundings) }
    section("Hooks", status["hooks"], to: output, HookList.table)
  }

  private static func problems(_ problems: [JSONValue], to output: Output) {
    guard !problems.isEmpty else { return output.line(Styled("No problems", .green)) }
    output.line(Styled(Count.text(JSONValue(problems.count), of: "problem"), .red))
    for problem in problems {
      output.line("  ", Styled(problem["message"]?.string ?? Fields.plainText(problem)))
    }
  }

  private static func agent(_ status: JSONValue, in surroundings: Surroundings) -> [Styled] {
    [
      Styled("version \(Fields.plainText(status["version"]))"), Styled("pid \(Fields.plainText(status["pid"]))"),
      Styled("up since \(Moment.local(status["startedAt"], in: surroundings))"),
    ]
  }

  /// What is wrong with it, how much it holds, where it is, and what the disk takes for a commit.
  private static func store(_ store: JSONValue, in surroundings: Surroundings) -> [Styled] {
    var parts: [Styled] = []
    if let trouble = store["trouble"]?.string { parts.append(Styled("in trouble: \(trouble)", .red)) }
    if let waiting = store["waiting"]?.int, waiting > 0 { parts.append(Styled("\(waiting) waiting", .yellow)) }
    parts += [
      Styled(Count.text(store["events"], of: "event")), Styled(ByteCount.text(store["bytes"]?.int ?? 0)),
      Styled(Fields.plainText(store["path"])),
    ]
    if store["lastCommit"]?.string != nil {
      let time = Moment.local(store["lastCommit"], in: surroundings)
      parts.append(Styled("last commit \(time) in \(Fields.plainText(store["lastCommitDuration"]))"))
    }
    return parts
  }

  /// A name and what there is to say, the most important first: what does not fit the terminal is left out from behind.
  private static func line(_ name: String, _ parts: [Styled], to output: Output) {
    let label = Styled(padded(name, to: 9), .bold)
    var room = output.columns.map { $0 - displayWidth(of: label.text) } ?? .max
    var line = [label]
    for (index, part) in parts.enumerated() {
      let separator: Styled = index == 0 ? "" : ", "
      room -= displayWidth(of: separator.text + part.text)
      guard room >= 0 || index == 0 else { break }
      line += [separator, part]
    }
    output.line(line)
  }

  private static func section(
    _ title: String, _ rows: JSONValue?, to output: Output, _ table: ([JSONValue]) -> Table
  ) {
    guard let rows = rows?.array, !rows.isEmpty else { return }
    output.line()
    output.line(Styled(title, .bold))
    output.table(table(Array(rows)))
  }
}
