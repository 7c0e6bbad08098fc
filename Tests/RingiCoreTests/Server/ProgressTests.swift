import EventLoop
import JSON
import RingiCore
import RingiKit
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

  @Test func afterItsAnswerARequestReportsNothingMore() async throws {
    try await withAgent { agent in
      let (started, over) = try await onLoop {
        let (started, over) = (Gate(), Gate())
        let method = Method(
          "late.report", "Reports when it is cancelled.", params: .object([:]), result: .null,
          handler: .async { _, call in
            started.open()
            try? await Gate().wait()
            call.progress("late")
            over.open()
            return .null
          })
        try agent.registry.add([method], of: "late")
        return (started, over)
      }
      let client = try agent.connect()
      let id = try client.ask("late.report", ["progressToken": 1])
      try await onLoop {
        try await started.wait()
        agent.clock.advance(by: .seconds(60))
        try await over.wait()
      }
      #expect(try client.receive()["id"] == JSONValue(id))
      let last = try client.ask("agent.ping")
      #expect(try client.receive()["id"] == JSONValue(last))
    }
  }

  @Test func aMethodThatReportsNoneIgnoresTheToken() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      #expect(try client.call("subtract", ["minuend": 3, "subtrahend": 1, "progressToken": 5]) == 2)
    }
  }
}
