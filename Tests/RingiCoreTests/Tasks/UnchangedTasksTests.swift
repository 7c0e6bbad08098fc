import EventLoop
import JSON
import JSONRPC
import RingiCore
import RingiModel
import RingiTestSupport
import Testing

/// What a poll makes of tasks that are as they were at the last one.
@Suite struct UnchangedTasksTests {
  private func withBackend(_ body: (TestAgent, ScriptedSource, TestClient) async throws -> Void) async throws {
    try await withAgent { agent in
      let source = try await onLoop {
        let source = ScriptedSource(clock: agent.clock)
        agent.inbox.add(source, instance: "sap", startsWithBaseline: false)
        source.put(source.item("a"), source.item("b"))
        try await agent.inbox.poll("sap")
        return source
      }
      try await body(agent, source, try agent.connect())
    }
  }

  /// All events so far, each as its type and subject.
  private func events(_ client: TestClient) throws -> [String] {
    try client.call("events.list")["events"]?.array?.map { event in
      [event["type"], event["subject"]].compactMap { $0?.string }.joined(separator: " ")
    } ?? []
  }

  @Test func onlyWhatChangedIsMadeAndWhatDidNotIsStillThere() async throws {
    try await withBackend { agent, source, client in
      try await onLoop {
        #expect(source.made.sorted() == ["a", "b"])
        try await agent.inbox.poll("sap")
        #expect(source.made.count == 2)
        source.put(source.item("b", changedAt: 5), source.item("c"))
        try await agent.inbox.poll("sap")
        #expect(source.made.count == 4 && Set(source.made.suffix(2)) == ["b", "c"])
        try await agent.inbox.poll("sap")
        #expect(source.made.count == 4)
        // None of them was missed and looked up.
        #expect(Set(source.calls) == ["list"])
        source.remove("a")
        try await agent.inbox.poll("sap")
      }
      #expect(try events(client) == ["task-ready sap/a", "task-ready sap/b", "task-ready sap/c", "task-gone sap/a"])
    }
  }

  /// The settings say what of a record is shown, and what matters.
  @Test func underOtherSettingsAllTasksAreMadeAnew() async throws {
    try await withBackend { agent, source, client in
      try await onLoop {
        for settings: UInt64 in [7, 7, 8] {
          agent.inbox.add(source, instance: "sap", startsWithBaseline: false, settings: settings)
          try await agent.inbox.poll("sap")
        }
        #expect(source.made.sorted() == ["a", "a", "a", "b", "b", "b"])
      }
      #expect(try events(client) == ["task-ready sap/a", "task-ready sap/b"])
    }
  }

  @Test func aTaskReadBetweenPollsIsMadeOfItsRecordOnceMore() async throws {
    try await withBackend { agent, source, client in
      try await onLoop { source.set("a", .claimed) }
      _ = try client.call("tasks.get", ["task": "sap/a"])
      try await onLoop {
        source.set("a", .ready)
        try await agent.inbox.poll("sap")
        try await agent.inbox.poll("sap")
        #expect(source.made.sorted() == ["a", "a", "b"])
      }
      #expect(
        try events(client) == ["task-ready sap/a", "task-ready sap/b", "task-changed sap/a", "task-ready sap/a"])
    }
  }

  @Test func aListedTaskThatMakesNoSenseFailsThePollAndNothingIsConcluded() async throws {
    try await withBackend { agent, source, client in
      try await onLoop {
        source.put(source.item("a", amount: 7), source.item("b", amount: 7))
        source.senseless = ["b"]
        for _ in 0..<2 { await #expect(throws: RPCError.self) { try await agent.inbox.poll("sap") } }
      }
      #expect(try events(client) == ["task-ready sap/a", "task-ready sap/b", "poll-failed"])
      try await onLoop {
        source.senseless = []
        try await agent.inbox.poll("sap")
      }
      #expect(try events(client).dropFirst(3) == ["task-changed sap/a", "task-changed sap/b", "poll-recovered"])
    }
  }
}
