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
enum HookList {
  static func run(_ invocation: Invocation) throws(Failure) {
    let operands = invocation.arguments.operands
    switch (operands.first, operands.count) {
    case (nil, _):
      try list(
        invocation, "hooks.list", .emptyObject, "hooks", empty: "There are no hooks. Each is a file in hooks.d.", table)
    case ("test", 2...3):
      let event = try operands.dropFirst(2).first.map { text throws(Failure) in
        try ParameterText.json(text, of: "EVENT")
      }
      let result = try act(invocation, "hooks.test", [("hook", JSONValue(operands[1])), ("event", event)])
      guard result["delivered"]?.bool != false else {
        throw Failure(.refused, "The hook \(operands[1]) failed: \(Fields.plainText(result["error"]))")
      }
    case ("deliveries", 1...2):
      let hook = operands.dropFirst().first.map { JSONValue($0) }
      let params = ParameterText.members([("hook", hook)])
      try list(invocation, "hooks.deliveries", params, "deliveries", empty: "Nothing was delivered yet.") { rows in
        deliveryTable(rows, in: invocation.surroundings)
      }
    case ("retry", 2), ("discard", 2):
      _ = try act(invocation, "hooks.\(operands[0])", [failed(operands[1])])
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
    _ invocation: Invocation, _ method: String, _ params: JSONValue, _ key: String, empty: String,
    _ table: ([JSONValue]) -> Table
  ) throws(Failure) {
    let result = try invocation.call(method, params)
    guard !invocation.wantsJSON else { return invocation.output.json(result) }
    let rows = Listing.rows(result, key)
    if rows.isEmpty {
      invocation.output.line(Styled(empty))
    } else {
      invocation.output.table(table(rows))
    }
  }

  private static func act(
    _ invocation: Invocation, _ method: String, _ params: [(String, JSONValue?)]
  ) throws(Failure) -> JSONValue {
    let result = try invocation.call(method, ParameterText.members(params))
    if invocation.wantsJSON {
      invocation.output.json(result)
    } else {
      Fields.print(Fields.flattened(result["delivery"] ?? result), to: invocation.output)
    }
    return result
  }

  static func table(_ hooks: [JSONValue]) -> Table {
    let columns = [
      Table.Column(title: "NAME"), Table.Column(title: "STATE"), Table.Column(title: "ON", minimum: 8, leaves: 6),
      Table.Column(title: "WHERE", minimum: 8, leaves: 3), Table.Column(title: "ACTION", leaves: 2),
      Table.Column(title: "LAST EVENT", isNumber: true, leaves: 1),
      Table.Column(title: "BACKLOG", isNumber: true, leaves: 4),
      Table.Column(title: "DELIVERED", isNumber: true, leaves: 2),
      Table.Column(title: "FAILED", isNumber: true, leaves: 7), Table.Column(title: "LOST", isNumber: true, leaves: 4),
      Table.Column(title: "LAST ERROR", minimum: 20, leaves: 5),
    ]
    let rows = hooks.map { hook in
      func text(_ key: String) -> String { Fields.plainText(hook[key]) }
      return [
        Styled(text("name"), .cyan), Styled(text("state")), Styled(text("on")),
        Styled(hook["where"].map(Fields.isEmpty) == true ? "-" : text("where")), Styled(text("action")),
        Styled(text("lastSequence")), Styled(text("backlog")), Styled(text("delivered")),
        Styled(text("failed"), hook["failed"]?.int ?? 0 > 0 ? .red : nil),
        Styled(text("lost"), hook["lost"]?.int ?? 0 > 0 ? .red : nil), ErrorCell.of(hook["lastError"]),
      ]
    }
    return Table(columns: columns, rows: rows)
  }

  private static func deliveryTable(_ deliveries: [JSONValue], in surroundings: Surroundings) -> Table {
    let columns = [
      Table.Column(title: "ID", isWhole: true), Table.Column(title: "TYPE", minimum: 10, leaves: 4),
      Table.Column(title: "STATE", leaves: 7), Table.Column(title: "ATTEMPTS", isNumber: true, leaves: 3),
      Table.Column(title: "EXIT", leaves: 1), Table.Column(title: "STARTED", leaves: 2),
      Table.Column(title: "FINISHED", leaves: 5), Table.Column(title: "LAST ERROR", minimum: 10, leaves: 6),
    ]
    let rows = deliveries.map { delivery in
      func text(_ key: String) -> String { Fields.plainText(delivery[key]) }
      return [
        Styled(text("id"), .cyan), Styled(text("type")),
        Styled(text("state"), delivery["state"]?.string == "failed" ? .red : nil), Styled(text("attempts")),
        Styled(delivery["signal"]?.int.map { "signal \($0)" } ?? text("exitStatus")),
        Styled(Moment.local(delivery["startedAt"], in: surroundings)),
        Styled(Moment.local(delivery["finishedAt"], in: surroundings)), ErrorCell.of(delivery["lastError"]),
      ]
    }
    return Table(columns: columns, rows: rows)
  }
}
