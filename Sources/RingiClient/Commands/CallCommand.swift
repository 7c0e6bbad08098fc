internal import JSON

extension Command {
  static let call = Command(
    name: "call", operands: "METHOD [PARAMS | - | KEY=VALUE…]", operandCount: 1...Int.max,
    summary: "Calls any method of the agent or a plugin, and prints its result as JSON",
    details: """
      PARAMS is a JSON object, or an array by position; - reads it from standard input. In KEY=VALUE a value that is
      JSON counts as that (5, true, null, {"a": 1}); any other is a text, and so is "5" in JSON's quotes.
      """,
    examples: [
      ("ringi call agent.ping", "\"pong\""),
      ("ringi call tasks.list provider=sap limit=5", "parameters by name"),
      ("ringi call sap.workflow.start '{\"definitionId\": \"purchase\"}'", "parameters as JSON"),
      ("jq -n '{a: 1}' | ringi call agent.echo -", "parameters from a pipe"),
    ],
    run: { invocation throws(Failure) in
      let operands = invocation.arguments.operands
      let params = try ParameterText.parameters(
        Array(operands.dropFirst()), of: "PARAMS", input: invocation.surroundings.input)
      invocation.output.json(try invocation.call(operands[0], params ?? .emptyObject))
    })
}
