import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

/// What the agent still knows after a kill -9.
@Suite(.timeLimit(.minutes(2))) struct MemoryTests {
  private func kill(_ agent: Program) {
    agent.send(SIGKILL)
    #expect(agent.wait() == -SIGKILL)
  }

  private func end(_ agent: Program) {
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  @Test("A job keeps its pause, its past and its next time")
  func jobs() throws {
    let folder = try AgentFolder([
      "jobs.d/hourly.json": #"{"call": "agent.ping", "every": "1h"}"#,
      "jobs.d/paused.json": #"{"call": "agent.ping", "every": "100ms"}"#,
      "jobs.d/seldom.json": #"{"call": "nothing.there", "every": "1d"}"#,
    ])
    let first = try folder.startAgent()
    let client = try folder.client()
    let failure = try client.refusal("jobs.run", ["job": "seldom"])
    #expect(failure?["data"]?["kind"] == "method-not-found")
    #expect(try client.call("jobs.pause", ["job": "paused"])["paused"] == true)
    let before = try #require(client.call("jobs.list")["jobs"]?.array)
    kill(first)
    let second = try folder.startAgent()
    let after = try #require(folder.client().call("jobs.list")["jobs"]?.array)
    #expect(after.map { $0["paused"] } == [false, true, false])
    #expect(after.map { $0["next"] } == before.map { $0["next"] })
    #expect(after[1]["last"] == before[1]["last"])
    #expect(after[2]["failures"] == 1 && after[2]["last"] == before[2]["last"])
    end(second)
  }
}
