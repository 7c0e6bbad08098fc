import EventLoop
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiModel
import RingiTestSupport
import Testing

@Suite struct SubscriptionTests {
  private func publish(_ agent: TestAgent, _ count: Int, type: String = "x.one", data: JSONValue = [:]) async throws {
    try await onLoop {
      _ = try await agent.bus.publish((0..<count).map { _ in EventDraft(EventType(type), data: data) })
    }
  }

  private func sequences(_ client: TestClient, _ count: Int) throws -> [Int64] {
    try (0..<count).map { _ in try client.receive()["params"]?["event"]?["sequence"]?.int ?? -1 }
  }

  // MARK: Live

  @Test(arguments: [Framing.newline, .contentLength])
  func anEventIsANotificationNamedByItsType(framing: Framing) async throws {
    try await withAgent { agent in
      let client = try agent.connect(framing)
      let answer = try client.call("events.subscribe")
      #expect(answer["sequence"] == 0)
      let published = try agent.connect().call(
        "events.publish", ["type": "x.one", "subject": "order/1", "data": ["title": "稟議 🚀"]])
      #expect(
        try client.receive()
          == [
            "jsonrpc": "2.0", "method": "x.one",
            "params": ["subscription": answer["subscription"] ?? .null, "event": published["event"] ?? .null],
          ])
      #expect(published["event"]?["source"] == "ringi://host.example/agent")
    }
  }

  @Test func eachSubscriptionOfAConnectionHasItsOwnIDAndFilter() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      let all = try client.call("events.subscribe")["subscription"]
      let some = try client.call("events.subscribe", ["types": ["y.*"], "where": ["n": [2, 3]]])["subscription"]
      #expect(all != some)
      for (type, n) in [("x.one", 2), ("y.one", 1), ("y.two", 2)] {
        try client.call("events.publish", ["type": JSONValue(type), "data": ["n": JSONValue(n)]])
      }
      let heard = try (0..<4).map { _ in try client.receive { $0["id"] == nil } }
      #expect(
        heard.filter { $0["params"]?["subscription"] == all }.map { $0["method"] } == ["x.one", "y.one", "y.two"])
      #expect(heard.filter { $0["params"]?["subscription"] == some }.map { $0["method"] } == ["y.two"])
    }
  }

  @Test func anEndedSubscriptionHearsNothingMore() async throws {
    try await withAgent { agent in
      let (client, other) = (try agent.connect(), try agent.connect())
      let id = try client.call("events.subscribe")["subscription"] ?? .null
      #expect(try other.refusal("events.unsubscribe", ["subscription": id])?["code"] == -32004)
      #expect(try client.call("events.unsubscribe", ["subscription": id]) == .null)
      #expect(try client.refusal("events.unsubscribe", ["subscription": id])?["data"]?["kind"] == "not-found")
      try await publish(agent, 1)
      #expect(try client.ask("agent.ping") > 0)
      #expect(try client.receive()["result"] == "pong")
    }
  }

  @Test func aClientThatIsGoneIsForgotten() async throws {
    try await withAgent { agent in
      weak var stream: ByteStream?
      do {
        let pair = try await onLoop { try agent.pair() }
        stream = pair.stream
        let client = TestClient(socket: pair.socket)
        try client.call("events.subscribe")
      }
      // The client's end is closed with it.
      while try await onLoop({ agent.server.count }) > 0 { await Task.yield() }
      try await publish(agent, 10)
      #expect(stream == nil)
    }
  }

  // MARK: Replay

  @Test func whatHappenedBeforeSomebodyCameIsReplayedAndThenGoesOn() async throws {
    try await withAgent { agent in
      try await publish(agent, 3)
      let client = try agent.connect()
      let id = try client.ask("events.subscribe", ["since": 0])
      // The answer comes first: it tells which subscription the events belong to.
      #expect(try client.receive()["id"] == JSONValue(id))
      #expect(try sequences(client, 3) == [1, 2, 3])
      try await publish(agent, 2)
      #expect(try sequences(client, 2) == [4, 5])
    }
  }

  @Test func withoutSinceOnlyWhatIsNewCounts() async throws {
    try await withAgent { agent in
      try await publish(agent, 3)
      let client = try agent.connect()
      #expect(try client.call("events.subscribe")["sequence"] == 3)
      try await publish(agent, 1)
      #expect(try sequences(client, 1) == [4])
    }
  }

  @Test func aReplayIsFilteredAsLiveEventsAre() async throws {
    try await withAgent { agent in
      for type in ["x.one", "y.one", "x.two"] { try await publish(agent, 1, type: type) }
      let client = try agent.connect()
      try client.call("events.subscribe", ["types": ["x.*"], "since": 0])
      #expect(try sequences(client, 2) == [1, 3])
      try await publish(agent, 1, type: "y.two")
      try await publish(agent, 1, type: "x.three")
      #expect(try sequences(client, 1) == [5])
    }
  }

  @Test(arguments: [Framing.newline, .contentLength])
  func publishingDuringReplaysLeavesNoGapAndRepeatsNothing(framing: Framing) async throws {
    try await withAgent { agent in
      let data: JSONValue = ["padding": JSONValue(String(repeating: "x", count: 200))]
      try await publish(agent, 1000, data: data)
      let clients = try (0..<4).map { _ in try agent.connect(framing) }
      for (index, client) in clients.enumerated() {
        try client.ask("events.subscribe", ["since": JSONValue(index * 100)])
        try await publish(agent, 50, data: data)
      }
      let publisher = Loop.task {
        for _ in 0..<20 {
          _ = try await agent.bus.publish((0..<50).map { _ in EventDraft(EventType("x.one"), data: data) })
          await Task.yield()
        }
      }
      let last = 1000 + 4 * 50 + 20 * 50
      for (index, client) in clients.enumerated() {
        #expect(try client.receive()["result"] != nil)
        let expected = (index * 100 + 1...last).map { Int64($0) }
        #expect(try sequences(client, expected.count) == expected)
      }
      try await publisher.value
    }
  }

  @Test(arguments: [1 << 40, Int.max])
  func aSequenceThatIsYetToComeIsNoReasonToFall(since: Int) async throws {
    try await withAgent { agent in
      try await publish(agent, 1)
      let client = try agent.connect()
      #expect(try client.call("events.subscribe", ["since": JSONValue(since)])["sequence"] == 1)
      #expect(try client.call("events.list", ["since": JSONValue(since)])["events"] == [])
      #expect(try client.refusal("events.subscribe", ["since": -1])?["code"] == -32602)
      try await publish(agent, 1)
      #expect(try client.call("agent.ping") == "pong")
    }
  }

  // MARK: Losses

  @Test func whatIsNoLongerKeptIsToldBeforeTheRest() async throws {
    try await withAgent(events: 100) { agent in
      try await publish(agent, 500)
      let client = try agent.connect()
      let id = try client.call("events.subscribe", ["since": 1])["subscription"]
      #expect(
        try client.receive()
          == [
            "jsonrpc": "2.0", "method": "events-lost",
            "params": ["subscription": id ?? .null, "from": 2, "to": 400],
          ])
      #expect(try sequences(client, 100) == Array(401...500))
      try await publish(agent, 1)
      #expect(try sequences(client, 1) == [501])
    }
  }

  @Test func aSubscriberThatReadsTooSlowlyLosesEventsAndIsToldWhich() async throws {
    var limits = Limits()
    limits.outboxBytes = 300_000
    try await withAgent(limits: limits) { agent in
      let pair = try await onLoop { try agent.pair() }
      let (client, other) = (TestClient(socket: pair.socket), try agent.connect())
      try client.call("events.subscribe")
      try other.call("events.subscribe", ["types": ["y.*"]])
      let data: JSONValue = ["padding": JSONValue(String(repeating: "x", count: 1000))]
      for _ in 0..<20 {
        try await publish(agent, 100, data: data)
        try await onLoop { #expect(pair.stream.unsent <= 300_000) }
      }
      // Now it reads: some events, what was lost, and then it is live again.
      var last: Int64 = 0
      var lost: (from: Int64, to: Int64)?
      while lost == nil {
        let message = try client.receive()
        if message["method"] == "events-lost", let params = message["params"] {
          lost = (params["from"]?.int ?? 0, params["to"]?.int ?? 0)
        } else {
          #expect(message["params"]?["event"]?["sequence"]?.int == last + 1)
          last += 1
        }
      }
      #expect(last > 0)
      #expect(lost?.from == last + 1)
      #expect(lost?.to == 2000)
      try await publish(agent, 3)
      #expect(try sequences(client, 3) == [2001, 2002, 2003])
      let gap = try client.call("events.list", ["since": JSONValue(last), "limit": 10_000])["events"]?.array
      #expect(gap?.first?["sequence"]?.int == last + 1)
      // Whoever doesn't want these events has lost nothing.
      try await publish(agent, 1, type: "y.one")
      #expect(try other.receive()["method"] == "y.one")
    }
  }

  @Test func anEventTooLargeForAnyOutboxIsToldAsLost() async throws {
    var limits = Limits()
    limits.outboxBytes = 50_000
    try await withAgent(limits: limits) { agent in
      let client = try agent.connect()
      try client.call("events.subscribe")
      try await publish(agent, 1, data: JSONValue(String(repeating: "x", count: 100_000)))
      let params = try client.notification("events-lost")
      #expect(params["from"] == 1 && params["to"] == 1)
      try await publish(agent, 1)
      #expect(try sequences(client, 1) == [2])
    }
  }

  // MARK: Listing and publishing

  @Test func listingGoesOnWhereItStopped() async throws {
    try await withAgent { agent in
      for type in ["x.one", "y.one", "x.two", "y.two", "x.three"] { try await publish(agent, 1, type: type) }
      let client = try agent.connect()
      let first = try client.call("events.list", ["types": ["x.*"], "limit": 2])
      #expect(first["events"]?.array?.map { $0["sequence"] } == [1, 3])
      let rest = try client.call("events.list", ["types": ["x.*"], "since": first["sequence"] ?? .null])
      #expect(rest["events"]?.array?.map { $0["sequence"] } == [5])
      #expect(rest["sequence"] == 5)
      #expect(try client.call("events.list", ["since": 5]) == ["events": [], "sequence": 5])
    }
  }

  @Test(arguments: EventType.builtIn.map(\.rawValue).sorted())
  func theAgentsOwnTypesAreRefusedByName(type: String) async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      let error = try client.refusal("events.publish", ["type": JSONValue(type)])
      #expect(error?["code"] == -32602)
      #expect(error?["message"]?.string?.contains(type) == true)
      #expect(try client.call("events.list")["events"] == [])
    }
  }

  @Test func onlyAConnectionCanSubscribe() async throws {
    try await withAgent { agent in
      let error = await #expect(throws: RPCError.self) {
        try await agent.registry.call("events.subscribe", nil, Call(origin: .owner(causes: [])))
      }
      #expect(error?.code == -32600)
    }
  }
}
