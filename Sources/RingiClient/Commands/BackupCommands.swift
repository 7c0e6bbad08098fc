internal import Glibc
internal import JSON

extension Command {
  static let backup = Command(
    name: "backup", operands: "FILE", operandCount: 1...1,
    summary: "Copies what the agent remembers into a file, while it runs",
    details: "The agent writes the file, readable for its own user alone; it appears when it is complete.",
    options: [Option(name: "force", help: "replace FILE if it is there")],
    examples: [
      ("ringi backup /var/backups/ringi.db", "one file with everything"),
      ("ringi backup --force last.db", "over the last one"),
    ],
    run: { invocation throws(Failure) in
      let errors = invocation.surroundings.errors
      var params = ParameterText.members([
        ("file", JSONValue(absolute(invocation.arguments.operands[0]))),
        ("force", invocation.arguments.has("force") ? JSONValue(true) : Optional.none),
      ])
      if errors.isTerminal { params = params.setting("progressToken", to: 1) }
      var shown = -1
      let result = try invocation.call("agent.backup", params) { value in
        let percent = Int((value["share"]?.double ?? 0) * 100)
        guard percent > shown else { return }
        shown = percent
        errors.text("\r\(percent) %", endsLine: false)
        // Where this can't be shown the result still can.
        try? errors.flush()
      }
      if shown >= 0 { errors.text("\r      \r", endsLine: false) }
      guard !invocation.wantsJSON else { return invocation.output.json(result) }
      invocation.output.line(
        Styled("Written", .green), ": \(Fields.plainText(result["file"])), \(ByteCount.text(result["bytes"]?.int ?? 0))"
      )
    })

  static let restore = Command(
    name: "restore", operands: "FILE", operandCount: 1...1,
    summary: "Puts a backup in the place of what a stopped agent remembers",
    details: """
      The agent has to be stopped (`ringi shutdown`). What it remembered is set aside beside the new store, never
      deleted. The work is done by `ringid --restore`.
      """,
    options: [Option(name: "state", value: "DIR", help: "the state directory (default: as ringid's)")],
    examples: [("ringi shutdown; ringi restore /var/backups/ringi.db", "then start ringid again")],
    run: { invocation throws(Failure) in
      // Another agent's socket does not say where that agent keeps what it remembers.
      if invocation.arguments.value("socket") != nil, invocation.arguments.value("state") == nil {
        throw .usage("ringi restore works on a state directory, not through a socket; say which: --state DIR.")
      }
      var arguments = ["--restore", absolute(invocation.arguments.operands[0])]
      if let state = invocation.arguments.value("state") { arguments += ["--state", state] }
      try AgentProgram.become(arguments)
    })
}

/// A path that means the same in every directory.
private func absolute(_ path: String) -> String {
  guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
  defer { free(directory) }
  return "\(String(cString: directory))/\(path)"
}
