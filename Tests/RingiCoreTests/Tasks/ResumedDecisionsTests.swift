import EventLoop
import JSON
import JSONRPC
import RingiKit
import RingiModel
import RingiTestSupport
import SQLite
import Testing

@testable import RingiCore

/// What becomes of a decision when the agent ends between writing it down and hearing of its end.
@Suite(.timeLimit(.minutes(5))) struct ResumedDecisionsTests {
  /// One life of an agent after another, with one backend and one state directory.
  @Loop private final class Lives {
    let folder: TemporaryFolder
    let clock = TestClock()
    let source: ScriptedSource
    private(set) var store: Store
    private(set) var bus: EventBus
    private(set) var inbox: Inbox
    private(set) var decisions: Decisions

    /// Begins the first life, in which the task `a` is known.
    init() async throws {
      folder = try TemporaryFolder()
      source = ScriptedSource(clock: clock)
      source.put(source.item("a"))
      (store, bus, inbox, decisions) = Self.parts(folder, clock)
      try await begin()
      try await poll()
    }

    private static func parts(_ folder: TemporaryFolder, _ clock: TestClock) -> (Store, EventBus, Inbox, Decisions) {
      let log = Log(level: .error, clock: clock, redactor: Redactor())
      let store = Store(directory: folder.path, clock: clock, log: log, problems: Problems())
      let bus = EventBus(store: store, clock: clock, host: "host.example")
      let inbox = Inbox(bus: bus, clock: clock, log: log)
      return (store, bus, inbox, Decisions(inbox: inbox))
    }

    private func begin() async throws {
      store.onLoad = { [bus, inbox] state in
        bus.log.restore(state.events)
        inbox.restore(state)
      }
      try await store.open()
      inbox.add(source, instance: "sap", startsWithBaseline: false)
    }

    /// Ends this life as a crash does, whose only trace is what has been recorded, and begins the next one.
    func crash() async throws {
      await store.close()
      (store, bus, inbox, decisions) = Self.parts(folder, clock)
      source.answer = .done
      try await begin()
    }

    /// Asks for an approval that gets as far as the backend, and no further.
    func beginApproval() async throws {
      var request = Decisions.Request(task: "sap/a", decision: Decision(.approve, comment: "はい"))
      request.actor = Actor(hook: "approver")
      let decisions = decisions
      Loop.task { [request] in _ = try await decisions.decide(request) }
      try await source.waiting.wait()
    }

    /// Polls, and lets what the poll takes up come to its end.
    func poll() async throws {
      try await inbox.poll("sap")
      await decisions.settle()
    }

    /// All events so far.
    func events() async throws -> [Event] {
      try await bus.log.records(after: 0, limit: 1000).records.map(\.event)
    }

    func types() async throws -> [String] { try await events().map(\.type.rawValue) }

    func audit() async throws -> [JSONValue] {
      // What was noted before is recorded before.
      try await bus.publish([])
      return try await store.read { connection in
        try connection.rows("SELECT text FROM audit ORDER BY number") { try JSONValue(parsing: $0.bytes(0)) }
      }
    }
  }

  @Test func whatTheBackendHasDoneIsRecordedAndNotSentAgain() async throws {
    try await onLoop {
      let lives = try await Lives()
      lives.source.answerGate = Gate()
      try await lives.beginApproval()
      try await lives.crash()
      lives.source.answerGate = nil
      try await lives.poll()
      try await lives.poll()
      #expect(lives.source.writes == ["approve a"])
      #expect(try await lives.types() == ["task-ready", "approval-done"])
      let data = try await lives.events()[1].data
      #expect(data["via"] == "agent" && data["outcome"] == "approved" && data["comment"] == "はい")
      let audit = try await lives.audit()
      #expect(audit.count == 1)
      #expect(audit[0]["outcome"] == "approved" && audit[0]["actor"] == ["hook": "approver"])
      #expect(lives.inbox.pendingDecisions == 0)
    }
  }

  @Test func whatTheBackendNeverGotIsSentAgainOnceItCanNoLongerBeOnItsWay() async throws {
    try await onLoop {
      let lives = try await Lives()
      lives.source.answer = .stuck
      try await lives.beginApproval()
      try await lives.crash()
      try await lives.poll()
      lives.clock.advance(by: .seconds(59))
      try await lives.poll()
      #expect(lives.source.writes == ["approve a"])
      #expect(lives.inbox.pendingDecisions == 1)
      lives.clock.advance(by: .seconds(1))
      try await lives.poll()
      try await lives.poll()
      #expect(lives.source.writes == ["approve a", "approve a"])
      #expect(try await lives.types() == ["task-ready", "approval-done"])
      #expect(lives.inbox.pendingDecisions == 0)
    }
  }

  @Test(arguments: [Duration.seconds(-3 * 3600), .seconds(3 * 3600)])
  func aClockThatIsSetMakesAWriteNeitherOlderNorYounger(step: Duration) async throws {
    try await onLoop {
      let lives = try await Lives()
      lives.source.answer = .stuck
      try await lives.beginApproval()
      try await lives.crash()
      lives.clock.set(to: lives.clock.now + step)
      try await lives.poll()
      #expect(lives.source.writes == ["approve a"])
      lives.clock.advance(by: .seconds(60))
      try await lives.poll()
      #expect(lives.source.writes == ["approve a", "approve a"])
    }
  }

  @Test func untilItIsSettledTheTaskTakesNoOtherDecision() async throws {
    try await onLoop {
      let lives = try await Lives()
      lives.source.answer = .stuck
      try await lives.beginApproval()
      try await lives.crash()
      let error = await #expect(throws: RPCError.self) {
        try await lives.decisions.decide(Decisions.Request(task: "sap/a", decision: Decision(.reject)))
      }
      #expect(error?.kind == "outcome-unknown")
      #expect(lives.source.writes == ["approve a"])
    }
  }

  @Test func aTaskThatHasChangedSinceIsNotDecidedOnItsOldForm() async throws {
    try await onLoop {
      let lives = try await Lives()
      lives.source.answer = .stuck
      try await lives.beginApproval()
      try await lives.crash()
      lives.source.put(lives.source.item("a", amount: 90_000))
      lives.clock.advance(by: .seconds(60))
      try await lives.poll()
      #expect(lives.source.writes == ["approve a"])
      #expect(try await lives.types() == ["task-ready", "task-changed"])
      #expect(try await lives.audit().map { $0["outcome"] } == ["dropped"])
      let steps = try await lives.inbox.steps(of: TaskItem.ID(provider: "sap", key: "a"))
      #expect(steps.last?.what.contains("dropped") == true)
      // It can be decided anew.
      _ = try await lives.decisions.decide(Decisions.Request(task: "sap/a", decision: Decision(.approve)))
      #expect(lives.source.writes == ["approve a", "approve a"])
    }
  }

  @Test func aDecisionWhoseMakerWasToldThatItIsUnknownIsNotMadeForThem() async throws {
    try await onLoop {
      let lives = try await Lives()
      lives.source.answer = .lost(doneAfter: nil)
      let decisions = lives.decisions
      let decision = Loop.task {
        try await decisions.decide(Decisions.Request(task: "sap/a", decision: Decision(.approve)))
      }
      for pause in ReadBack.pauses {
        try await lives.clock.sleepers(1)
        lives.clock.advance(by: pause)
      }
      let error = await #expect(throws: RPCError.self) { try await decision.value }
      #expect(error?.kind == "outcome-unknown")
      try await lives.crash()
      lives.clock.advance(by: .seconds(120))
      try await lives.poll()
      try await lives.poll()
      #expect(lives.source.writes == ["approve a"])
      #expect(lives.inbox.pendingDecisions == 0)
      #expect(try await lives.types() == ["task-ready"])
    }
  }

  @Test func aTaskThatIsGoneFromTheBackendTakesItsDecisionWithIt() async throws {
    try await onLoop {
      let lives = try await Lives()
      lives.source.answer = .stuck
      try await lives.beginApproval()
      try await lives.crash()
      lives.source.remove("a")
      try await lives.poll()
      #expect(try await lives.types() == ["task-ready", "task-gone"])
      #expect(lives.inbox.pendingDecisions == 0)
      #expect(try await lives.audit().map { $0["outcome"] } == ["gone"])
    }
  }
}
