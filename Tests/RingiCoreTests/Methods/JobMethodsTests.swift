import EventLoop
import JSON
import JSONRPC
import RingiKit
import RingiTestSupport
import Testing

@testable import RingiCore

struct JobMethodsTests {
  @Loop
  private func registry(_ bench: SchedulerBench) throws -> Registry {
    let registry = Registry()
    try registry.add(JobMethods.all(bench.scheduler), of: "agent")
    return registry
  }

  private let owner = Call(origin: .owner(causes: []))

  @Test func everyAnswerFitsTheSchemaOfItsResult() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      let registry = try registry(bench)
      bench.scheduler.add(bench.job("job", .hourly) { ["polled": 3] })
      bench.scheduler.start()
      for name in ["jobs.list", "jobs.pause", "jobs.resume", "jobs.run"] {
        let params: JSONValue? = name == "jobs.list" ? nil : ["job": "job"]
        let result = try await registry.call(name, params, owner)
        let index = try #require(registry.table.index(of: name))
        #expect(registry.table.methods[index].result.validate(result).isEmpty, "\(name)")
      }
    }
  }

  @Test func aRunAnswersWithTheRowAfterItAndTheCallsResult() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("job", .hourly) { ["polled": 3] })
      let result = try await registry(bench).call("jobs.run", ["job": "job"], owner)
      #expect(result["result"] == ["polled": 3])
      #expect(result["last"] == "2026-11-30T00:00:00Z")
    }
  }

  @Test func aFailedRunIsAnErrorToWhoAskedForIt() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("job", .hourly) { throw RPCError.conflict("Already decided.") })
      let registry = try registry(bench)
      let error = await #expect(throws: RPCError.self) { try await registry.call("jobs.run", ["job": "job"], owner) }
      #expect(error?.message == "Already decided.")
      #expect(bench.row("job")["lastError"] == "Already decided.")
    }
  }
}
