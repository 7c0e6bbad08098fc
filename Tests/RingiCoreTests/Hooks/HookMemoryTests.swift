import EventLoop
import JSON
import JSONRPC
import RingiModel
import RingiTestSupport
import SQLite
import Testing
import Timing

@testable import RingiCore

@Suite(.timeLimit(.minutes(5))) struct HookMemoryTests {
  /// The sequences that reach the method `test.call`, which fails with some.
  @Loop private final class Calls {
    var seen: [Int64] = []
    var failing: Set<Int64> = []
    var gates: [Int64: Gate] = [:]

    func answer(_ fixture: HookFixture) throws {
      try fixture.answer { [self] params in
        let sequence = params["sequence"]?.int ?? 0
        seen.append(sequence)
        try await gates[sequence]?.wait()
        if failing.contains(sequence) { throw RPCError.conflict("Not now.") }
        return .null
      }
    }
  }

  /// A runner on what a life of the agent left, with its hooks in force.
  @Loop private func start(_ folder: StoreFolder, _ calls: Calls, _ hooks: Hook...) throws -> HookFixture {
    let fixture = try HookFixture(on: folder)
    try calls.answer(fixture)
    fixture.runner.replace(hooks: hooks.isEmpty ? [fixture.hook(HookFixture.call)] : hooks)
    return fixture
  }

  @Test("A hook goes on after a kill -9 where it was: what was under way runs again, in order, and nothing else")
  func goingOn() async throws {
    try await onLoop {
      let (folder, calls) = (try await StoreFolder(), Calls())
      calls.gates[3] = Gate()
      let fixture = try start(folder, calls)
      for _ in 1...5 { try await fixture.publish() }
      try await fixture.until { calls.seen == [1, 2, 3] }
      let next = try await folder.killed()

      let after = Calls()
      let again = try start(next, after)
      #expect(again.row()["lastSequence"] == 2)
      try await again.until { again.delivered() == 3 }
      #expect(after.seen == [3, 4, 5])
      try await again.publish()
      try await again.until { after.seen == [3, 4, 5, 6] }
    }
  }

  @Test("A new hook begins with the next event, also when nothing came before a kill -9")
  func newHook() async throws {
    try await onLoop {
      let (folder, calls) = (try await StoreFolder(), Calls())
      let fixture = try HookFixture(on: folder)
      try await fixture.publish()
      fixture.runner.replace(hooks: [fixture.hook(HookFixture.call)])
      let next = try await folder.killed()
      let bus = HookFixture.bus(next)
      try await bus.publish([EventDraft(EventType("x"))])
      let last = try await next.killed()
      let after = try start(last, calls)
      try await after.until { after.delivered() == 1 }
      #expect(calls.seen == [2])
    }
  }

  @Test("Attempts made before a restart count, and what is tried again comes before what is newer")
  func attempts() async throws {
    try await onLoop {
      let (folder, calls) = (try await StoreFolder(), Calls())
      calls.failing = [1]
      let fixture = try start(folder, calls)
      try await fixture.publish()
      try await fixture.publish()
      for (attempt, wait) in [(1, 2), (2, 4), (3, 0)] {
        try await fixture.until { try fixture.deliveries(.pending).first?["attempts"]?.int == Int64(attempt) }
        try await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .seconds(wait))
      }
      let next = try await folder.killed()
      await fixture.runner.stop(within: .zero)

      let after = Calls()
      after.failing = [1]
      let hook = fixture.hook(HookFixture.call, retries: 3)
      let again = try start(next, after, hook)
      try await again.until { again.delivered() == 1 }
      #expect(after.seen == [1, 2])
      let failed = try #require(again.deliveries(.failed).first)
      #expect(failed["attempts"] == 4)
      #expect(failed["lastError"] == "test.call: Not now.")
    }
  }

  @Test("With several at once nothing that arrived is delivered again, and what didn't is, in order")
  func severalAtOnce() async throws {
    try await onLoop {
      let (folder, calls) = (try await StoreFolder(), Calls())
      (calls.gates, calls.failing) = ([2: Gate(), 6: Gate()], [4, 5])
      let fixture = try HookFixture(on: folder)
      let hook = fixture.hook(HookFixture.call, retries: 1, concurrency: 4)
      try calls.answer(fixture)
      fixture.runner.replace(hooks: [hook])
      for _ in 1...7 { try await fixture.publish() }
      // 2 and 6 hang, 1, 3 and 7 arrive, 4 and 5 fail once, and 4 for good.
      try await fixture.until { try calls.seen.count == 6 && fixture.deliveries(.pending).count == 2 }
      try await fixture.clock.sleepers(4)
      calls.failing = [4]
      calls.gates[5] = Gate()
      fixture.clock.advance(by: .seconds(2))
      try await fixture.until { try fixture.deliveries(.failed).count == 1 && calls.seen.last == 7 }
      try await fixture.until { fixture.delivered() == 3 }
      let next = try await folder.killed()

      let after = Calls()
      let again = try start(next, after, hook)
      #expect(try again.deliveries(.failed).map { $0["sequence"] } == [4])
      try await again.until { again.delivered() == 3 }
      #expect(after.seen == [2, 5, 6])
      #expect(again.row()["lastSequence"] == 7)
      // What was remembered of single events beyond the place is gone.
      let last = try await next.killed()
      let record = try #require(last.state?.hooks.first)
      #expect(record.place.place == 7 && record.delivered.isEmpty && record.deliveries.count == 1)
    }
  }

  @Test(
    "Failed deliveries are there after a restart, to be retried or let go of, though the log is without their events")
  func failedOnes() async throws {
    try await onLoop {
      let (folder, calls) = (try await StoreFolder(), Calls())
      calls.failing = [1, 2, 3]
      let fixture = try start(folder, calls, HookFixture(on: folder).hook(HookFixture.call, retries: 0))
      for _ in 1...3 { try await fixture.publish() }
      try await fixture.until { try fixture.deliveries(.failed).count == 3 }
      let next = try await folder.killed()
      _ = try await next.store.record([Change { try $0.execute("DELETE FROM event") }])

      let after = Calls()
      let again = try start(next, after)
      #expect(again.problems.sentences.first?.contains("failed with 3 events") == true)
      #expect(try await again.runner.retry("h", delivery: "h/2") == 1)
      #expect(try await again.runner.discard("h", delivery: "3") == 1)
      try await again.until { again.delivered() == 1 }
      #expect(after.seen == [2])
      let error = await #expect(throws: RPCError.self) { try await again.runner.discard(nil, delivery: "h/3") }
      #expect(error?.kind == "not-found")

      let last = try await next.killed()
      let third = try start(last, Calls())
      #expect(try third.deliveries(.failed).map { $0["sequence"] } == [1])
      #expect(try await third.runner.discard(nil, delivery: nil) == 1)
      #expect(third.problems.sentences == [])
    }
  }

  @Test("What was let go of while an earlier delivery was under way is not delivered after a restart")
  func discardedBeyondThePlace() async throws {
    try await onLoop {
      let (folder, calls) = (try await StoreFolder(), Calls())
      (calls.gates, calls.failing) = ([1: Gate()], [2])
      let hook = try HookFixture(on: folder).hook(HookFixture.call, retries: 0, concurrency: 2)
      let fixture = try start(folder, calls, hook)
      for _ in 1...3 { try await fixture.publish() }
      try await fixture.until { try fixture.deliveries(.failed).count == 1 && fixture.delivered() == 1 }
      #expect(try await fixture.runner.discard("h", delivery: "h/2") == 1)
      let next = try await folder.killed()

      let after = Calls()
      let again = try start(next, after, hook)
      try await again.publish()
      try await again.until { again.delivered() == 2 }
      #expect(after.seen == [1, 4])
    }
  }

  @Test("A hook that was removed and came back while nothing could be recorded is a new one")
  func removalInTrouble() async throws {
    try await onLoop {
      let folder = try await StoreFolder()
      let fixture = try HookFixture(on: folder)
      try await fixture.publish()
      let event = try #require(await fixture.log.records(after: 0, limit: 1).records.first)
      try await folder.breakDown()
      let place = HookPlace(name: "h", place: 0)
      await folder.store.keep([HookRows.put(place)])
      await folder.store.keep([
        HookRows.put(DeliveryRecord(hook: "h", event: event, isFailed: true, attempts: 1), place)
      ])
      await folder.store.keep([HookRows.delete("h")])
      await folder.store.keep([HookRows.put(HookPlace(name: "h", place: 1))])
      try folder.mend()
      let next = try await folder.killed()
      #expect(next.state?.hooks.map(\.place) == [HookPlace(name: "h", place: 1)])
      let rows = try await next.store.read { try $0.first("SELECT count(*) FROM delivery") { $0.integer(0) } }
      #expect(rows == 0)
    }
  }

  @Test("What left the log while it was read counts as lost and is not delivered as well")
  func lostWhileReading() async throws {
    try await onLoop {
      let folder = try await StoreFolder()
      let fixture = try HookFixture(on: folder)
      let queue = HookQueue(fixture.hook(HookFixture.call, concurrency: 10), cursor: 0)
      for _ in 1...5 { try await fixture.publish() }
      let records = try await fixture.log.records(after: 0, limit: 3).records
      folder.store.retention.events = 3
      #expect(queue.skipLost(in: fixture.log) == 1...2)
      queue.take(records, through: 3)
      #expect(sequences(queue, fixture.log) == [3, 4, 5])

      // The same when it was read before.
      let other = HookQueue(fixture.hook(HookFixture.call, concurrency: 10), cursor: 0)
      other.take(records, through: 3)
      #expect(other.skipLost(in: fixture.log) == 1...2)
      #expect(sequences(other, fixture.log) == [3, 4, 5])
    }
  }

  @Loop private func sequences(_ queue: HookQueue, _ log: EventLog) -> [Int64] {
    var (found, budget) = ([Int64](), 100)
    while case .delivery(let delivery) = queue.next(in: log, budget: &budget) { found.append(delivery.sequence) }
    return found
  }

  @Test("Letting go and retrying are refused while they can't be recorded")
  func refusal() async throws {
    try await onLoop {
      let (folder, calls) = (try await StoreFolder(), Calls())
      calls.failing = [1]
      let fixture = try start(folder, calls, HookFixture(on: folder).hook(HookFixture.call, retries: 0))
      try await fixture.publish()
      try await fixture.until { try fixture.deliveries(.failed).count == 1 }
      try await folder.breakDown()
      for change in [fixture.runner.discard, fixture.runner.retry] {
        let error = await #expect(throws: RPCError.self) { try await change("h", nil) }
        #expect(error?.kind == "unavailable")
      }
      #expect(try fixture.deliveries(.failed).count == 1)
    }
  }

  @Test("A hook that was removed begins anew when it comes back, and one whose file is broken goes on")
  func removal() async throws {
    try await onLoop {
      let (folder, calls) = (try await StoreFolder(), Calls())
      calls.failing = [1]
      let fixture = try HookFixture(on: folder)
      try calls.answer(fixture)
      let hooks = ["broken", "gone", "there"].map { fixture.hook($0, HookFixture.call) }
      fixture.runner.replace(hooks: hooks)
      _ = try await folder.store.record([])
      fixture.runner.replace(hooks: [hooks[0], hooks[2]])
      try await fixture.publish()
      try await fixture.until { calls.seen == [1, 1] }
      let next = try await folder.killed()
      #expect(Set(next.state?.hooks.map(\.place.name) ?? []) == ["broken", "there"])

      let after = Calls()
      let again = try start(next, after, hooks[1])
      again.runner.forget { $0 == "broken" }
      let last = try await next.killed()
      #expect(Set(last.state?.hooks.map(\.place.name) ?? []) == ["broken", "gone"])
      again.runner.replace(hooks: [hooks[0], hooks[1]])
      try await again.until { again.delivered("broken") == 1 }
      #expect(after.seen == [1])
      #expect(again.delivered("gone") == 0)
    }
  }

  @Test("A hook that matches nothing costs no write; its place is recorded at the end")
  func idleHook() async throws {
    try await onLoop {
      let folder = try await StoreFolder()
      let fixture = try HookFixture(on: folder)
      fixture.runner.replace(hooks: [fixture.hook(HookFixture.call, on: ["never"])])
      for _ in 1...5 { try await fixture.publish() }
      let killed = try await folder.killed()
      #expect(killed.state?.hooks.first?.place.place == 0)
      await fixture.runner.stop(within: .zero)
      let next = try await folder.reopened()
      #expect(next.state?.hooks.first?.place.place == 5)
    }
  }

  @Test("A store that opens late leaves no hook with events from before it was there")
  func lateStore() async throws {
    try await onLoop {
      let (folder, calls) = (try await StoreFolder(), Calls())
      let fixture = try start(folder, calls)
      for _ in 1...3 { try await fixture.publish() }
      try await fixture.until { fixture.delivered() == 3 }
      let next = try await folder.killed()
      let state = try #require(next.state)

      let after = Calls()
      let late = try HookFixture(on: next, isRestored: false)
      try after.answer(late)
      late.runner.replace(hooks: [late.hook(HookFixture.call), late.hook("new", HookFixture.call)])
      late.log.restore(state.events)
      late.runner.restore(state.hooks)
      try await late.publish()
      try await late.until { late.delivered() == 1 && late.delivered("new") == 1 }
      #expect(after.seen == [4, 4])
    }
  }

  @Test("A warning comes before failed deliveries are dropped, by number and by age")
  func boundOfFailed() async throws {
    try await onLoop {
      let (folder, calls) = (try await StoreFolder(), Calls())
      let fixture = try start(folder, calls, HookFixture(on: folder).hook(HookFixture.call, retries: 0))
      calls.failing = Set(1...1001)
      for _ in 1...799 { try await fixture.publish() }
      try await fixture.until { try fixture.deliveries(.failed).count == 799 }
      #expect(fixture.problems.sentences.count == 1)
      try await fixture.publish()
      try await fixture.until { try fixture.deliveries(.failed).count == 800 }
      let warning = try #require(fixture.problems.sentences.first { $0.contains("800 of at most 1000") })
      #expect(warning.contains("h/1 first") && warning.contains("hooks.discard"))
      for _ in 801...1001 { try await fixture.publish() }
      try await fixture.until { try fixture.deliveries(.failed).first?["sequence"] == 1001 }
      #expect(fixture.problems.sentences.contains { $0.contains("1 older ones are no longer kept") })
      let next = try await folder.killed()
      #expect(next.state?.hooks.first?.deliveries.map(\.event.sequence) == Array(2...1001))

      #expect(try await fixture.runner.discard("h", delivery: nil) == 1000)
      #expect(fixture.problems.sentences == [])
      calls.failing = [1002]
      try await fixture.publish()
      try await fixture.until { try fixture.deliveries(.failed).count == 1 }
      #expect(fixture.problems.sentences.count == 1)
      fixture.clock.set(to: fixture.clock.now + .seconds(25 * 86_400))
      fixture.log.onTrim()
      #expect(fixture.problems.sentences.contains { $0.contains("almost 30d") && $0.contains("h/1002 first") })
      fixture.clock.set(to: fixture.clock.now + .seconds(6 * 86_400))
      fixture.log.onTrim()
      #expect(try fixture.deliveries(.failed).isEmpty)
      let last = try await folder.killed()
      #expect(last.state?.hooks.first?.deliveries.isEmpty == true)
    }
  }

  @Test("A warning comes before events are lost to a hook, by number and by age")
  func boundOfBacklog() async throws {
    try await onLoop {
      let (folder, calls) = (try await StoreFolder(), Calls())
      folder.store.retention.events = 100
      calls.gates[1] = Gate()
      let fixture = try start(folder, calls)
      for _ in 1...80 { try await fixture.publish() }
      #expect(fixture.problems.sentences == [])
      try await fixture.publish()
      let warning = try #require(fixture.problems.sentences.first)
      #expect(warning.contains("80 events wait") && warning.contains("from number 2 on"))
      calls.gates[1]?.open()
      try await fixture.until { fixture.delivered() == 81 }
      #expect(fixture.problems.sentences == [])

      calls.gates[82] = Gate()
      for _ in 1...2 { try await fixture.publish() }
      fixture.clock.set(to: fixture.clock.now + .seconds(25 * 86_400))
      fixture.log.onTrim()
      try await fixture.until { fixture.problems.sentences.contains { $0.contains("from number 83 on") } }
    }
  }
}
