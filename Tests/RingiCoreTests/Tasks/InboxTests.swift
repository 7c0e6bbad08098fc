import EventLoop
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiModel
import RingiTestSupport
import Testing

@Suite struct InboxTests {
  /// An inbox with one source, on a clock that only moves when told.
  @Loop
  private final class Fixture {
    let clock = TestClock()
    let bus: EventBus
    let inbox: Inbox
    let source: ScriptedSource

    init(startsWithBaseline: Bool = false) throws {
      bus = try EventBus.inMemory(clock: clock)
      let log = Log(level: .error, clock: clock, redactor: Redactor())
      inbox = Inbox(bus: bus, clock: clock, log: log)
      source = ScriptedSource(clock: clock)
      inbox.add(source, instance: "sap", startsWithBaseline: startsWithBaseline)
    }

    func poll() async throws { try await inbox.poll("sap") }

    private var told: Int64 = 0

    /// What happened since the last time, each as its type and subject.
    func news() async throws -> [String] {
      defer { told = bus.log.lastSequence }
      return try await bus.log.records(after: told, limit: 10_000).records.map {
        ["\($0.event.type)", $0.event.subject].compactMap(\.self).joined(separator: " ")
      }
    }
  }

  // MARK: Announcing

  @Test func eachReadinessIsAnnouncedOnceAndEachDecisionElsewhereToo() async throws {
    try await onLoop {
      let fixture = try Fixture()
      let source = fixture.source
      source.put(source.item("a"), source.item("b", created: 5))
      try await fixture.poll()
      #expect(try await fixture.news() == ["task-ready sap/a", "task-ready sap/b"])
      try await fixture.poll()
      #expect(try await fixture.news().isEmpty)
      source.decideElsewhere("a", .approved, by: "Q1")
      source.remove("b")
      try await fixture.poll()
      #expect(try await fixture.news() == ["approval-done sap/a", "task-gone sap/b"])
      let done = fixture.bus.log.records(after: 2).first?.event.data
      #expect(done?["via"] == "backend" && done?["by"] == "Q1" && done?["outcome"] == "approved")
      #expect(done?["task"]?["status"] == "done")
      try await fixture.poll()
      #expect(try await fixture.news().isEmpty)
      source.put(source.item("a"))
      try await fixture.poll()
      #expect(try await fixture.news() == ["task-ready sap/a"])
    }
  }

  @Test func aPollTellsHowMuchItFound() async throws {
    try await onLoop {
      let fixture = try Fixture()
      fixture.source.put(fixture.source.item("a"), fixture.source.item("b"))
      let first = try await fixture.inbox.poll("sap")
      #expect((first.ready, first.changed) == (2, 0))
      fixture.source.put(fixture.source.item("a", amount: 7), fixture.source.item("c"))
      let second = try await fixture.inbox.poll("sap")
      #expect((second.ready, second.changed) == (1, 1))
    }
  }

  @Test func aChangeOfWhatMattersIsToldAndAChangeOfAStampIsNot() async throws {
    try await onLoop {
      let fixture = try Fixture()
      let source = fixture.source
      source.put((0..<600).map { source.item("\($0)") })
      try await fixture.poll()
      _ = try await fixture.news()
      source.put((0..<600).map { source.item("\($0)", changedAt: 5) })
      try await fixture.poll()
      #expect(try await fixture.news().isEmpty)
      source.put((0..<600).map { source.item("\($0)", amount: 5) })
      try await fixture.poll()
      let news = try await fixture.news()
      #expect(news.count == 600)
      #expect(news.allSatisfy { $0.hasPrefix("task-changed") })
    }
  }

  @Test func aFirstPollThatIsABaselineAnnouncesNothing() async throws {
    try await onLoop {
      let fixture = try Fixture(startsWithBaseline: true)
      fixture.source.put(fixture.source.item("a"))
      fixture.source.failure = .unavailable("Down.")
      await #expect(throws: RPCError.self) { try await fixture.poll() }
      fixture.source.failure = nil
      try await fixture.poll()
      #expect(try await fixture.news() == ["poll-failed", "poll-recovered"])
      fixture.source.put(fixture.source.item("b"))
      try await fixture.poll()
      #expect(try await fixture.news() == ["task-ready sap/b"])
    }
  }

  // MARK: Failing

