internal import JSON

extension Command {
  static let hooks = Command(
    name: "hooks", operands: "[test HOOK [EVENT] | deliveries [HOOK] | retry FAILED | discard FAILED]",
    operandCount: 0...3,
    summary: "Shows the hooks and what became of their deliveries, tries one out, delivers again, or lets go",
    details: """
      EVENT is JSON, an event as `ringi events --json` shows it; without it the agent makes one up. FAILED is a failed
      delivery, HOOK/SEQUENCE, or a HOOK for all of its failed ones; a plain number is an event's sequence.
      """,
    examples: [
      ("ringi hooks", "what runs on which event"),
      ("ringi hooks test notify", "run one now, as if its event had happened"),
      ("ringi hooks deliveries notify", "what was delivered, what failed and why"),
      ("ringi hooks retry notify/17", "a failed delivery once more"),
      ("ringi hooks discard notify", "all failed deliveries of a hook: they are gone for good"),
    ],
    run: HookList.run)
}

/// The tables of hooks and deliveries.
private enum HookList {
  static func run(_ invocation: Invocation) throws(Failure) {
    let operands = invocation.arguments.operands
    switch (operands.first, operands.count) {
    case (nil, _):
      try list(invocation, "hooks.list", .emptyObject, "hooks", empty: "There are no hooks. Each is a file in hooks.d.")
    case ("test", 2...3):
      let event = try operands.dropFirst(2).first.map { text throws(Failure) in
        try ParameterText.json(text, of: "EVENT")
      }
      try act(invocation, "hooks.test", [("hook", JSONValue(operands[1])), ("event", event)])
    case ("deliveries", 1...2):
      let hook = operands.dropFirst().first.map { JSONValue($0) }
      let params = ParameterText.members([("hook", hook)])
      try list(invocation, "hooks.deliveries", params, "deliveries", empty: "Nothing was delivered yet.")
    case ("retry", 2), ("discard", 2):
      try act(invocation, "hooks.\(operands[0])", [failed(operands[1])])
    default:
      throw .usage(
        "ringi hooks takes nothing, or test HOOK [EVENT], deliveries [HOOK], retry FAILED, or discard FAILED.",
        advice: "See `ringi hooks --help`.")
    }
  }

  /// What an operand chooses: an event's sequence, a delivery, or all of a hook.
  private static func failed(_ operand: String) -> (String, JSONValue?) {
    if let number = Int64(operand) { return ("delivery", JSONValue(number)) }
    return (operand.contains("/") ? "delivery" : "hook", JSONValue(operand))
  }

  private static func list(
    _ invocation: Invocation, _ method: String, _ params: JSONValue, _ key: String, empty: String
  ) throws(Failure) {
    let result = try invocation.call(method, params)
    guard !invocation.wantsJSON else { return invocation.output.json(result) }
    let rows = Listing.rows(result, key)
    if rows.isEmpty {
      invocation.output.line(Styled(empty))
    } else {
      invocation.output.table(Listing.table(rows))
    }
  }

  private static func act(
    _ invocation: Invocation, _ method: String, _ params: [(String, JSONValue?)]
  ) throws(Failure) {
    let result = try invocation.call(method, ParameterText.members(params))
    guard !invocation.wantsJSON else { return invocation.output.json(result) }
    Fields.print(Fields.flattened(result["delivery"] ?? result), to: invocation.output)
  }
}
