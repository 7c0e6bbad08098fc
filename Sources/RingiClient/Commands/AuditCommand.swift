internal import JSON

extension Command {
  static let audit = Command(
    name: "audit",
    summary: "Shows who had what done, and checks that nobody changed that",
    details: """
      Without --since it shows the newest entries. WHO is the user of the process that asked and what the program calls
      itself, or the hook, job or phrase of the configuration.
      """,
    options: [
      Option(name: "task", value: "TASK", help: "only what was done to this task: its id or the beginning of it"),
      Option(name: "action", value: "WORD", help: "only this action: approve, reload, jobs.run"),
      Option(name: "since", value: "NUMBER", help: "what came after this entry"),
      Option(name: "limit", value: "N", help: "at most so many (default 100)"),
      Option(name: "verify", help: "check the chain of hashes; exit code 1 when it is broken"),
    ],
    examples: [
      ("ringi audit", "the newest entries"),
      ("ringi audit --task sap/4005b254", "what was done to one task"),
      ("ringi audit --verify --json | tee -a elsewhere", "check, and keep the head where the agent can't write"),
    ],
    run: { invocation throws(Failure) in
      if invocation.arguments.has("verify") { return try AuditReport.verify(invocation) }
      let result = try invocation.call(
        "audit.list",
        ParameterText.members([
          ("task", invocation.arguments.value("task").map { JSONValue(ShortIdentifiers.prefix($0)) }),
          ("action", invocation.text("action")), ("since", try invocation.count("since")),
          ("limit", try invocation.count("limit")),
        ]))
      guard !invocation.wantsJSON else { return invocation.output.json(result) }
      AuditReport.print(Listing.rows(result, "entries"), invocation)
    })
}

private enum AuditReport {
  static func print(_ entries: [JSONValue], _ invocation: Invocation) {
    guard !entries.isEmpty else { return invocation.output.line("Nothing was done.") }
    let columns = [
      Table.Column(title: "NUMBER", isNumber: true), Table.Column(title: "TIME", leaves: 1),
      Table.Column(title: "ACTION"), Table.Column(title: "TASK", minimum: 12, leaves: 3),
      Table.Column(title: "OUTCOME"), Table.Column(title: "WHO", minimum: 10, leaves: 2),
    ]
    let rows = entries.map { entry in
      [
        Styled(Fields.plainText(entry["number"])), Styled(Moment.local(entry["time"], in: invocation.surroundings)),
        Styled(Fields.plainText(entry["action"])), Styled(Fields.plainText(entry["task"]), .cyan), outcome(entry),
        Styled(who(entry["actor"])),
      ]
    }
    invocation.output.table(Table(columns: columns, rows: rows))
  }

  private static func outcome(_ entry: JSONValue) -> Styled {
    let outcome = Fields.plainText(entry["outcome"])
    switch outcome {
    case "approved", "rejected", "completed", "claimed", "released", "done", "changed": return Styled(outcome, .green)
    case "failed", "unknown", "conflict": return Styled(outcome, .red)
    default: return Styled(outcome)
    }
  }

  private static func who(_ actor: JSONValue?) -> String {
    var words: [String] = []
    if let client = actor?["client"] {
      let user = client["user"]?.string ?? client["uid"].map { "uid \($0)" } ?? Fields.plainText(client["listener"])
      words.append(user + (client["name"]?.string.map { " by \($0)" } ?? ""))
    }
    for kind in ["hook", "job", "phrase", "signal"] {
      if let name = actor?[kind]?.string { words.append("\(kind) \(name)") }
    }
    return words.isEmpty ? "the agent" : words.joined(separator: ", ")
  }

  static func verify(_ invocation: Invocation) throws(Failure) {
    let result = try invocation.call("audit.verify")
    if invocation.wantsJSON { invocation.output.json(result) }
    let (entries, head) = (Count.text(result["entries"], of: "entry", "entries"), Fields.plainText(result["head"]))
    guard result["valid"]?.bool == true else {
      throw Failure(
        .refused,
        "The audit log is broken: entry \(Fields.plainText(result["firstBroken"])) is not what was written there.",
        advice: ["Somebody has changed, taken out or put in an entry; a backup from before shows what it said."])
    }
    guard !invocation.wantsJSON else { return }
    invocation.output.line(Styled("Whole", .green), ": \(entries), the last with the hash")
    invocation.output.line("  \(head)")
    invocation.output.line("Keep both elsewhere: that the end was cut off shows in them alone.")
  }
}