  @Test func aFailedOrPartialListMakesNothingGone() async throws {
    try await onLoop {
      let fixture = try Fixture()
      let source = fixture.source
      source.put((0..<2500).map { source.item("\($0)") })
      try await fixture.poll()
      #expect(try await fixture.news().count == 2500)
      source.put((0..<500).map { source.item("\($0)", status: .done) })
      source.remove("600")
      source.failure = .unavailable("Page 3 answered 500.")
      await #expect(throws: RPCError.self) { try await fixture.poll() }
      #expect(try await fixture.news() == ["poll-failed"])
      #expect(fixture.inbox.stale == ["sap"])
      source.failure = nil
      source.isComplete = false
      try await fixture.poll()
      #expect(try await fixture.news() == ["poll-recovered"])
      source.isComplete = true
      try await fixture.poll()
      let news = try await fixture.news()
      #expect(news.filter { $0.hasPrefix("approval-done") }.count == 500)
      #expect(news.filter { $0.hasPrefix("task-gone") } == ["task-gone sap/600"])
      #expect(fixture.inbox.stale.isEmpty)
    }
  }

  @Test func aPollThatFindsMuchTellsItOldestFirst() async throws {
    try await onLoop {
      let fixture = try Fixture()
      let source = fixture.source
      source.put((0..<2500).map { source.item("\($0)", created: Int64(2500 - $0)) })
      let found = try await fixture.inbox.poll("sap")
      #expect((found.ready, found.changed) == (2500, 0))
      #expect(try await fixture.news() == (0..<2500).reversed().map { "task-ready sap/\($0)" })
    }
  }

  @Test func oneSenselessRecordAmongManyMakesThePollConcludeNothing() async throws {
    try await onLoop {
      let fixture = try Fixture()
      let source = fixture.source
      source.put((0..<2500).map { source.item("\($0)", created: Int64($0)) })
      source.senseless = ["2400"]
      await #expect(throws: RPCError.self) { try await fixture.poll() }
      #expect(try await fixture.news() == ["poll-failed"])
      source.senseless = []
      try await fixture.poll()
      #expect(try await fixture.news() == (0..<2500).map { "task-ready sap/\($0)" } + ["poll-recovered"])
    }
  }

  @Test func aFailedLookAtAMissingTaskConcludesNothing() async throws {
    try await onLoop {
      let fixture = try Fixture()
      fixture.source.put(fixture.source.item("a"), fixture.source.item("b"))
      try await fixture.poll()
      _ = try await fixture.news()
      fixture.source.decideElsewhere("a", .approved)
      fixture.source.put(fixture.source.item("c"))
      fixture.source.readFailure = .unavailable("Down.")
      await #expect(throws: RPCError.self) { try await fixture.poll() }
      #expect(try await fixture.news() == ["poll-failed"])
      fixture.source.readFailure = nil
      try await fixture.poll()
      #expect(try await fixture.news() == ["approval-done sap/a", "task-ready sap/c", "poll-recovered"])
    }
  }

  /// One id with which nobody can ask must not keep all others from being told of.
  @Test func aTaskThatCannotBeAskedForStaysAsItIs() async throws {
    try await onLoop {
      let fixture = try Fixture()
      fixture.source.put(fixture.source.item(".."), fixture.source.item("b"))
      try await fixture.poll()
      _ = try await fixture.news()
      fixture.source.remove("..")
      fixture.source.put(fixture.source.item("c"))
      fixture.source.readFailure = .invalidParams("id got \"..\".")
      try await fixture.poll()
      #expect(try await fixture.news() == ["task-ready sap/c"])
      fixture.source.readFailure = nil
      try await fixture.poll()
      #expect(try await fixture.news() == ["task-gone sap/.."])
    }
  }

  @Test func aPollWithoutEndFailsAndIsToldOf() async throws {
    try await onLoop {
      let fixture = try Fixture()
      fixture.source.listGate = Gate()
      let poll = Loop.task { try await fixture.poll() }
      try await fixture.source.waiting.wait()
      fixture.clock.advance(by: Inbox.longestPoll)
      let error = await #expect(throws: RPCError.self) { try await poll.value }
      #expect(error?.kind == "unavailable" && error?.message.contains("longer than 10m") == true)
      #expect(try await fixture.news() == ["poll-failed"] && fixture.inbox.stale == ["sap"])
    }
  }

