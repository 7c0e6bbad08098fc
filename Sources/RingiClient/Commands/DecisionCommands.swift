internal import JSON

extension Command {
  static let approve = Command(
    name: "approve", operands: "TASK", operandCount: 1...1,
    summary: "Approves a task at its backend",
    details: Decision.details,
    options: Decision.options,
    examples: [
      ("ringi approve newest", "the one that came last"),
      ("ringi approve sap/4005b254 --comment 'within budget'", "with a word on why"),
      ("ringi approve sap/4005b254 --dry-run", "see first what would be sent"),
    ],
    run: { invocation throws(Failure) in try Decision.run("tasks.approve", invocation) })

  static let reject = Command(
    name: "reject", operands: "TASK", operandCount: 1...1,
    summary: "Rejects a task at its backend",
    details: Decision.details,
    options: Decision.options,
    examples: [
      ("ringi reject sap/4005b254 --comment 'over budget'", "with a word on why"),
      ("ringi reject sap/4005b254 --context '{\"reason\": 3}'", "with values for the backend"),
    ],
    run: { invocation throws(Failure) in try Decision.run("tasks.reject", invocation) })

  static let complete = Command(
    name: "complete", operands: "TASK", operandCount: 1...1,
    summary: "Completes a task that takes more than yes or no",
    details: Decision.details,
    options: [Option(name: "decision", value: "WORD", help: "one of the backend's own decisions")] + Decision.words,
    examples: [
      ("ringi complete sap/4005b254", "just done"),
      ("ringi complete sap/4005b254 --decision escalate --context '{\"to\": \"P2000\"}'", "one of its own decisions"),
    ],
    run: { invocation throws(Failure) in try Decision.run("tasks.complete", invocation) })
}

/// What approve, reject and complete have in common.
enum Decision {
  static let details = """
    TASK is an id, the beginning of one that no other id begins with, or "newest" or "oldest" (of the ready ones).
    To repeat a decision that went through is a success too, so repeat it when you are not sure.
    """

  static let options = words + [Option(name: "dry-run", help: "show what would be sent, and send nothing")]

  /// What goes along with a decision.
  static let words = [
    Option(name: "comment", value: "TEXT", help: "a word for whoever reads it later"),
    Option(name: "context", value: "JSON", help: "values for the backend, as an object"),
    Option(
      name: "seen", value: "REVISION", help: "only if the task is still as it was at this revision (`ringi task`)"),
    Option(name: "idempotency-key", value: "KEY", help: "the same key never decides twice"),
  ]

  static func run(_ method: String, _ invocation: Invocation) throws(Failure) {
    let isDryRun = invocation.arguments.has("dry-run")
    let result = try invocation.call(
      method,
      ParameterText.members([
        ("task", invocation.task), ("decision", invocation.text("decision")), ("comment", invocation.text("comment")),
        ("context", try invocation.json("context")), ("seen", invocation.text("seen")),
        ("idempotencyKey", invocation.text("idempotency-key")), ("dryRun", isDryRun ? JSONValue(true) : Optional.none),
      ]))
    if invocation.wantsJSON {
      invocation.output.json(result)
    } else if isDryRun {
      invocation.output.line(TaskView(json: result["task"] ?? .null).named + [": nothing was sent; this would be:"])
      invocation.output.json(result["request"] ?? result)
    } else {
      report(result, to: invocation.output)
    }
  }

  /// Says what was decided about which task.
  static func report(_ result: JSONValue, to output: Output) {
    let task = TaskView(json: result["task"] ?? .null)
    let outcome = task.text("outcome") ?? task.status
    let isOld = result["already"]?.bool == true
    let verb = isOld ? "already \(outcome)" : outcome
    output.line([Styled(verb.prefix(1).uppercased() + verb.dropFirst(), isOld ? .yellow : .green), ": "] + task.named)
  }
}

extension Invocation {
  /// The operand TASK, which may have been copied from a table that cut it.
  var task: JSONValue { JSONValue(ShortIdentifiers.prefix(arguments.operands[0])) }
}
