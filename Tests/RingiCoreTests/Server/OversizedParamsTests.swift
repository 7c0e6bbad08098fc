import RingiTestSupport
import JSON
import Testing

/// Requests that are made to cost the agent more than they cost their sender.
@Suite struct OversizedParamsTests {
  private func refusal(_ method: String, _ params: JSONValue) async throws -> JSONValue {
    var error: JSONValue?
    try await withAgent { agent in error = try agent.connect().refusal(method, params) }
    return try #require(error)
  }

  @Test func aThousandWrongValuesAreNotAllComplainedOf() async throws {
    let error = try await refusal("events.subscribe", ["types": JSONValue(array: (0..<1000).map { JSONValue($0) })])
    #expect(error["code"] == -32602)
    let violations = try #require(error["data"]?["violations"]?.array)
    #expect((1...100).contains(violations.count))
  }

  @Test func aThousandUnknownKeysAreNotAllComplainedOf() async throws {
    let error = try await refusal("tasks.list", JSONValue(object: (0..<1000).map { ("key\($0)", 1) }))
    #expect(try #require(error["data"]?["violations"]?.array).count == 100)
  }

  @Test func anOverlongKeyIsCutInTheAnswer() async throws {
    let error = try await refusal("tasks.list", [String(repeating: "k", count: 100_000): 1])
    #expect(error.description.utf8.count < 3000)
  }

  @Test func anOverlongTaskIsCutInTheAnswer() async throws {
    let error = try await refusal("tasks.get", ["task": JSONValue(String(repeating: "t", count: 100_000))])
    #expect(error["code"] == -32004)
    #expect(error.description.utf8.count < 3000)
  }

  @Test func anOverlongMethodIsNotLookedAt() async throws {
    let error = try await refusal(String(repeating: "m", count: 100_000), [:])
    #expect(error["code"] == -32601)
    #expect(error.description.utf8.count < 1000)
  }

  @Test(arguments: ["rpc.discover", "$/progress", "*", "a b", "a\u{0}"])
  func anEventTypeThatIsNoNameIsRefused(type: String) async throws {
    let error = try await refusal("events.publish", ["type": JSONValue(type)])
    #expect(error["code"] == -32602)
    #expect(error["data"]?["parameter"] == "type")
  }
}