  @Test func aFailureIsToldOnItsChangeAlone() async throws {
    try await onLoop {
      let fixture = try Fixture()
      fixture.source.failure = .unavailable("Down.", retryAfter: 60)
      for _ in 0..<3 { await #expect(throws: RPCError.self) { try await fixture.poll() } }
      #expect(try await fixture.news() == ["poll-failed"])
      #expect(fixture.inbox.failure(of: "sap")?.retryAfter == 60)
      fixture.source.failure = .loginRequired(provider: "sap", message: "The password is wrong.")
      for _ in 0..<3 { await #expect(throws: RPCError.self) { try await fixture.poll() } }
      #expect(try await fixture.news() == ["login-required"])
      fixture.source.failure = nil
      for _ in 0..<3 { try await fixture.poll() }
      #expect(try await fixture.news() == ["poll-recovered"])
      let data = fixture.bus.log.records(after: 0).first?.event.data
      #expect(data?["provider"] == "sap")
      #expect(data?["error"]?["data"]?["kind"] == "unavailable")
    }
  }

  @Test func aCancelledPollIsNoFailure() async throws {
    try await onLoop {
      let fixture = try Fixture()
      fixture.source.listGate = Gate()
      let poll = Loop.task { try await fixture.poll() }
      try await fixture.source.waiting.wait()
      poll.cancel()
      await #expect(throws: CancellationError.self) { try await poll.value }
      #expect(try await fixture.news().isEmpty)
      #expect(fixture.inbox.stale.isEmpty)
    }
  }

  // MARK: Polls that overlap

  @Test func anOldListBringsNothingBack() async throws {
    try await onLoop {
      let fixture = try Fixture()
      let source = fixture.source
      source.put(source.item("a"), source.item("b"))
      try await fixture.poll()
      _ = try await fixture.news()
      let gate = Gate()
      source.listGate = gate
      let old = Loop.task { try await fixture.poll() }
      try await source.waiting.wait()
      source.listGate = nil
      source.decideElsewhere("a", .approved)
      source.put(source.item("c"))
      try await fixture.poll()
      #expect(try await fixture.news() == ["approval-done sap/a", "task-ready sap/c"])
      gate.open()
      try await old.value
      #expect(try await fixture.news().isEmpty)
      try await fixture.poll()
      #expect(try await fixture.news().isEmpty)
    }
  }

  @Test func twoPollsAtOnceAnnounceOnce() async throws {
    try await onLoop {
      let fixture = try Fixture()
      let source = fixture.source
      source.put(source.item("a"))
      let gate = Gate()
      source.listGate = gate
      let first = Loop.task { try await fixture.poll() }
      try await source.waiting.wait()
      source.listGate = nil
      try await fixture.poll()
      gate.open()
      try await first.value
      #expect(try await fixture.news() == ["task-ready sap/a"])
    }
  }

  // MARK: Instances that come and go

  @Test func anInstanceThatComesBackAnnouncesNothingAnew() async throws {
    try await onLoop {
      let fixture = try Fixture()
      let other = ScriptedSource(instance: "web", clock: fixture.clock)
      fixture.inbox.add(other, instance: "web", startsWithBaseline: false)
      fixture.source.put((0..<50).map { fixture.source.item("\($0)") })
      other.put((0..<50).map { other.item("\($0)") })
      try await fixture.poll()
      try await fixture.inbox.poll("web")
      #expect(try await fixture.news().count == 100)
      fixture.inbox.remove("sap")
      #expect(fixture.inbox.instances == ["web"])
      try await fixture.inbox.poll("web")
      #expect(try await fixture.news().isEmpty)
      await #expect(throws: RPCError.self) { try await fixture.poll() }
      fixture.inbox.add(fixture.source, instance: "sap", startsWithBaseline: false)
      try await fixture.poll()
      #expect(try await fixture.news().isEmpty)
      fixture.source.put(fixture.source.item("new"))
      try await fixture.poll()
      #expect(try await fixture.news() == ["task-ready sap/new"])
    }
  }

  @Test func aPollOfAnInstanceThatIsGoneMeanwhileSaysNothing() async throws {
    try await onLoop {
      let fixture = try Fixture()
      for failure in [nil, RPCError.unavailable("Down.")] {
        let gate = Gate()
        fixture.source.put(fixture.source.item("a"))
        fixture.source.failure = failure
        fixture.source.listGate = gate
        fixture.source.waiting.close()
        let poll = Loop.task { try await fixture.poll() }
        try await fixture.source.waiting.wait()
        fixture.inbox.remove("sap")
        gate.open()
        _ = await poll.result
        #expect(try await fixture.news().isEmpty)
        #expect(fixture.inbox.failure(of: "sap") == nil)
        fixture.inbox.add(fixture.source, instance: "sap", startsWithBaseline: false)
      }
    }
  }

  @Test func pollingWhatIsNotThereSaysWhatIs() async throws {
    try await onLoop {
      let error = await #expect(throws: RPCError.self) { try await Fixture().inbox.poll("none") }
      #expect(error?.kind == "not-found")
      #expect(error?.message.contains("sap") == true)
    }
  }
}
