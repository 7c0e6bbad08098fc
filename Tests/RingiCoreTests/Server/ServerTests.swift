import EventLoop
import JSON
import RingiCore
import RingiModel
import RingiTestSupport
import Testing

/// The end of an agent, as its clients see it.
@Suite struct ServerTests {
  @Test func whatIsToBeSaidIsSaidBeforeTheEnd() async throws {
    try await withAgent { agent in
      let (asking, listening, idle) = (try agent.connect(), try agent.connect(), try agent.connect())
      try listening.call("events.subscribe")
      try idle.call("agent.ping")
      let id = try asking.ask("test.wait", ["a"])
      try await onLoop { try await agent.waits.arrival("a") }
      let end = try await onLoop {
        try await agent.bus.publish([EventDraft(.agentStopping)])
        agent.server.stopListening()
        return Loop.task { await agent.server.finish() }
      }
      #expect(try listening.receiveRest().map { $0["method"] } == ["agent-stopping"])
      #expect(try idle.receiveRest().isEmpty)
      try await onLoop { agent.waits.open("a") }
      #expect(try asking.receiveRest().map { $0["id"] } == [JSONValue(id)])
      try await end.value
      try await onLoop { #expect(agent.server.count == 0) }
    }
  }

  @Test func whatComesAfterTheEndHasBegunIsNotCarriedOut() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.ask("test.wait", ["a"])
      let end = try await onLoop {
        try await agent.waits.arrival("a")
        let end = Loop.task { await agent.server.finish() }
        await Task.yield()
        return end
      }
      try client.notify("events.publish", ["type": "x.one"])
      try await onLoop { agent.waits.open("a") }
      #expect(try client.receiveRest().count == 1)
      try await end.value
      try await onLoop { #expect(agent.bus.log.lastSequence == 0) }
    }
  }

  @Test func aRequestThatComesAfterTheEndHasBegunIsRefusedAsOneToSendAgain() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      let waiting = try client.ask("test.wait", ["a"])
      try await onLoop {
        try await agent.waits.arrival("a")
        Loop.task { await agent.server.finish() }
        await Task.yield()
      }
      for method in ["agent.ping", "test.wait"] {
        let error = try client.refusal(method, ["key": "b"])
        #expect(error?["code"] == -32000)
        #expect(error?["data"] == ["kind": "overloaded", "retryable": true])
      }
      // What is under way can still be taken back.
      try client.notify("$/cancelRequest", ["id": JSONValue(waiting)])
      let rest = try client.receiveRest()
      #expect(rest.map { $0["id"] } == [JSONValue(waiting)])
      #expect(rest.first?["error"]?["code"] == -32800)
    }
  }

  @Test func whoeverDoesNotReadIsCutOffAtTheLast() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.ask("agent.echo", [JSONValue(String(repeating: "x", count: 5_000_000))])
      #expect(try client.readRaw(1) == [UInt8(ascii: "{")])
      try await onLoop {
        let end = Loop.task { await agent.server.finish() }
        await Task.yield()
        #expect(agent.server.count == 1)
        end.cancel()
        _ = await end.result
        agent.server.close()
        #expect(agent.server.count == 0)
      }
    }
  }

  @Test func countersTellWhatIsGoingOn() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.call("agent.ping")
      try client.ask("test.wait", ["a"])
      #expect(try client.refusal("none")?["code"] == -32601)
      try await onLoop {
        try await agent.waits.arrival("a")
        #expect(agent.counters.json == ["requests": 3, "errors": 1, "inFlight": 1, "connections": 1])
      }
      client.close()
      try await onLoop {
        while agent.server.count > 0 { await Task.yield() }
        #expect(agent.counters.json["connections"] == 0)
        while agent.counters.inFlight > 0 { await Task.yield() }
      }
    }
  }
}
