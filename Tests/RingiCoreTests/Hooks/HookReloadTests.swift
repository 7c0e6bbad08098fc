import EventLoop
import JSON
import RingiModel
import RingiTestSupport
import Testing
import Timing

@testable import RingiCore

@Suite(.timeLimit(.minutes(5))) struct HookReloadTests {
  @Test func aHookInForceBeforeTheFirstEventGetsItOnce() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      var seen: [JSONValue] = []
      try fixture.answer { params in
        seen.append(params)
        return .null
      }
      fixture.runner.replace(hooks: [fixture.hook(HookFixture.call)])
      try await fixture.publish("task-ready")
      fixture.runner.replace(hooks: [fixture.hook(HookFixture.call)])
      try await fixture.until { fixture.delivered() == 1 }
      #expect(seen == [["sequence": 1]])
    }
  }

  @Test func whatIsUnderWayOutlivesAReloadAndANewHookBeginsWithTheNextEvent() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      let gate = Gate()
      var seen: [JSONValue] = []
      try fixture.answer { params in
        seen.append(params)
        try await gate.wait()
        return .null
      }
      let old = fixture.hook("old", HookFixture.call)
      let new = fixture.hook("new", .call(method: "test.call", params: ["new": "${sequence}"]))
      #expect(fixture.runner.replace(hooks: [old]) == ["old"])
      try await fixture.publish()
      try await fixture.publish()
      try await fixture.until { seen.count == 1 }
      #expect(fixture.runner.replace(hooks: [old, new]) == ["new"])
      gate.open()
      try await fixture.until { fixture.delivered("old") == 2 }
      #expect(seen == [["sequence": 1], ["sequence": 2]])
      try await fixture.publish()
      try await fixture.until { fixture.delivered("new") == 1 }
      #expect(seen.contains(["new": 3]))
    }
  }

  @Test func aChangedHookGoesOnWhereItWas() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      fixture.runner.replace(hooks: [fixture.hook(.shell("exit 1"))])
      try await fixture.publish()
      try await fixture.publish()
      try await fixture.until { try fixture.deliveries(.pending).first?["attempts"] == 1 }
      let changed = fixture.hook(.shell("echo $RINGI_EVENT_SEQUENCE >> done"))
      #expect(fixture.runner.replace(hooks: [changed]) == ["h"])
      try await fixture.clock.sleepers(1)
      fixture.clock.advance(by: .seconds(2))
      try await fixture.until { fixture.delivered() == 2 }
      #expect(fixture.folder.read("done") == "1\n2\n")
    }
  }

  @Test func aRemovedHookBeginsNothingMore() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      fixture.runner.replace(hooks: [fixture.hook(.shell("echo x >> tries; exit 1"))])
      try await fixture.publish()
      try await fixture.publish()
      try await fixture.until { try fixture.deliveries(.pending).first?["attempts"] == 1 }
      try await fixture.clock.sleepers(1)
      #expect(fixture.runner.replace(hooks: []) == ["h"])
      try await fixture.until { fixture.clock.pending == 0 }
      fixture.clock.advance(by: .seconds(3600))
      #expect(fixture.folder.read("tries") == "x\n")
    }
  }

  @Test func theEndOfTheAgentWaitsForWhatRunsAndBeginsNothing() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      let script = "echo $RINGI_EVENT_SEQUENCE >> begun; : < gate; echo done > done"
      fixture.runner.replace(hooks: [fixture.hook(.shell(script))])
      try await fixture.publish()
      try await fixture.publish()
      try await fixture.until { fixture.exists("begun") }
      let stop = Loop.task { await fixture.runner.stop(within: .seconds(10)) }
      // The timeout of the attempt, and the limit of the stop.
      try await fixture.clock.sleepers(2)
      fixture.openGate()
      try await stop.value
      #expect(fixture.folder.read("begun") == "1\n")
      #expect(fixture.exists("done"))
    }
  }

  @Test(arguments: [true, false])
  func theEndOfTheAgentIsTheEndOfWhatTakesTooLong(_ isHurried: Bool) async throws {
    try await onLoop {
      let fixture = try HookFixture()
      fixture.runner.replace(hooks: [
        fixture.hook(.shell("trap 'echo bye > bye; exit 0' TERM; echo $$ > pid; sleep 600 & wait"))
      ])
      try await fixture.publish()
      let process = try await fixture.process()
      try await fixture.stop(endingAlso: process) { stop in
        if isHurried { stop.cancel() } else { fixture.clock.advance(by: .seconds(10)) }
      }
      #expect(fixture.exists("bye"))
      #expect(fixture.delivered() == 0)
    }
  }
}
