import EventLoop
import Glibc
import JSON
import RingiModel
import RingiTestSupport
import Testing
import Timing

@testable import RingiCore

@Suite(.timeLimit(.minutes(5))) struct HookProgramTests {
  private static let hostile = "$(touch owned); `touch owned` \"; touch owned; # \\ ' ${task.id}\nend"

  @Test func aTitleIsNeverRunAsACommand() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      var param: JSONValue?
      try fixture.answer { params in
        param = params["title"]
        return .null
      }
      fixture.runner.replace(hooks: [
        fixture.hook("run", .run(["sh", "-c", "printenv RINGI_TASK_TITLE > run"])),
        fixture.hook("shell", .shell(#"printf %s "$RINGI_TASK_TITLE" > shell"#)),
        fixture.hook("call", .call(method: "test.call", params: ["title": "${task.title}"])),
      ])
      try await fixture.publish(title: Self.hostile)
      try await fixture.until { ["run", "shell", "call"].allSatisfy { fixture.delivered($0) == 1 } }
      #expect(fixture.folder.read("run") == "\(Self.hostile)\n")
      #expect(fixture.folder.read("shell") == Self.hostile)
      #expect(param == JSONValue(Self.hostile))
      #expect(!fixture.exists("owned"))
    }
  }

  @Test func aNULInATitleKeepsNoHookFromRunning() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      fixture.runner.replace(hooks: [fixture.hook(.shell("printenv RINGI_TASK_TITLE > title; cat > input"))])
      let event = try await fixture.publish(title: "a\0b\nc")
      try await fixture.until { fixture.delivered() == 1 }
      #expect(fixture.folder.read("title") == "ab\nc\n")
      let input = try JSONValue(parsing: fixture.folder.read("input") ?? "")
      #expect(input == event.json)
      #expect(input["data"]?["task"]?["title"] == "a\0b\nc")
    }
  }

  @Test func aProgramMayIgnoreABigEvent() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      fixture.runner.replace(hooks: [
        fixture.hook("slow", .shell(": < gate")), fixture.hook("quick", .run(["true"])),
        fixture.hook("reader", .shell("wc -c > count")),
      ])
      let event = try await fixture.publish(title: String(repeating: "x", count: 3_000_000))
      try await fixture.until { fixture.delivered("quick") == 1 && fixture.delivered("reader") == 1 }
      #expect(fixture.folder.read("count") == "\(event.json.utf8.count + 1)\n")
      #expect(fixture.delivered("slow") == 0)
      fixture.openGate()
      try await fixture.until { fixture.delivered("slow") == 1 }
    }
  }

  @Test func aProgramThatTakesTooLongMayCleanUpAndIsRunAgain() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      let script = """
        trap 'echo bye >> bye; exit 0' TERM; [ ! -e ready ] || exit 0; echo x >> ready
        while :; do sleep 600 & wait; done
        """
      fixture.runner.replace(hooks: [fixture.hook(.shell(script), timeout: .seconds(1))])
      try await fixture.publish()
      try await fixture.until { fixture.exists("ready") }
      fixture.clock.advance(by: .seconds(1))
      try await fixture.until { fixture.row()["state"] == "retrying" }
      #expect(fixture.folder.read("bye") == "bye\n")
      #expect(fixture.row()["lastError"] == "It took longer than its timeout of 1s.")
      // One alarm ends the rest of the program's group, the other one the wait.
      try await fixture.clock.sleepers(2)
      fixture.clock.advance(by: .seconds(5))
      try await fixture.until { fixture.delivered() == 1 }
      #expect(try fixture.deliveries(.delivered).first?["attempts"] == 2)
    }
  }

  @Test func aProgramThatIgnoresSIGTERMIsGoneAfterTimeoutAndGrace() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      let script = "trap '' TERM; echo $$ > pid.new; mv pid.new pid; sleep 600"
      fixture.runner.replace(hooks: [fixture.hook(.shell(script), timeout: .seconds(1), retries: 0)])
      try await fixture.publish()
      try await fixture.until { fixture.exists("pid") }
      let process = try #require(pid_t(fixture.folder.read("pid")?.dropLast() ?? ""))
      fixture.clock.advance(by: .milliseconds(5999))
      #expect(kill(process, 0) == 0)
      fixture.clock.advance(by: .milliseconds(1))
      try await fixture.until { try fixture.deliveries(.failed).count == 1 }
      #expect(kill(process, 0) != 0)
    }
  }

  @Test func whatCannotBeStartedIsAFailureThatNamesIt() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      fixture.runner.replace(hooks: [fixture.hook(.run(["ringi-no-such-command"]), retries: 0)])
      try await fixture.publish()
      try await fixture.until { try fixture.deliveries(.failed).count == 1 }
      #expect(fixture.row()["lastError"]?.string?.contains("ringi-no-such-command") == true)
    }
  }

  @Test func secretsStayOutOfErrorsAndOfTheEnvironment() async throws {
    try await onLoop {
      let secret = "s3cr3t/Pä+ß="
      let fixture = try HookFixture(environment: ["RINGI_PASSWORD": secret, "RINGI_SOCKET": "/run/agent.sock"])
      fixture.redactor.add(secret)
      let script = "echo 'got \(secret) and'; printenv | grep ^RINGI_ | sort; exit 3"
      fixture.runner.replace(hooks: [fixture.hook(.shell(script), retries: 0)])
      try await fixture.publish()
      try await fixture.until { try fixture.deliveries(.failed).count == 1 }
      let error = try #require(fixture.row()["lastError"]?.string)
      #expect(error.contains("got \(Redactor.mark) and"))
      #expect(error.contains("RINGI_SOCKET=/run/agent.sock"))
      #expect(!error.contains("RINGI_PASSWORD"))
    }
  }
}
