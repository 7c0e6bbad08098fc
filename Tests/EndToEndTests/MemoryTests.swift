import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

/// What the agent still knows after a kill -9.
@Suite(.timeLimit(.minutes(5))) struct MemoryTests {
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

  @Test("A delivery that was under way runs again, those after it follow in order, and failed ones can be let go of")
  func deliveries() throws {
    let folder = try AgentFolder()
    let here = "cd '\(folder.url.path)'"
    try folder.write(
      "hooks.d/slow.json",
      """
      {"on": ["go"], "timeout": "60s",
       "shell": "\(here); echo $RINGI_EVENT_SEQUENCE >> begun; until [ -e finish ]; do sleep 0.01; done; echo $RINGI_EVENT_SEQUENCE >> ended"}
      """)
    try folder.write("hooks.d/failing.json", #"{"on": ["go"], "retries": 0, "run": ["false"]}"#)
    let first = try folder.startAgent()
    let client = try folder.client()
    let sequences = try (0..<3).map { _ in
      try #require(client.call("events.publish", ["type": "go"])["event"]?["sequence"]?.int)
    }
    let failed = { (client: TestClient) in
      try client.call("hooks.deliveries", ["state": "failed"])["deliveries"]?.array.map(Array.init) ?? []
    }
    #expect(first.waitFor { _ in (try? failed(client).count) == 3 && text(folder, "begun").count == 1 })
    kill(first)

    #expect(FileManager.default.createFile(atPath: folder.path("finish"), contents: nil))
    let second = try folder.startAgent()
    // One more is of the program that the killed agent left behind.
    #expect(second.waitFor { _ in text(folder, "ended").count == 4 })
    let numbers = sequences.map(String.init)
    #expect(text(folder, "begun") == [numbers[0]] + numbers)

    let after = try folder.client()
    #expect(try failed(after).map { $0["sequence"]?.int } == sequences.reversed())
    let discard = try Program.run("ringi", ["--socket", folder.socket, "hooks", "discard", "failing/\(numbers[1])"])
    #expect(discard.status == 0, "\(discard.errors)")
    kill(second)
    let third = try folder.startAgent()
    let last = try folder.client()
    #expect(try failed(last).map { $0["sequence"]?.int } == [sequences[2], sequences[0]])
    #expect(try last.call("hooks.discard", ["hook": "failing"]) == ["discarded": 2])
    end(third)
  }

  private func text(_ folder: AgentFolder, _ name: String) -> [String] {
    let text = (try? String(contentsOfFile: folder.path(name), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  @Test("What the first poll of a fresh state folder finds reaches a hook once")
  func coldStart() throws {
    let sandbox = try Program("ringi-sandbox", ["sap-workflow", "--set", "latency=0s"])
    #expect(sandbox.waitFor { $0.outputText.hasSuffix("\n") })
    let url = sandbox.outputText.trimmingCharacters(in: .whitespacesAndNewlines)
    let plugin = """
      {"provider": "sap-workflow", "poll": {"every": "50ms"}, "settings": {"environment": "neo",
        "url": "\(url)/workflow-service/rest", "user": "P1000009", "password": "administer-9"}}
      """
    let starting = try AgentFolder(["plugins.d/sap.json": plugin])
    let starter = try starting.startAgent()
    let order: JSONValue = ["request": ["item": "Monitor", "qty": 3]]
    try starting.client().call("sap.workflow.start", ["definitionId": "ringi_purchase", "context": order])
    end(starter)
    for round in 1...10 {
      let folder = try AgentFolder(["plugins.d/sap.json": plugin])
      try folder.write(
        "hooks.d/note.json",
        #"{"on": ["task-ready"], "shell": "echo $RINGI_TASK_ID >> '\#(folder.path("notes"))'"}"#)
      let agent = try folder.startAgent()
      #expect(agent.waitFor { _ in text(folder, "notes").count == 1 }, "\(round)")
      if round.isMultiple(of: 2) {
        let client = try folder.client()
        // Until its end is known a program may run again.
        #expect(agent.waitFor { _ in (try? client.call("hooks.list")["hooks"]?[0]?["delivered"]) == 1 })
        try client.call("events.publish", ["type": "x"])
        kill(agent)
      } else {
        end(agent)
      }
      let next = try folder.startAgent()
      try folder.client().call("tasks.refresh")
      end(next)
      #expect(text(folder, "notes").count == 1, "\(round)")
    }
    end(sandbox)
  }
}
