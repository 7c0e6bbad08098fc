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
      StatusReport.print(result, to: invocation.output)
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

/// The answer of `agent.status` for a person: the plain values first, then a section for each list.
private enum StatusReport {
  static func print(_ status: JSONValue, to output: Output) {
    let members = (status.object.map(Array.init) ?? []).filter { $0.key != "problems" }
    let plain = members.filter { $0.value.object == nil && $0.value.array == nil }
    Fields.print(plain.map { ($0.key, cell($0.key, $0.value)) }, to: output)
    for (name, value) in members where value.object != nil || value.array != nil {
      guard !Fields.isEmpty(value) else { continue }
      if name == "store" { store(value, to: output) } else { section(name, value, to: output) }
    }
    problems(Listing.rows(status["problems"] ?? .null, ""), to: output)
  }

  private static func cell(_ name: String, _ value: JSONValue) -> Styled {
    guard name == "uptime", let seconds = value.double else { return Styled(Fields.plainText(value)) }
    return Styled(Elapsed.text(seconds: seconds))
  }

  private static func section(_ name: String, _ value: JSONValue, to output: Output) {
    output.line()
    output.line(Styled(name.prefix(1).uppercased() + name.dropFirst(), .bold))
    if let rows = value.array, rows.allSatisfy({ $0.object != nil }) {
      output.table(Listing.table(Array(rows)))
    } else {
      Fields.print(Fields.flattened(value), to: output)
    }
  }

  /// Where it is and how much, how far it has come, and what the disk takes for a commit.
  private static func store(_ store: JSONValue, to output: Output) {
    func text(_ name: String) -> String { Fields.plainText(store[name]) }
    var line = "\(text("path")), \(ByteCount.text(store["bytes"]?.int ?? 0))"
    line += ", \(text("events")) events (\(text("firstSequence")) to \(text("lastSequence")))"
    if store["lastCommit"]?.string != nil {
      line += ", last commit \(text("lastCommit")) in \(text("lastCommitDuration"))"
    }
    if let waiting = store["waiting"]?.int, waiting > 0 { line += ", \(waiting) waiting" }
    output.line()
    output.line(Styled("Store", .bold))
    let trouble = store["trouble"]?.string
    output.line("  ", Styled(line), Styled(trouble.map { ", in trouble: \($0)" } ?? "", .red))
  }

  private static func problems(_ problems: [JSONValue], to output: Output) {
    output.line()
    guard !problems.isEmpty else { return output.line(Styled("No problems", .green)) }
    output.line(Styled(problems.count == 1 ? "1 problem" : "\(problems.count) problems", .red))
    for problem in problems {
      output.line("  ", Styled(problem["message"]?.string ?? Fields.plainText(problem)))
    }
  }
}
