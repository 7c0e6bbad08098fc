import JSON
import RingiClient
import Testing

@Suite struct CallCommandTests {
  @Test(
    arguments: [
      ([], [:]), ([#"{"a": [1]}"#], ["a": [1]]), (["[1, 2]"], [1, 2]), (["a=1", "b=x"], ["a": 1, "b": "x"]),
      (["-"], ["piped": true]),
    ] as [([String], JSONValue)])
  func parametersReachTheAgent(operands: [String], params: JSONValue) throws {
    let run = try Ringi.run(["call", "agent.echo"] + operands, input: #"{"piped": true}"#) { _, params in
      .result(params)
    }
    #expect(run.requests.map(\.method) == ["agent.echo"])
    #expect(run.requests.map(\.params) == [params])
    #expect(run.output == params.description + "\n")
  }

  @Test func aTerminalGetsTheResultOverSeveralLines() throws {
    let run = try Ringi.run("call", "x", columns: 80) { _, _ in .result(["a": 1, "b": [2]]) }
    #expect(run.lines.count > 3)
    #expect(try JSONValue(parsing: run.output) == ["a": 1, "b": [2]])
  }

  @Test func aResultOfManyChunksArrivesWhole() throws {
    let long = String(repeating: "稟議", count: 100_000)
    let run = try Ringi.run("call", "x") { _, _ in .result(JSONValue(long)) }
    #expect(run.output == "\"\(long)\"\n")
  }
}
