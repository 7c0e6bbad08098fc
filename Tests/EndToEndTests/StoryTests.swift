import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

/// The story of one order, with all three programs.
@Suite(.timeLimit(.minutes(5))) struct StoryTests {
  private static let phrases = """
    {"phrases": [
      {"say": "だっふんだ", "call": "sap.workflow.start",
       "params": {"definitionId": "ringi_purchase", "context": {"request": {"item": "モニター", "qty": 3}}}},
      {"say": "だいじょぶだぁ", "call": "tasks.approve", "params": {"task": "newest"}}]}
    """

  @Test func anOrderIsStartedAndApprovedByTwoPhrases() throws {
    let sandbox = try Program("ringi-sandbox", ["sap-workflow", "--set", "latency=0s"])
    #expect(sandbox.waitFor { $0.outputText.hasSuffix("\n") })
    let url = sandbox.outputText.trimmingCharacters(in: .whitespacesAndNewlines)
    let folder = try AgentFolder([
      "ringi.json": Self.phrases,
      "plugins.d/sap.json": """
      {"provider": "sap-workflow", "poll": {"every": "100ms"}, "settings": {"environment": "neo",
        "url": "\(url)/workflow-service/rest", "user": "P1000009", "password": "administer-9"}}
      """,
    ])
    let notebook = folder.path("notebook")
    try folder.write(
      "hooks.d/note.json",
      #"{"on": ["task-ready", "approval-done"], "shell": "echo $RINGI_EVENT_TYPE $RINGI_TASK_ID >> '\#(notebook)'"}"#)
    let agent = try folder.startAgent()
    let (subscriber, client) = (try folder.client(), try folder.client())
    try subscriber.call("events.subscribe")

    #expect(try client.call("phrases.say", ["text": "だっふんだ"])["method"] == "sap.workflow.start")
    let ready = try #require(subscriber.notification("task-ready")["event"])
    let task = try #require(ready["subject"])
    let approved = try client.call("phrases.say", ["text": "だいじょぶだぁ！"])
    #expect(approved["result"]?["task"]?["outcome"] == "approved")
    let done = try #require(subscriber.notification("approval-done")["event"])
    #expect(done["subject"] == task && done["data"]?["via"] == "agent")
    #expect(done == approved["result"]?["event"])

    let again = try client.call("tasks.approve", ["task": task])
    #expect(again["already"] == true && again["event"] == .null)
    #expect(try client.refusal("tasks.reject", ["task": task])?["code"] == -32005)
    let events = try client.call("events.list", ["types": ["task-ready", "approval-done"]])["events"]
    #expect(events == [ready, done])
    let lines = "task-ready \(task.string ?? "")\napproval-done \(task.string ?? "")\n"
    #expect(agent.waitFor { _ in (try? String(contentsOfFile: notebook, encoding: .utf8)) == lines })
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
    sandbox.send(SIGTERM)
    #expect(sandbox.wait() == 0)
  }
}
