import JSON
import JSONRPC
import RingiCore
import RingiTestSupport
import Testing

@Suite struct HangUpTests {
  private func ping(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"method":"agent.ping"}"# }

  /// Returns once so few clients are left.
  private func clients(_ agent: TestAgent, fallTo count: Int) async throws {
    for _ in 0..<100_000 {
      if try await onLoop({ agent.server.count }) <= count { return }
      await Task.yield()
    }
    Issue.record("the agent keeps clients that are gone")
  }

  // MARK: Half-closed

  @Test(arguments: [Framing.newline, .contentLength])
  func aClientThatSendsNoMoreStillGetsItsAnswers(framing: Framing) async throws {
    try await withAgent { agent in
      let client = try agent.connect(framing)
      let slow = try client.ask("test.wait", ["a"])
      let quick = try client.ask("agent.ping")
      client.finishSending()
      #expect(try client.receive()["id"] == JSONValue(quick))
      try await onLoop {
        try await agent.waits.arrival("a")
        agent.waits.open("a")
      }
      #expect(try client.receiveRest().map { $0["id"] } == [JSONValue(slow)])
      try await clients(agent, fallTo: 0)
    }
  }

  @Test func theLastLineNeedsNoNewline() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.sendRaw("\(ping(1))\n\(ping(2))".utf8)
      client.finishSending()
      #expect(try client.receiveRest().map { $0["id"] } == [1, 2])
    }
  }

  @Test func aHalfRequestAtTheEndOfInputIsAParseError() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.sendRaw(#"{"jsonrpc":"2.0","id":1,"#.utf8)
      client.finishSending()
      #expect(try client.receiveRest().map { $0["error"]?["code"] } == [-32700])
    }
  }

  @Test func aHalfBodyAtTheEndOfInputIsNothing() async throws {
    try await withAgent { agent in
      let client = try agent.connect(.contentLength)
      try client.sendRaw(client.frame(ping(1)) + client.frame(ping(2)).dropLast(5))
      client.finishSending()
      #expect(try client.receiveRest().map { $0["id"] } == [1])
    }
  }

  @Test func aHalfClosedSubscriberGoesOnHearingOfEvents() async throws {
    try await withAgent { agent in
      let (client, other) = (try agent.connect(), try agent.connect())
      try client.call("events.subscribe")
      client.finishSending()
      try other.call("events.publish", ["type": "x.one"])
      #expect(try client.notification("x.one")["event"]?["sequence"] == 1)
      client.close()
      try await clients(agent, fallTo: 1)
      #expect(try other.call("agent.ping") == "pong")
    }
  }

  @Test func answersTooManyForTheSocketReachAClientThatSendsNoMore() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      let data = JSONValue(String(repeating: "x", count: 100_000))
      try client.call("events.publish", ["type": "x.big", "data": data])
      for _ in 0..<30 { try client.ask("events.list") }
      client.finishSending()
      let answers = try client.receiveRest()
      #expect(answers.count == 30)
      #expect(answers.last?["result"]?["events"]?[0]?["data"] == data)
    }
  }

  // MARK: Gone

  @Test func hangingUpAtAnyByteHurtsNobody() async throws {
    try await withAgent { agent in
      let witness = try agent.connect()
      let stream = Array(
        (#"{"jsonrpc":"2.0","id":1,"method":"test.echo","params":{"a":1}}\n\n"# + "\n" + ping(2) + "\n"
          + #"[{"jsonrpc":"2.0","id":3,"method":"test.wait","params":["a"]},{"jsonrpc":"2.0","id":4,"method":"events.subscribe"}]"#
          + "\n").utf8)
      for _ in 0..<200 {
        let framing = Bool.random() ? Framing.newline : .contentLength
        let client = try agent.connect(framing)
        let bytes = framing == .newline ? stream : client.frame(String(decoding: stream, as: UTF8.self))
        _ = try client.sendSome(bytes.prefix(Int.random(in: 0...bytes.count)))
        if Bool.random() { client.finishSending() }
        client.close()
        #expect(try witness.call("agent.ping") == "pong")
      }
      try await clients(agent, fallTo: 1)
      try await onLoop { #expect(agent.counters.inFlight == 0) }
    }
  }

  @Test func aClientThatLeavesInTheMiddleOfALargeAnswerTakesNobodyAlong() async throws {
    try await withAgent { agent in
      let (witness, client) = (try agent.connect(), try agent.connect())
      try witness.call("events.subscribe")
      try client.call("events.subscribe")
      try client.ask("agent.echo", [JSONValue(String(repeating: "x", count: 5_000_000))])
      #expect(try client.readRaw(10) == Array(#"{"jsonrpc""#.utf8))
      client.close()
      try await clients(agent, fallTo: 1)
      try witness.call("events.publish", ["type": "x.one"])
      #expect(try witness.notification("x.one")["event"]?["sequence"] == 1)
    }
  }

  @Test func aClientThatIsGoneCancelsWhatItAskedButNoMutation() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.ask("test.wait", ["a"])
      try client.ask("test.act", ["b"])
      try await onLoop { try await agent.waits.arrival("b") }
      client.close()
      try await clients(agent, fallTo: 0)
      try await onLoop { agent.waits.open("b") }
      #expect(try agent.connect().call("test.wait", ["b"]) == "b")
      try await onLoop {
        #expect(agent.waits.cancelled == ["a"])
        #expect(agent.waits.ended == ["b", "b"])
      }
    }
  }

  @Test func whatAClientSentBeforeItHungUpIsStillDone() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      // More than one read takes, and sent before the agent can have read any of it.
      let padding = String(repeating: "x", count: 1000)
      let notification = #"{"jsonrpc":"2.0","method":"events.publish","params":{"type":"x.one","data":"\#(padding)"}}"#
      let count = try await onLoop {
        let lines = Array(String(repeating: notification + "\n", count: 150).utf8)
        let count = try client.sendSome(lines[...])
        client.close()
        return count / (notification.utf8.count + 1)
      }
      #expect(count > 70)
      try await clients(agent, fallTo: 0)
      #expect(try agent.connect().call("events.list")["events"]?.array?.count == count)
    }
  }
}
