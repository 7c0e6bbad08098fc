import EventLoop
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiModel
import RingiTestSupport
import Testing

@Suite struct DecisionsTests {
  /// Runs a test against an agent with a backend that has these tasks, known to the agent.
  private func withBackend(
    _ keys: String..., body: (TestAgent, ScriptedSource, TestClient) async throws -> Void
  ) async throws {
    try await withAgent { agent in
      let source = try await onLoop {
        let source = ScriptedSource(clock: agent.clock)
        for (index, key) in keys.enumerated() { source.put(source.item(key, created: Int64(index))) }
        agent.inbox.add(source, instance: "sap", startsWithBaseline: true)
        try await agent.inbox.poll("sap")
        return source
      }
      try await body(agent, source, try agent.connect())
    }
  }

  private func poll(_ agent: TestAgent) async throws { _ = try await onLoop { try await agent.inbox.poll("sap") } }

  /// All events so far, each as its type, subject and, for a decision, the way it came.
  private func events(_ client: TestClient) throws -> [String] {
    try client.call("events.list")["events"]?.array?.map { event in
      [event["type"], event["subject"], event["data"]?["via"]].compactMap { $0?.string }.joined(separator: " ")
    } ?? []
  }

  // MARK: Deciding

  @Test(arguments: [("approve", "approved"), ("reject", "rejected"), ("complete", "completed")])
  func aDecisionIsOneWriteAndOneEvent(kind: String, outcome: String) async throws {
    try await withBackend("a") { agent, source, client in
      let result = try client.call("tasks.\(kind)", ["task": "sap/a", "comment": "Fine."])
      #expect(result["task"]?["status"] == "done")
      #expect(result["task"]?["outcome"]?.string == outcome)
      #expect(result["task"]?["actions"] == [])
      #expect(result["already"] == nil)
      let data = result["event"]?["data"]
      #expect(result["event"]?["type"] == "approval-done" && result["event"]?["subject"] == "sap/a")
      #expect(data?["via"] == "agent" && data?["by"] == "me" && data?["comment"] == "Fine.")
      #expect(data?["outcome"]?.string == outcome)
      #expect(data?["task"]?["raw"]?["amount"] == 100)
      #expect(try client.call("events.list")["events"] == [result["event"] ?? .null])
      try await onLoop { #expect(source.writes == ["\(kind) a"]) }
      // The next poll has nothing to add.
      try await poll(agent)
      #expect(try events(client) == ["approval-done sap/a agent"])
    }
  }

  @Test func aDecidedTaskThatIsReopenedJustAsItWasIsReadyAnew() async throws {
    try await withBackend("a") { agent, source, client in
      try client.call("tasks.approve", ["task": "sap/a"])
      try await onLoop { source.put(source.item("a")) }
      try await poll(agent)
      #expect(try events(client) == ["approval-done sap/a agent", "task-ready sap/a"])
      try client.call("tasks.approve", ["task": "sap/a"])
      try await onLoop { #expect(source.writes == ["approve a", "approve a"]) }
    }
  }

  @Test func theSameDecisionAgainIsASuccessThatSaysSoAndAnotherOneAConflict() async throws {
    try await withBackend("a") { agent, source, client in
      try client.call("tasks.approve", ["task": "sap/a"])
      let again = try client.call("tasks.approve", ["task": "sap/a"])
      #expect(again["already"] == true)
      #expect(again["event"] == .null)
      #expect(again["task"]?["outcome"] == "approved")
      let other = try client.refusal("tasks.reject", ["task": "sap/a"])
      #expect(other?["code"] == -32005)
      #expect(other?["data"]?["outcome"] == "approved")
      #expect(other?["message"]?.string?.contains("approved by me") == true)
      try await onLoop { #expect(source.writes == ["approve a"]) }
      #expect(try events(client) == ["approval-done sap/a agent"])
    }
  }

  @Test func aDecisionMadeElsewhereMeanwhileIsFoundOutBeforeAnythingIsSent() async throws {
    try await withBackend("a", "b") { agent, source, client in
      try await onLoop {
        source.decideElsewhere("a", .approved)
        source.decideElsewhere("b", .rejected, by: "Q1")
      }
      #expect(try client.call("tasks.approve", ["task": "sap/a"])["already"] == true)
      #expect(try client.refusal("tasks.approve", ["task": "sap/b"])?["code"] == -32005)
      try await onLoop { #expect(source.writes.isEmpty) }
      #expect(try events(client) == ["approval-done sap/a backend", "approval-done sap/b backend"])
    }
  }

  @Test func aDecisionMadeElsewhereAtTheSameMomentIsTold() async throws {
    try await withBackend("a") { agent, source, client in
      try await onLoop { source.answer = .already }
      let error = try client.response(to: client.ask("tasks.approve", ["task": "sap/a"]))["error"]
      // The backend says that somebody was first and still shows the task open: nothing is certain but that.
      #expect(error?["code"] == -32005)
      #expect(try events(client).isEmpty)
    }
  }

  @Test func aTaskThatTheBackendDoesNotKnowAnyMoreIsGone() async throws {
    try await withBackend("a") { agent, source, client in
      try await onLoop { source.remove("a") }
      #expect(try client.refusal("tasks.approve", ["task": "sap/a"])?["code"] == -32004)
      #expect(try events(client) == ["task-gone sap/a"])
      #expect(try client.refusal("tasks.approve", ["task": "sap/a"])?["code"] == -32004)
    }
  }

  @Test func aRefusalChangesNothingAndMayBeTriedAgain() async throws {
    try await withBackend("a") { agent, source, client in
      try await onLoop {
        source.answer = .refused(.backendError(provider: "sap", status: 403, message: "Not allowed."))
      }
      let error = try client.refusal("tasks.approve", ["task": "sap/a", "idempotencyKey": "k"])
      #expect(error?["code"] == -32002)
      #expect(error?["data"]?["status"] == 403)
      try await onLoop { source.answer = .done }
      #expect(try client.call("tasks.approve", ["task": "sap/a", "idempotencyKey": "k"])["already"] == nil)
      #expect(try events(client) == ["approval-done sap/a agent"])
    }
  }

  @Test func aDryRunTellsWhatWouldBeSentAndSendsNothing() async throws {
    try await withBackend("a") { agent, source, client in
      let result = try client.call(
        "tasks.approve", ["task": "newest", "context": ["approved": true], "dryRun": true, "idempotencyKey": "k"])
      #expect(result["dryRun"] == true)
      #expect(result["request"] == ["decision": "approve", "context": ["approved": true]])
      try await onLoop { #expect(source.calls == ["list"]) }
      #expect(try client.call("tasks.approve", ["task": "newest", "idempotencyKey": "k"])["task"]?["id"] == "sap/a")
    }
  }

  // MARK: At the same moment

  @Test func twoClientsAtOnceAreOneWrite() async throws {
    try await withBackend("a") { agent, source, client in
      let others = try (0..<4).map { _ in try agent.connect() }
      let gate = try await onLoop {
        let gate = Gate()
        source.answerGate = gate
        return gate
      }
      let first = try client.ask("tasks.approve", ["task": "sap/a"])
      try await onLoop { try await source.waiting.wait() }
      let ids = try others.map { try $0.ask("tasks.approve", ["task": "sap/a"]) }
      let rejection = try client.ask("tasks.reject", ["task": "sap/a"])
      #expect(try others[0].call("agent.ping") == "pong")
      try await onLoop { gate.open() }
      #expect(try client.response(to: first)["result"]?["event"]?["type"] == "approval-done")
      for (other, id) in zip(others, ids) {
        let result = try other.response(to: id)["result"]
        #expect(result?["already"] == true)
        #expect(result?["task"]?["outcome"] == "approved")
      }
      #expect(try client.response(to: rejection)["error"]?["code"] == -32005)
      try await onLoop { #expect(source.writes == ["approve a"]) }
      #expect(try events(client) == ["approval-done sap/a agent"])
    }
  }

  @Test func whenTheFirstIsRefusedTheNextOneTries() async throws {
    try await withBackend("a") { agent, source, client in
      try await onLoop { source.answer = .refused(.unavailable("Down.")) }
      let ids = try (0..<5).map { _ in try client.ask("tasks.approve", ["task": "sap/a"]) }
      for id in ids { #expect(try client.response(to: id)["error"]?["code"] == -32006) }
      try await onLoop { #expect(source.writes.count == 5) }
    }
  }

  @Test func aPollDuringADecisionDoesNotTellOfItTwice() async throws {
    try await withBackend("a") { agent, source, client in
      let gate = try await onLoop {
        let gate = Gate()
        source.answerGate = gate
        return gate
      }
      let id = try client.ask("tasks.approve", ["task": "sap/a", "comment": "Fine."])
      try await onLoop { try await source.waiting.wait() }
      // The backend has done it, and shows it before its answer arrives.
      try await poll(agent)
      #expect(try client.call("tasks.get", ["task": "sap/a"])["id"] == "sap/a")
      try await onLoop { gate.open() }
      let result = try client.response(to: id)["result"]
      #expect(result?["event"]?["data"]?["via"] == "agent")
      #expect(result?["event"]?["data"]?["comment"] == "Fine.")
      #expect(try events(client) == ["approval-done sap/a agent"])
      try await poll(agent)
      #expect(try events(client) == ["approval-done sap/a agent"])
    }
  }

  @Test func aPollFromBeforeTheDecisionBringsNothingBack() async throws {
    try await withBackend("a") { agent, source, client in
      let gate = try await onLoop {
        let gate = Gate()
        source.listGate = gate
        return gate
      }
      let old = Loop.task { try await agent.inbox.poll("sap") }
      try await onLoop {
        try await source.waiting.wait()
        source.listGate = nil
      }
      try client.call("tasks.approve", ["task": "sap/a"])
      try await onLoop { gate.open() }
      _ = try await old.value
      #expect(try events(client) == ["approval-done sap/a agent"])
      #expect(try client.call("tasks.list", ["status": "done"])["tasks"]?.array?.count == 1)
    }
  }

  @Test func aClientThatLeavesTakesNothingBackHalfDone() async throws {
    try await withBackend("a") { agent, source, client in
      let gate = try await onLoop {
        let gate = Gate()
        source.answerGate = gate
        return gate
      }
      let leaver = try agent.connect()
      try leaver.ask("tasks.approve", ["task": "sap/a"])
      try await onLoop { try await source.waiting.wait() }
      leaver.close()
      while try await onLoop({ agent.server.count }) > 1 { await Task.yield() }
      try await onLoop {
        gate.open()
        await agent.decisions.settle()
      }
      #expect(try events(client) == ["approval-done sap/a agent"])
      #expect(try client.call("tasks.approve", ["task": "sap/a"])["already"] == true)
    }
  }

  // MARK: Lost answers

  @Test func aLookThatCameBeforeADecisionAndEndsAfterItTellsNothingNew() async throws {
    try await withBackend("a") { agent, source, client in
      let gate = try await onLoop {
        let gate = Gate()
        source.readGate = gate
        return gate
      }
      let look = try client.ask("tasks.get", ["task": "sap/a"])
      try await onLoop { try await source.waiting.wait() }
      let other = try agent.connect()
      try other.call("tasks.approve", ["task": "sap/a"])
      try await onLoop { gate.open() }
      #expect(try client.response(to: look)["result"]?["status"] == "done")
      try await poll(agent)
      #expect(try events(client) == ["approval-done sap/a agent"])
    }
  }

  @Test func aKeyStaysWithTheTaskThatItsFirstRequestSelected() async throws {
    try await withBackend("a", "b") { agent, source, client in
      try await onLoop { source.answer = .lost(doneAfter: nil) }
      let request: JSONValue = ["task": "newest", "idempotencyKey": "k"]
      let id = try client.ask("tasks.approve", request)
      #expect(try await waitOutTheLooks(agent, client, id)["error"]?["code"] == -32008)
      // It was done after all; "newest" is another task now.
      try await onLoop {
        source.answer = .done
        source.decideElsewhere("b", .approved)
      }
      try await poll(agent)
      let again = try client.call("tasks.approve", request)
      #expect(again["task"]?["id"] == "sap/b" && again["already"] == true)
      try await onLoop { #expect(source.writes == ["approve b"]) }
    }
  }

  @Test func aLostAnswerIsSettledByLookingAgain() async throws {
    try await withBackend("a") { agent, source, client in
      try await onLoop { source.answer = .lost(doneAfter: .seconds(3)) }
      let id = try client.ask("tasks.approve", ["task": "sap/a", "comment": "Fine."])
      let result = try await waitOutTheLooks(agent, client, id)["result"]
      #expect(result?["task"]?["outcome"] == "approved")
      #expect(result?["event"]?["data"]?["via"] == "agent")
      try await onLoop { #expect(source.writes == ["approve a"]) }
      try await poll(agent)
      #expect(try events(client) == ["approval-done sap/a agent"])
    }
  }

  @Test func aDecisionWhoseSourceIsCutShortIsLookedForAndNotSentAgain() async throws {
    try await withBackend("a") { agent, source, client in
      try await onLoop { source.answer = .cutShort }
      let id = try client.ask("tasks.approve", ["task": "sap/a"])
      let result = try await waitOutTheLooks(agent, client, id)["result"]
      #expect(result?["task"]?["outcome"] == "approved")
      #expect(result?["event"]?["data"]?["via"] == "agent")
      try await poll(agent)
      #expect(try events(client) == ["approval-done sap/a agent"])
      try await onLoop { #expect(source.writes == ["approve a"]) }
    }
  }

  @Test func aPollThatSeesALostDecisionFirstLeavesItToItsAnswer() async throws {
    try await withBackend("a") { agent, source, client in
      try await onLoop { source.answer = .lost(doneAfter: .milliseconds(10)) }
      let id = try client.ask("tasks.approve", ["task": "sap/a", "comment": "Fine."])
      try await onLoop {
        try await agent.clock.sleepers(3)
        agent.clock.advance(by: .milliseconds(50))
      }
      try await poll(agent)
      #expect(try events(client) == [])
      try await onLoop { agent.clock.advance(by: .seconds(1)) }
      let result = try client.response(to: id)["result"]
      #expect(result?["task"]?["outcome"] == "approved")
      let data = try client.call("events.list")["events"]?[0]?["data"]
      #expect(data?["comment"] == "Fine." && data?["outcome"] == "approved")
      #expect(try events(client) == ["approval-done sap/a agent"])
    }
  }

  /// Lets a lost answer's looks come to their end.
  private func waitOutTheLooks(_ agent: TestAgent, _ client: TestClient, _ id: Int) async throws -> JSONValue {
    try await onLoop {
      // No answer comes before the clock moves.
      while agent.counters.inFlight == 0 { await Task.yield() }
      while agent.counters.inFlight > 0 {
        // Beside the request's own time-out, the pause before a look.
        if agent.clock.pending > 1 { agent.clock.advance(by: .milliseconds(500)) }
        await Task.yield()
      }
    }
    return try client.response(to: id)
  }

  @Test func anOutcomeThatNeverShowsIsUnknownAndTakesNoSecondDecision() async throws {
    try await withBackend("a") { agent, source, client in
      try await onLoop { source.answer = .lost(doneAfter: nil) }
      let error = try await waitOutTheLooks(agent, client, client.ask("tasks.approve", ["task": "sap/a"]))["error"]
      #expect(error?["code"] == -32008)
      #expect(error?["data"]?["kind"] == "outcome-unknown" && error?["data"]?["retryable"] == false)
      #expect(error?["data"]?["task"] == "sap/a")
      for method in ["tasks.approve", "tasks.reject", "tasks.complete", "tasks.claim"] {
        #expect(try client.refusal(method, ["task": "sap/a"])?["code"] == -32008, "\(method)")
      }
      // Too early a poll settles nothing, and a late one does.
      try await poll(agent)
      #expect(try client.refusal("tasks.approve", ["task": "sap/a"])?["code"] == -32008)
      try await onLoop { agent.clock.advance(by: .seconds(120)) }
      try await poll(agent)
      try await onLoop {
        #expect(source.writes == ["approve a"])
        source.answer = .done
      }
      #expect(try client.call("tasks.reject", ["task": "sap/a"])["task"]?["outcome"] == "rejected")
      #expect(try events(client) == ["approval-done sap/a agent"])
    }
  }

  @Test func aLaterPollThatShowsTheDecisionTellsOfItAsOurs() async throws {
    try await withBackend("a") { agent, source, client in
      try await onLoop { source.answer = .lost(doneAfter: .seconds(25)) }
      let error = try await waitOutTheLooks(
        agent, client, client.ask("tasks.approve", ["task": "sap/a", "comment": "Fine."]))["error"]
      #expect(error?["code"] == -32008)
      try await onLoop { agent.clock.advance(by: .seconds(25)) }
      try await poll(agent)
      #expect(try events(client) == ["approval-done sap/a agent"])
      #expect(try client.call("events.list")["events"]?[0]?["data"]?["comment"] == "Fine.")
      #expect(try client.call("tasks.approve", ["task": "sap/a"])["already"] == true)
    }
  }

  @Test func anotherOutcomeThanOursIsSomebodyElses() async throws {
    try await withBackend("a") { agent, source, client in
      try await onLoop { source.answer = .lost(doneAfter: nil) }
      let id = try client.ask("tasks.approve", ["task": "sap/a"])
      try await onLoop {
        try await agent.clock.sleepers(2)
        source.decideElsewhere("a", .rejected, by: "Q1")
        agent.clock.advance(by: .seconds(1))
      }
      #expect(try client.response(to: id)["error"]?["code"] == -32005)
      #expect(try events(client) == ["approval-done sap/a backend"])
    }
  }

  @Test func aPollFromBeforeALostAnswerDoesNotSettleIt() async throws {
    try await withBackend("a") { agent, source, client in
      let gate = try await onLoop {
        let gate = Gate()
        source.listGate = gate
        source.answer = .lost(doneAfter: .seconds(30))
        return gate
      }
      let old = Loop.task { try await agent.inbox.poll("sap") }
      try await onLoop {
        try await source.waiting.wait()
        source.listGate = nil
      }
      _ = try await waitOutTheLooks(agent, client, client.ask("tasks.approve", ["task": "sap/a"]))
      try await onLoop {
        agent.clock.advance(by: .seconds(120))
        gate.open()
      }
      _ = try await old.value
      #expect(try client.refusal("tasks.reject", ["task": "sap/a"])?["code"] == -32008)
      try await poll(agent)
      #expect(try events(client) == ["approval-done sap/a agent"])
    }
  }

  @Test func anIdempotencyKeyDoesNotKeepAnUnknownOutcomeForEver() async throws {
    try await withBackend("a") { agent, source, client in
      try await onLoop { source.answer = .lost(doneAfter: .seconds(25)) }
      let params: JSONValue = ["task": "sap/a", "idempotencyKey": "k"]
      #expect(try await waitOutTheLooks(agent, client, client.ask("tasks.approve", params))["error"]?["code"] == -32008)
      #expect(try client.refusal("tasks.approve", params)?["code"] == -32008)
      try await onLoop { agent.clock.advance(by: .seconds(25)) }
      try await poll(agent)
      #expect(try client.call("tasks.approve", params)["already"] == true)
      try await onLoop { #expect(source.writes == ["approve a"]) }
    }
  }

  // MARK: What was seen

  @Test func aDecisionOnWhatWasSeenIsCarriedOut() async throws {
    try await withBackend("a") { agent, source, client in
      try await onLoop { source.contexts["a"] = ["amount": 100] }
      let seen = try client.call("tasks.get", ["task": "sap/a"])["revision"] ?? .null
      #expect(try client.call("tasks.approve", ["task": "sap/a", "seen": seen])["task"]?["outcome"] == "approved")
    }
  }

  @Test(arguments: [false, true])
  func aDecisionOnWhatChangedSinceIsAConflictThatNamesTheField(isPolledBetween: Bool) async throws {
    try await withBackend("a") { agent, source, client in
      let seen = try client.call("tasks.list")["tasks"]?[0]?["revision"] ?? .null
      try await onLoop { source.put(source.item("a", amount: 90_000, created: 0)) }
      if isPolledBetween { try await poll(agent) }
      let error = try client.refusal("tasks.approve", ["task": "sap/a", "seen": seen])
      #expect(error?["code"] == -32005)
      #expect(error?["data"]?["changes"]?["raw.amount"] == ["from": 100, "to": 90_000])
      #expect(error?["message"]?.string?.contains("raw.amount") == true)
      #expect(error?["data"]?["seen"] == seen)
      let revision = error?["data"]?["revision"] ?? .null
      #expect(error?["data"]?["task"]?["revision"] == revision)
      try await onLoop { #expect(source.writes.isEmpty) }
      // Having looked at what is there now, the person may decide.
      let result = try client.call("tasks.approve", ["task": "sap/a", "seen": revision])
      #expect(result["event"]?["data"]?["task"]?["raw"]?["amount"] == 90_000)
    }
  }

  @Test func withoutSeenTheTaskIsDecidedAsItIsNow() async throws {
    try await withBackend("a") { agent, source, client in
      try await onLoop { source.put(source.item("a", amount: 90_000, created: 0)) }
      let result = try client.call("tasks.approve", ["task": "sap/a"])
      #expect(result["event"]?["data"]?["task"]?["raw"]?["amount"] == 90_000)
    }
  }

  @Test(arguments: [false, true])
  func aContextThatChangedSinceIsAConflictToo(isShownToAnother: Bool) async throws {
    try await withBackend("a") { agent, source, client in
      try await onLoop { source.contexts["a"] = ["order": ["amount": 100, "item": "Pens"]] }
      let seen = try client.call("tasks.get", ["task": "sap/a"])["revision"] ?? .null
      try await onLoop { source.contexts["a"] = ["order": ["amount": 90_000, "item": "Pens"]] }
      if isShownToAnother { try agent.connect().call("tasks.get", ["task": "sap/a"]) }
      let error = try client.refusal("tasks.approve", ["task": "sap/a", "seen": seen])
      #expect(error?["code"] == -32005)
      #expect(error?["data"]?["changes"] == ["context.order.amount": ["from": 100, "to": 90_000]])
      try await onLoop { #expect(source.writes.isEmpty) }
      let fresh = try client.call("tasks.get", ["task": "sap/a"])["revision"] ?? .null
      #expect(try client.call("tasks.approve", ["task": "sap/a", "seen": fresh])["already"] == nil)
    }
  }

  @Test func aRevisionThatNobodyEverSawIsAConflict() async throws {
    try await withBackend("a") { agent, source, client in
      for seen in ["0123456789abcdef", "", "x-y-z"] {
        let error = try client.refusal("tasks.approve", ["task": "sap/a", "seen": JSONValue(seen)])
        #expect(error?["code"] == -32005, "\(seen)")
      }
      try await onLoop { #expect(source.writes.isEmpty) }
    }
  }

  // MARK: Selectors

  @Test func newestTwiceInARowIsTwoTasks() async throws {
    try await withBackend("a", "b") { agent, source, client in
      let gate = try await onLoop {
        let gate = Gate()
        source.answerGate = gate
        return gate
      }
      let ids = try ["k", "l", "m"].map { key in
        try client.ask("tasks.approve", ["task": "newest", "idempotencyKey": JSONValue(key)])
      }
      // The third finds none, while the two are under way.
      #expect(try client.response(to: ids[2])["error"]?["code"] == -32004)
      try await onLoop {
        source.put(source.item("newer", created: 99))
        source.answerGate = nil
        gate.open()
      }
      let tasks = try ids.prefix(2).map { try client.response(to: $0)["result"]?["task"]?["id"] }
      #expect(tasks == ["sap/b", "sap/a"])
      try await onLoop { #expect(source.writes == ["approve b", "approve a"]) }
    }
  }

  // MARK: Idempotency keys

  @Test func theSameKeyAnswersTheSameAgain() async throws {
    try await withBackend("a", "b") { agent, source, client in
      let params: JSONValue = ["task": "newest", "comment": "x", "idempotencyKey": "k"]
      let first = try client.call("tasks.approve", params)
      #expect(first["task"]?["id"] == "sap/b")
      #expect(try client.call("tasks.approve", params) == first)
      // From another connection of the same listener, after a lost one, too; and with no task left.
      try client.call("tasks.approve", ["task": "sap/a"])
      #expect(try agent.connect().call("tasks.approve", params) == first)
      try await onLoop { #expect(source.writes == ["approve b", "approve a"]) }
    }
  }

  @Test func theSameKeyForAnotherRequestIsAConflict() async throws {
    try await withBackend("a", "b") { agent, source, client in
      try client.call("tasks.approve", ["task": "sap/a", "idempotencyKey": "k"])
      for (method, params) in [
        ("tasks.approve", ["task": "sap/b", "idempotencyKey": "k"]),
        ("tasks.reject", ["task": "sap/a", "idempotencyKey": "k"]),
        ("tasks.approve", ["task": "sap/a", "comment": "y", "idempotencyKey": "k"]),
      ] as [(String, JSONValue)] {
        let error = try client.refusal(method, params)
        #expect(error?["code"] == -32005)
        #expect(error?["message"]?.string?.contains("idempotency key") == true)
      }
      try await onLoop { #expect(source.writes == ["approve a"]) }
    }
  }

  @Test func theSameKeyAtTheSameMomentIsOneWrite() async throws {
    try await withBackend("a") { agent, source, client in
      let params: JSONValue = ["task": "sap/a", "idempotencyKey": "k"]
      let ids = try (0..<3).map { _ in try client.ask("tasks.approve", params) }
      let answers = try ids.map { try client.response(to: $0)["result"] }
      #expect(answers.allSatisfy { $0?["event"]?["type"] == "approval-done" && $0 == answers[0] })
      try await onLoop { #expect(source.writes == ["approve a"]) }
    }
  }

  // MARK: Claiming

  @Test func aClaimedTaskIsNotReadyAndAReleasedOneIsReadyAnew() async throws {
    try await withBackend("a") { agent, source, client in
      #expect(try client.call("tasks.claim", ["task": "newest"])["task"]?["status"] == "claimed")
      #expect(try client.call("tasks.list")["tasks"] == [])
      #expect(try client.call("tasks.release", ["task": "sap/a"])["task"]?["status"] == "ready")
      #expect(try events(client) == ["task-changed sap/a", "task-ready sap/a"])
      try await poll(agent)
      #expect(try events(client).count == 2)
      #expect(try client.call("tasks.claim", ["task": "sap/a"])["task"]?["status"] == "claimed")
      #expect(try client.call("tasks.approve", ["task": "sap/a"])["task"]?["outcome"] == "approved")
      #expect(try client.refusal("tasks.claim", ["task": "sap/a"])?["code"] == -32005)
    }
  }

  @Test func aClaimWaitsForADecisionUnderWay() async throws {
    try await withBackend("a") { agent, source, client in
      let gate = try await onLoop {
        let gate = Gate()
        source.answerGate = gate
        return gate
      }
      let approval = try client.ask("tasks.approve", ["task": "sap/a"])
      try await onLoop { try await source.waiting.wait() }
      let claims = try (0..<3).map { _ in try client.ask("tasks.claim", ["task": "sap/a"]) }
      try await onLoop { gate.open() }
      #expect(try client.response(to: approval)["result"] != nil)
      for claim in claims { #expect(try client.response(to: claim)["error"]?["code"] == -32005) }
      try await onLoop { #expect(source.writes == ["approve a"]) }
    }
  }

  @Test func decisionsAndClaimsOfOneTaskComeOneAfterTheOther() async throws {
    try await withBackend("a") { agent, source, client in
      let gate = try await onLoop {
        let gate = Gate()
        source.answerGate = gate
        return gate
      }
      let claim = try client.ask("tasks.claim", ["task": "sap/a"])
      try await onLoop { try await source.waiting.wait() }
      let release = try client.ask("tasks.release", ["task": "sap/a"])
      let approvals = try (0..<2).map { _ in try client.ask("tasks.approve", ["task": "sap/a"]) }
      #expect(try client.call("agent.ping") == "pong")
      try await onLoop { #expect(source.writes == ["claim a"]) }
      try await onLoop {
        source.answerGate = nil
        gate.open()
      }
      #expect(try client.response(to: claim)["result"] != nil)
      _ = try client.response(to: release)
      let results = try approvals.map { try client.response(to: $0)["result"] }
      #expect(results.compactMap { $0 }.count == 2)
      try await onLoop { #expect(source.writes.filter { $0 == "approve a" }.count == 1) }
      #expect(try events(client).filter { $0.hasPrefix("approval-done") } == ["approval-done sap/a agent"])
    }
  }
}
