import EventLoop
import JSON
import JSONRPC
import RingiCore
import RingiModel
import RingiTestSupport
import Testing

/// Reading: `tasks.list`, `tasks.get` and `tasks.refresh`; the deciding ones are in the suite of decisions.
@Suite struct TaskMethodsTests {
  private func withBackend(
    _ body: (TestAgent, ScriptedSource, TestClient) async throws -> Void
  ) async throws {
    try await withAgent { agent in
      let source = try await onLoop {
        let source = ScriptedSource(clock: agent.clock)
        agent.inbox.add(source, instance: "sap", startsWithBaseline: true)
        return source
      }
      try await body(agent, source, try agent.connect())
    }
  }

  private func poll(_ agent: TestAgent) async throws { _ = try await onLoop { try await agent.inbox.poll("sap") } }

  private func ids(_ answer: JSONValue) -> [String] {
    answer["tasks"]?.array?.compactMap { $0["id"]?.string } ?? []
  }

  // MARK: Listing

  @Test func readyTasksAreListedOldestFirstWithThePlaceToSubscribeFrom() async throws {
    try await withBackend { agent, source, client in
      try await onLoop {
        source.put(
          source.item("c", created: 3), source.item("a", created: 1), source.item("none", created: nil),
          source.item("b", created: 1), source.item("claimed", status: .claimed))
      }
      try await poll(agent)
      try client.call("events.publish", ["type": "x.one"])
      let answer = try client.call("tasks.list")
      #expect(ids(answer) == ["sap/a", "sap/b", "sap/c", "sap/none"])
      #expect(answer["sequence"] == 1)
      #expect(answer["stale"] == [])
      #expect(answer["nextCursor"] == nil)
      #expect(ids(try client.call("tasks.list", ["status": "claimed"])) == ["sap/claimed"])
      #expect(ids(try client.call("tasks.list", ["status": "all"])).count == 5)
    }
  }

  @Test func pagesStayWhereTheyAreWhileTasksComeAndGo() async throws {
    try await withBackend { agent, source, client in
      try await onLoop { source.put((0..<10).map { source.item("\($0)", created: Int64($0 / 3)) }) }
      try await poll(agent)
      let first = try client.call("tasks.list", ["limit": 4])
      #expect(ids(first) == ["sap/0", "sap/1", "sap/2", "sap/3"])
      // The last of the page goes, one before it comes, and one behind it.
      try await onLoop {
        source.remove("3")
        source.put(source.item("early", created: -5), source.item("35", created: 1))
      }
      try await poll(agent)
      let second = try client.call("tasks.list", ["limit": 4, "cursor": first["nextCursor"] ?? .null])
      #expect(ids(second) == ["sap/35", "sap/4", "sap/5", "sap/6"])
      let third = try client.call("tasks.list", ["limit": 4, "cursor": second["nextCursor"] ?? .null])
      #expect(ids(third) == ["sap/7", "sap/8", "sap/9"])
      #expect(third["nextCursor"] == nil)
    }
  }

  @Test func tasksWithoutATimeArePagedToo() async throws {
    try await withBackend { agent, source, client in
      try await onLoop { source.put((0..<5).map { source.item("\($0)", created: nil) }) }
      try await poll(agent)
      let first = try client.call("tasks.list", ["limit": 3])
      #expect(ids(first) == ["sap/0", "sap/1", "sap/2"])
      #expect(ids(try client.call("tasks.list", ["cursor": first["nextCursor"] ?? .null])) == ["sap/3", "sap/4"])
    }
  }

  @Test(arguments: ["", "x", "1:", "x:sap/1", "1:sap", "99999999999999999999:sap/1"])
  func aCursorThatIsNoneIsRefused(cursor: String) async throws {
    try await withBackend { agent, source, client in
      let error = try client.refusal("tasks.list", ["cursor": JSONValue(cursor)])
      #expect(error?["code"] == -32602)
      #expect(error?["message"]?.string?.contains("cursor") == true)
    }
  }

  @Test func aQueryLooksInIDTitleAndRequesterWhateverTheCase() async throws {
    try await withBackend { agent, source, client in
      try await onLoop {
        source.put(
          source.item("1", title: "発注300280の承認"), source.item("2", title: "Ｏｒｄｅｒ of PENS"),
          source.item("pens", title: "x"))
      }
      try await poll(agent)
      #expect(ids(try client.call("tasks.list", ["query": "pens"])) == ["sap/2", "sap/pens"])
      #expect(ids(try client.call("tasks.list", ["query": "order OF"])) == ["sap/2"])
      #expect(ids(try client.call("tasks.list", ["query": "の承認"])) == ["sap/1"])
      #expect(ids(try client.call("tasks.list", ["query": "none"])) == [])
    }
  }

