import EventLoop
import JSON
import JSONRPC
import RingiKit
import RingiModel
import RingiTestSupport
import Testing
import Timing

@testable import RingiCore

@Suite(.timeLimit(.minutes(5))) struct HookMethodsTests {
  @Test func everyAnswerFitsItsSchema() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      fixture.runner.replace(hooks: [
        fixture.hook(.shell("[ -e go ] || { echo no; exit 2; }"), where: ["task.provider": ["p"]], retries: 0),
        fixture.hook("call", .call(method: "events.list", params: .emptyObject)),
      ])
      try await fixture.publish(title: "one")
      try await fixture.until { try fixture.deliveries(.failed).count == 1 && fixture.delivered("call") == 1 }

      let list = try await call(fixture, "hooks.list")
      #expect(list["hooks"]?.array?.map { $0["name"] } == ["h", "call"])
      #expect(list["hooks"]?[0]?["failed"] == 1)

      let all = try await call(fixture, "hooks.deliveries")
      #expect(all["deliveries"]?.array?.map { $0["id"] } == ["h/1", "call/1"])
      let failed = try await call(fixture, "hooks.deliveries", ["hook": "h", "state": "failed", "limit": 1])
      #expect(failed["deliveries"]?[0]?["lastError"] == "It ended with exit status 2: no")
      let delivered = try await call(fixture, "hooks.deliveries", ["hook": "h", "state": "delivered"])
      #expect(delivered["deliveries"] == [])

      try fixture.folder.write("go", "")
      #expect(try await call(fixture, "hooks.retry", ["delivery": 1]) == ["retried": 1])
      try await fixture.until { fixture.delivered() == 1 }
      #expect(try await call(fixture, "hooks.retry") == ["retried": 0])
    }
  }

  @Test func aTestRunsTheHookOnceWithAnEventThatSaysSo() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      fixture.runner.replace(hooks: [fixture.hook(.shell("cat; exit 3"), on: ["*", "task-ready"])])
      let made = try await call(fixture, "hooks.test", ["hook": "h"])
      #expect(made["delivered"] == false)
      #expect(made["exitStatus"] == 3)
      let event = try JSONValue(parsing: made["output"]?.string ?? "")
      #expect(event == made["event"])
      #expect(event["type"] == "task-ready")
      #expect(event["data"]?["test"] == true)
      #expect(event["id"]?.string?.hasPrefix("test-") == true)

      let given = try await call(
        fixture, "hooks.test", ["hook": "h", "event": ["id": "x", "type": "y", "data": ["n": 1]]])
      #expect(given["event"]?["type"] == "y")
      #expect(given["event"]?["data"] == ["n": 1, "test": true])
      #expect(fixture.log.lastSequence == 0)
      #expect(try fixture.deliveries().isEmpty)
    }
  }

  @Test func aTestOfACallAnswersWithItsResult() async throws {
    try await onLoop {
      let fixture = try HookFixture()
      try fixture.answer { $0 }
      fixture.runner.replace(hooks: [fixture.hook(.call(method: "test.call", params: ["task": "${task.id}"]))])
      let answer = try await call(fixture, "hooks.test", ["hook": "h"])
      #expect(answer["result"] == ["task": "sample/300280"])
      #expect(answer["error"] == .null)
    }
  }

  @Test(
    arguments: [
      ("hooks.test", ["hook": "nobody"]), ("hooks.deliveries", ["hook": "nobody"]), ("hooks.retry", ["hook": "nobody"]),
      ("hooks.retry", ["delivery": "h/99"]),
    ] as [(String, JSONValue)])
  func whatIsNotThereIsNotFound(_ method: String, _ params: JSONValue) async throws {
    try await onLoop {
      let fixture = try HookFixture()
      fixture.runner.replace(hooks: [fixture.hook(.run(["true"]))])
      let error = await #expect(throws: RPCError.self) { try await call(fixture, method, params) }
      #expect(error?.kind == "not-found")
    }
  }
}

/// Calls a method as a client would, and checks the answer against the method's schema.
@Loop private func call(_ fixture: HookFixture, _ name: String, _ params: JSONValue = .emptyObject) async throws
  -> JSONValue
{
  let method = try #require(HookMethods.all(fixture.runner).first { $0.name == name })
  let result = try await method.invoke(params, Call(origin: .owner(causes: [])))
  #expect(method.result.validate(result).isEmpty)
  return result
}
