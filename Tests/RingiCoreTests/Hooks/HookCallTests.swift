import EventLoop
import JSON
import JSONRPC
import RingiKit
import RingiModel
import RingiTestSupport
import Testing
import Timing

@testable import RingiCore

@Suite(.timeLimit(.minutes(5))) struct HookCallTests {
  @Test func anUnknownPlaceholderFailsAtOnceAndCallsNothing() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      var calls = 0
      try fixture.answer { _ in
        calls += 1
        return .null
      }
      fixture.runner.replace(hooks: [fixture.hook(.call(method: "test.call", params: ["task": "${task.id}"]))])
      try await fixture.publish()
      try await fixture.until { try fixture.deliveries(.failed).count == 1 }
      #expect(calls == 0)
      #expect(try fixture.deliveries().first?["attempts"] == 1)
      #expect(fixture.row()["lastError"]?.string?.contains("no value for ${task.id}") == true)
    }
  }

  @Test func aRefusedCallIsTriedAgain() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      var calls = 0
      try fixture.answer { _ in
        calls += 1
        if calls == 1 { throw RPCError.pluginDown("The plugin sap is starting.") }
        return .null
      }
      fixture.runner.replace(hooks: [fixture.hook(HookFixture.call)])
      try await fixture.publish()
      try await fixture.until { fixture.row()["state"] == "retrying" }
      #expect(fixture.row()["lastError"] == "test.call: The plugin sap is starting.")
      try await fixture.clock.sleepers(1)
      fixture.clock.advance(by: .seconds(2))
      try await fixture.until { fixture.delivered() == 1 }
    }
  }

  @Test func aCallThatTakesTooLongIsCancelled() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      let never = Gate()
      var cancelled = 0
      try fixture.answer { _ in
        do { try await never.wait() } catch {
          cancelled += 1
          throw error
        }
        return .null
      }
      fixture.runner.replace(hooks: [fixture.hook(HookFixture.call, timeout: .seconds(3), retries: 0)])
      try await fixture.publish()
      try await fixture.clock.sleepers(1)
      fixture.clock.advance(by: .seconds(3))
      try await fixture.until { try fixture.deliveries(.failed).count == 1 }
      #expect(cancelled == 1)
      #expect(fixture.row()["lastError"] == "It took longer than its timeout of 3s.")
    }
  }

  @Test func aCallKnowsTheChainOfItsCauses() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      fixture.runner.replace(hooks: [
        fixture.hook(
          .call(method: "events.publish", params: ["type": "b", "data": ["was": "${data.n} of ${type}"]]), on: ["a"])
      ])
      let events = try await fixture.bus.publish([EventDraft(EventType("a"), data: ["n": 1], causes: ["root"])])
      try await fixture.until { fixture.delivered() == 1 }
      let event = try #require(fixture.log.records(after: 1).first?.event)
      #expect(event.causes == ["root", events[0].id])
      #expect(event.data == ["was": "1 of a"])
    }
  }

  @Test func whatWouldActBeforeItTellsIsNotCalledAtTheEndOfAChain() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      var calls = 0
      let approve = Method(
        "test.approve", "For tests.", params: .object([:]), result: .null, isMutation: true,
        handler: .sync { _, _ in
          calls += 1
          return .null
        })
      try fixture.registry.add([approve], of: "test")
      fixture.runner.replace(hooks: [fixture.hook(.call(method: "test.approve", params: .emptyObject))])
      for length in 7...8 {
        let causes = (0..<length).map { "e\($0)" }
        try await fixture.bus.publish([EventDraft(EventType("a"), causes: causes)])
      }
      try await fixture.until { try fixture.deliveries(.failed).count == 1 }
      #expect(calls == 1)
      #expect(fixture.problems.sentences.first?.contains("The hook h goes on with a chain") == true)
    }
  }
}
