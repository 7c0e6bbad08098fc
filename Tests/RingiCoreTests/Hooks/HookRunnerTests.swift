import EventLoop
import Glibc
import JSON
import RingiKit
import RingiModel
import RingiTestSupport
import Testing
import Timing

@testable import RingiCore

@Suite(.timeLimit(.minutes(5))) struct HookRunnerTests {
  @Test func programsGetTheEventsInOrderOnTheirInput() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      fixture.runner.replace(hooks: [fixture.hook(.shell("cat >> events"))])
      var events: [Event] = []
      for number in 1...5 { events.append(try await fixture.publish(title: "task \(number)")) }
      try await fixture.until { fixture.delivered() == 5 }
      let lines = fixture.folder.read("events")?.split(separator: "\n") ?? []
      #expect(lines.count == 5)
      #expect(try lines.map { try JSONValue(parsing: String($0)) } == events.map(\.json))
    }
  }

  @Test func onlyWantedEventsAreDelivered() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      var seen: [JSONValue] = []
      try fixture.answer { params in
        seen.append(params)
        return .null
      }
      let conditions: JSONValue = ["task.title": "wanted"]
      fixture.runner.replace(hooks: [fixture.hook(HookFixture.call, on: ["a", "b*"], where: conditions)])
      for (type, title) in [("a", "wanted"), ("a", "other"), ("c", "wanted"), ("bb", "wanted")] {
        try await fixture.publish(type, title: title)
      }
      try await fixture.until { fixture.row()["backlog"]?.int == 0 }
      #expect(seen == [["sequence": 1], ["sequence": 4]])
    }
  }

  @Test func aFailedDeliveryIsTriedAgainBeforeTheNextIsBegun() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      let script = "echo $RINGI_EVENT_SEQUENCE >> tries; [ $(wc -l < tries) -ge 3 ] || { echo not yet; exit 4; }"
      fixture.runner.replace(hooks: [fixture.hook(.shell(script))])
      try await fixture.publish()
      try await fixture.publish()
      for (attempt, wait) in [(1, 2), (2, 4)] {
        try await fixture.until { try fixture.deliveries(.pending).first?["attempts"]?.int == Int64(attempt) }
        #expect(try fixture.deliveries().count == 1)
        #expect(fixture.row()["state"] == "retrying")
        #expect(fixture.row()["lastError"] == "It ended with exit status 4: not yet")
        try await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .seconds(wait))
      }
      try await fixture.until { fixture.delivered() == 2 }
      #expect(fixture.folder.read("tries") == "1\n1\n1\n2\n")
      #expect(try fixture.deliveries(.delivered).map { $0["attempts"] } == [1, 3])
    }
  }

  @Test func afterItsRetriesADeliveryIsKeptAsFailedAndTheNextGoesOn() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      fixture.runner.replace(hooks: [fixture.hook(.shell("[ -e go ] || [ $RINGI_EVENT_SEQUENCE = 2 ]"), retries: 1)])
      try await fixture.publish()
      try await fixture.publish()
      try await fixture.until { try fixture.deliveries(.pending).first?["attempts"] == 1 }
      try await fixture.clock.sleepers(1)
      fixture.clock.advance(by: .seconds(2))
      try await fixture.until { fixture.delivered() == 1 }
      let failed = try #require(try fixture.deliveries(.failed).first)
      #expect(failed["id"] == "h/1")
      #expect(failed["attempts"] == 2)
      #expect(failed["exitStatus"] == 1)
      #expect(fixture.problems.sentences.first?.contains("The hook h failed with 1 events") == true)

      try fixture.folder.write("go", "")
      #expect(try await fixture.runner.retry("h", delivery: "h/1") == 1)
      try await fixture.until { fixture.delivered() == 2 }
      #expect(try fixture.deliveries(.failed).isEmpty)
      #expect(fixture.problems.sentences == [])
    }
  }

  @Test func severalAtOnceAreBegunInOrder() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      var begun: [Int64] = []
      let gates = (0..<6).map { _ in Gate() }
      try fixture.answer { params in
        let sequence = params["sequence"]?.int ?? 0
        begun.append(sequence)
        try await gates[Int(sequence)].wait()
        return .null
      }
      fixture.runner.replace(hooks: [fixture.hook(HookFixture.call, concurrency: 3)])
      for _ in 1...5 { try await fixture.publish() }
      try await fixture.until { begun.count == 3 }
      #expect(begun == [1, 2, 3])
      gates[2].open()
      try await fixture.until { begun.count == 4 }
      #expect(begun == [1, 2, 3, 4])
      // All before the first that is still under way.
      #expect(fixture.row()["lastSequence"] == 0)
      for gate in gates { gate.open() }
      try await fixture.until { fixture.delivered() == 5 }
      #expect(begun == [1, 2, 3, 4, 5])
      #expect(fixture.row()["lastSequence"] == 5)
    }
  }

  @Test func aHookThatHangsHoldsUpNeitherOthersNorTheAgent() async throws {
    try await onLoop {
      let fixture = try HookFixture(events: 5000)
      var count = 0
      try fixture.answer { _ in
        count += 1
        return .null
      }
      fixture.runner.replace(hooks: [
        fixture.hook("hang", .shell("echo $$ > pid; exec sleep 600")), fixture.hook("quick", HookFixture.call),
      ])
      for index in 0..<10_000 {
        try await fixture.publish()
        // A publisher that gives nobody a turn would be too fast for any hook.
        if index % 100 == 0 { try await fixture.until { count == index + 1 } }
      }
      // Delivered, not only called: the limit of a call that has yet to return is an alarm too.
      try await fixture.until { fixture.delivered("quick") == 10_000 }
      #expect(try fixture.deliveries(of: "hang").count == 1)
      #expect(fixture.row("hang")["backlog"] == 5001)
      #expect(fixture.row("hang")["lost"] == 4999)
      #expect(fixture.row("quick")["lost"] == 0)
      #expect(fixture.problems.sentences.first?.contains("The hook hang is too slow: 4999 events") == true)

      let process = try await fixture.process()
      #expect(kill(process, 0) == 0)
      try await fixture.stop(endingAlso: process) { _ in fixture.clock.advance(by: .seconds(10)) }
      #expect(kill(process, 0) != 0)
    }
  }

  @Test func hooksBeyondTheBoundOnProgramsWaitTheirTurn() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      let count = HookAttempt.maxProcesses + 4
      fixture.runner.replace(
        hooks: (0..<count).map {
          fixture.hook("h\($0)", .shell("touch begun-\($0); : < gate"))
        })
      try await fixture.publish()
      let isBegun = { (index: Int) in fixture.exists("begun-\(index)") }
      try await fixture.until { (0..<count).filter(isBegun).count == HookAttempt.maxProcesses }
      let running = (0..<count).filter { fixture.row("h\($0)")["state"] == "running" }
      #expect(running.count == HookAttempt.maxProcesses)
      #expect(fixture.row("h\(count - 1)")["state"] == "waiting")
      fixture.openGate()
      try await fixture.until { (0..<count).allSatisfy { fixture.delivered("h\($0)") == 1 } }
    }
  }

  @Test func anEventThatCausesItselfIsCutAndTheHookIsNamed() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      var others = 0
      try fixture.answer { _ in
        others += 1
        return .null
      }
      let publish = Hook.Action.call(method: "events.publish", params: ["type": "x.loop"])
      fixture.runner.replace(hooks: [
        fixture.hook("echo", publish, on: ["x.loop"]), fixture.hook("other", HookFixture.call),
      ])
      let first = try await fixture.publish("x.loop")
      try await fixture.until { try !fixture.deliveries(.failed, of: "echo").isEmpty && others == 9 }
      #expect(fixture.log.lastSequence == 9)
      let last = try #require(fixture.log.records(after: 8).first?.event)
      #expect(last.causes.count == EventBus.maxCauses)
      #expect(last.causes.first == first.id)
      let problems = fixture.problems.sentences
      #expect(problems.contains { $0.contains("The hook echo goes on with a chain") && $0.contains("x.loop") })
      #expect(problems.count == 2, "the loop, and the failed delivery")
      try await fixture.publish("y")
      try await fixture.until { others == 10 }
    }
  }
}
