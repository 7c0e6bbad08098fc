internal import JSON

extension Command {
  static let refresh = Command(
    name: "refresh", operands: "[PROVIDER]", operandCount: 0...1,
    summary: "Asks the backends for their tasks now",
    examples: [
      ("ringi refresh", "all of them"),
      ("ringi refresh sap && ringi tasks", "one, then look"),
    ],
    run: Refreshing.run)
}

/// What polls have found, and which failed.
private enum Refreshing {
  static func run(_ invocation: Invocation) throws(Failure) {
    let provider = invocation.arguments.operands.first.map { JSONValue($0) }
    let result = try invocation.call("tasks.refresh", ParameterText.members([("provider", provider)]))
    if invocation.wantsJSON { invocation.output.json(result) } else { show(result, on: invocation.output) }
    if let failed = result["failed"]?.array.map(Array.init), let first = failed.first {
      throw failure(first, among: failed)
    }
  }

  private static func show(_ result: JSONValue, on output: Output) {
    guard result["polled"]?.array?.isEmpty != true else { return output.line("No plugin has tasks to poll for.") }
    output.line(
      "Polled \(Fields.plainText(result["polled"])): \(Fields.plainText(result["ready"])) newly ready, ",
      "\(Fields.plainText(result["changed"])) changed.")
  }

  /// Of several polls that failed each has a line, and the first one's error the exit code.
  private static func failure(_ first: JSONValue, among failed: [JSONValue]) -> Failure {
    let failure = AgentError(first).failure
    guard failed.count > 1 else {
      let name = Fields.plainText(first["provider"])
      return Failure(failure.code, "The poll of \(name) failed: \(failure.message)", advice: failure.advice)
    }
    return Failure(failure.code, "\(failed.count) polls failed:", advice: AgentError.lines(ofPolls: failed))
  }
}
