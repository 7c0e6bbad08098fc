import JSON
import RingiTestSupport
import Testing

@Suite struct ProgressTests {
  @Test(arguments: [1, "token"] as [JSONValue])
  func aTokenBringsProgressBeforeTheAnswer(token: JSONValue) async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      let id = try client.ask("test.wait", ["key": "a", "progressToken": token])
      #expect(
        try client.receive()
          == ["jsonrpc": "2.0", "method": "$/progress", "params": ["token": token, "value": ["waits": true]]])
      try await onLoop { agent.waits.open("a") }
      #expect(try client.receive()["id"] == JSONValue(id))
    }
  }

  @Test func withoutATokenThereIsNone() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      let id = try client.ask("test.wait", ["key": "a"])
      try await onLoop { agent.waits.open("a") }
      #expect(try client.receive()["id"] == JSONValue(id))
    }
  }

  @Test func aMethodThatReportsNoneIgnoresTheToken() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      #expect(try client.call("subtract", ["minuend": 3, "subtrahend": 1, "progressToken": 5]) == 2)
    }
  }
}