  @Test func oneBackendsTasksCanBeListedAndAFailedOneIsNamed() async throws {
    try await withBackend { agent, source, client in
      try await onLoop {
        source.put(source.item("1"))
        let web = ScriptedSource(instance: "web", clock: agent.clock)
        web.put(web.item("1"))
        agent.inbox.add(web, instance: "web", startsWithBaseline: true)
        try await agent.inbox.poll("web")
        web.failure = .unavailable("Down.")
        _ = try? await agent.inbox.poll("web")
      }
      try await poll(agent)
      let all = try client.call("tasks.list")
      #expect(ids(all) == ["sap/1", "web/1"])
      #expect(all["stale"] == ["web"])
      #expect(ids(try client.call("tasks.list", ["provider": "web"])) == ["web/1"])
      let error = try client.refusal("tasks.list", ["provider": "none"])
      #expect(error?["code"] == -32004)
      #expect(error?["message"]?.string?.contains("sap, web") == true)
    }
  }

  @Test func subscribingFromTheListsPlaceLeavesNoGap() async throws {
    try await withBackend { agent, source, client in
      try await onLoop { source.put(source.item("1")) }
      try await poll(agent)
      let sequence = try client.call("tasks.list")["sequence"] ?? .null
      try await onLoop { source.put(source.item("2")) }
      try await poll(agent)
      try client.call("events.subscribe", ["since": sequence])
      #expect(try client.receive()["params"]?["event"]?["subject"] == "sap/2")
    }
  }

  // MARK: Getting

  @Test func aTaskIsToldWithItsRecordContextAndHistory() async throws {
    try await withBackend { agent, source, client in
      try await onLoop {
        source.put(source.item("1"))
        source.contexts["1"] = ["order": 300280]
      }
      try await poll(agent)
      try await onLoop { source.put(source.item("1", amount: 7)) }
      let task = try client.call("tasks.get", ["task": "newest"])
      #expect(task["raw"] == ["amount": 7, "changedAt": 0])
      #expect(task["context"] == ["order": 300280])
      #expect(task["history"]?.array?.map { $0["what"] } == ["ready", "changed"])
      #expect(task["history"]?[0]?["time"] == "2026-11-30T00:00:00Z")
      // What the look found out is news to others too.
      #expect(try client.call("events.list")["events"]?.array?.map { $0["type"] } == ["task-changed"])
      try await onLoop { source.contexts["1"] = nil }
      #expect(try client.call("tasks.get", ["task": "sap/1"])["context"] == .null)
    }
  }

  @Test func aTaskThatTheBackendDoesNotKnowAnyMoreIsToldAsGone() async throws {
    try await withBackend { agent, source, client in
      try await onLoop { source.put(source.item("1")) }
      try await poll(agent)
      try await onLoop { source.remove("1") }
      #expect(try client.call("tasks.get", ["task": "sap/1"])["status"] == "gone")
      #expect(try client.call("events.list")["events"]?.array?.map { $0["type"] } == ["task-gone"])
      #expect(ids(try client.call("tasks.list")) == [])
      #expect(try client.refusal("tasks.get", ["task": "sap/none"])?["code"] == -32004)
    }
  }

  // MARK: Refreshing

  @Test func aRefreshAsksEachBackendAndTellsWhatItFound() async throws {
    try await withBackend { agent, source, client in
      try await poll(agent)
      try await onLoop {
        let web = ScriptedSource(instance: "web", clock: agent.clock)
        web.failure = .unavailable("Down.", retryAfter: 3600)
        agent.inbox.add(web, instance: "web", startsWithBaseline: true)
        source.put(source.item("1"), source.item("2"))
      }
      let found = try client.call("tasks.refresh")
      #expect(found["polled"] == ["sap"] && found["ready"] == 2 && found["changed"] == 0)
      #expect(found["failed"]?.array?.count == 1)
      #expect(found["failed"]?[0]?["provider"] == "web" && found["failed"]?[0]?["message"] == "Down.")
      #expect(found["failed"]?[0]?["code"] == -32006 && found["failed"]?[0]?["data"]?["retryAfter"] == 3600)
      try await onLoop { source.failure = .backendError(provider: "sap", message: "No.") }
      let none = try client.refusal("tasks.refresh")
      #expect(none?["code"] == -32002 && none?["data"]?["failed"]?.array?.map { $0["provider"] } == ["sap", "web"])
      try await onLoop { source.failure = nil }
      #expect(try client.call("tasks.refresh", ["provider": "sap"])["failed"] == nil)
      let error = try client.refusal("tasks.refresh", ["provider": "web"])
      #expect(error?["code"] == -32006)
      #expect(error?["data"]?["retryAfter"] == 3600)
      #expect(try client.refusal("tasks.refresh", ["provider": "none"])?["code"] == -32004)
    }
  }

  @Test func aSlowBackendHoldsUpNoOther() async throws {
    try await withBackend { agent, source, client in
      let gate = try await onLoop {
        let gate = Gate()
        source.listGate = gate
        let web = ScriptedSource(instance: "web", clock: agent.clock)
        web.put(web.item("1"))
        agent.inbox.add(web, instance: "web", startsWithBaseline: false)
        return gate
      }
      try client.call("events.subscribe")
      let id = try client.ask("tasks.refresh")
      #expect(try client.notification("task-ready")["event"]?["subject"] == "web/1")
      try await onLoop { gate.open() }
      #expect(try client.response(to: id)["result"]?["polled"] == ["sap", "web"])
    }
  }
}
