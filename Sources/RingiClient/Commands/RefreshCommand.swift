internal import JSON

extension Command {
  static let refresh = Command(
    name: "refresh", operands: "[PROVIDER]", operandCount: 0...1,
    summary: "Asks the backends for their tasks now",
    examples: [
      ("ringi refresh", "all of them"),
      ("ringi refresh sap && ringi tasks", "one, then look"),
    ],
    run: { invocation throws(Failure) in
      let provider = invocation.arguments.operands.first.map { JSONValue($0) }
      let result = try invocation.call("tasks.refresh", ParameterText.members([("provider", provider)]))
      guard !invocation.wantsJSON else { return invocation.output.json(result) }
      invocation.output.line(
        "Polled \(Fields.plainText(result["polled"])): \(Fields.plainText(result["ready"])) ready, ",
        "\(Fields.plainText(result["changed"])) changed.")
    })
}
