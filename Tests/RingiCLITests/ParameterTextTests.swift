import JSON
import Testing

@testable import RingiClient

@Suite struct ParameterTextTests {
  @Test(
    arguments: [
      (["a=5", "b=true", "c=text", "d="], ["a": 5, "b": true, "c": "text", "d": ""]),
      (["task=\"5\"", "x={\"y\": [1]}"], ["task": "5", "x": ["y": [1]]]),
      (["a=b=c", "n=0123", "n2=1.5"], ["a": "b=c", "n": "0123", "n2": 1.5]),
      ([#"{"a": 1}"#], ["a": 1]), (["[1, 2]"], [1, 2]), (["\n {}"], [:]),
    ] as [([String], JSONValue)])
  func operandsBecomeParameters(operands: [String], params: JSONValue) throws {
    #expect(try ParameterText.parameters(operands, of: "PARAMS", input: -1) == params)
  }

  @Test(arguments: [
    (["a"], "KEY=VALUE"), (["=5"], "KEY=VALUE"), (["a=1", "a=2"], "twice"), ([#"{"a": }"#], "line 1, column 7"),
  ])
  func aSlipSaysWhatIsTaken(operands: [String], part: String) {
    do {
      let params = try ParameterText.parameters(operands, of: "PARAMS", input: -1)
      Issue.record("accepted as \(String(describing: params))")
    } catch {
      #expect(error.code == .usage)
      #expect(error.message.contains(part))
    }
  }

  @Test func noOperandsAreNoParameters() throws {
    #expect(try ParameterText.parameters([], of: "PARAMS", input: -1) == nil)
  }
}
