internal import JSON

extension Command {
  static let claim = Command(
    name: "claim", operands: "TASK", operandCount: 1...1,
    summary: "Takes a task for yourself, so that nobody else works on it",
    examples: [("ringi claim sap/4005b254", "it is yours until `ringi release`")],
    run: { invocation throws(Failure) in try Claim.run("tasks.claim", "Claimed", invocation) })

  static let release = Command(
    name: "release", operands: "TASK", operandCount: 1...1,
    summary: "Gives a claimed task back",
    examples: [("ringi release sap/4005b254", "others may take it again")],
    run: { invocation throws(Failure) in try Claim.run("tasks.release", "Released", invocation) })
}

/// What claim and release have in common.
private enum Claim {
  static func run(_ method: String, _ done: String, _ invocation: Invocation) throws(Failure) {
    let result = try invocation.call(method, ["task": invocation.task])
    guard !invocation.wantsJSON else { return invocation.output.json(result) }
    invocation.output.line([Styled(done, .green), ": "] + TaskView(json: result["task"] ?? .null).named)
  }
}
