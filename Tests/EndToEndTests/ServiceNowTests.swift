import Foundation
import Glibc
import HTTPServer
import JSON
import RingiTestSupport
import Sandbox
import Testing

/// An agent of real programs in front of a sandboxed ServiceNow instance.
@Suite(.timeLimit(.minutes(5)), .serialized) struct ServiceNowTests {
  private static let environment = [
    "SERVICENOW_PASSWORD": "approve-1", "SERVICENOW_SECRET": ServiceNowClient.standardSecret,
  ]

  /// A configuration like the one in the repository's plugins.d.
  private func folder(_ url: String) throws -> AgentFolder {
    let plugin: JSONValue = [
      "provider": "servicenow", "poll": ["every": "1d"],
      "settings": [
        "url": .init(url), "login": "password", "user": "hanako", "password": ["env": "SERVICENOW_PASSWORD"],
        "clientId": .init(ServiceNowClient.standardID), "clientSecret": ["env": "SERVICENOW_SECRET"],
      ],
    ]
    return try AgentFolder(["plugins.d/now.json": plugin.description])
  }

  private func launch(_ folder: AgentFolder) throws -> Program {
    try Program("ringid", folder.arguments + ["--socket", folder.socket], environment: Self.environment)
  }

  private func events(_ client: TestClient) throws -> [String] {
    let events = try client.call("events.list")["events"]?.array?.compactMap { $0["type"]?.string } ?? []
    return events.filter { !$0.hasPrefix("plugin-") }
  }

  @Test func aTableIsReadAndWrittenThroughThePrograms() throws {
    let sandbox = try Program("ringi-sandbox", ["servicenow"])
    #expect(sandbox.waitFor { $0.outputText.hasSuffix("\n") })
    let folder = try folder(sandbox.outputText.trimmingCharacters(in: .whitespacesAndNewlines))
    let agent = try launch(folder)
    let client = try agent.connect(folder.socket)
    let methods = try client.call("plugins.get", ["plugin": "now"])["methods"]?.array?.compactMap(\.string) ?? []
    #expect(methods.contains("now.table.list") && methods.contains("now.approvals.approve"))
    let made = try client.call(
      "now.table.create", ["table": "incident", "values": ["short_description": "Fire", "priority": "1"]])
    #expect(made["differing"] == [])
    let list = try client.call("now.table.list", ["table": "incident", "query": "priority=1"])
    #expect(list["complete"] == true && list["records"]?.array?.count == 1)
    #expect(try client.call("tasks.list")["tasks"] == [])
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
    sandbox.send(SIGTERM)
    #expect(sandbox.wait() == 0)
  }

  @Test func aKilledAgentAnnouncesNothingTwiceAndApprovesNothingTwice() throws {
    let sandbox = ServiceNowSandbox(ServiceNowConfiguration())
    try sandbox.start(port: 0, tls: nil)
    defer { sandbox.stop() }
    let ids = try sandbox.with { state throws(ControlError) in try state.makeApprovals(count: 3) }
    let folder = try folder(sandbox.url)
    var agent = try launch(folder)
    var client = try agent.connect(folder.socket)
    try client.call("tasks.refresh")
    let tasks = try client.call("tasks.list")["tasks"]?.array
    #expect(tasks?.count == 3 && tasks?.first?["actions"] == ["approve", "reject"])
    agent.send(SIGKILL)
    #expect(agent.wait() == -SIGKILL)
    agent = try launch(folder)
    client = try agent.connect(folder.socket)
    try client.call("tasks.refresh")
    #expect(try events(client) == ["task-ready", "task-ready", "task-ready"])

    let task = JSONValue("now/\(ids[0])")
    let done = try client.call("tasks.approve", ["task": task, "comment": "Checked"])
    #expect(done["task"]?["outcome"] == "approved" && done["event"]?["data"]?["by"] == "hanako")
    #expect(try client.call("tasks.approve", ["task": task])["already"] == true)
    #expect(try client.refusal("tasks.reject", ["task": task])?["data"]?["kind"] == "conflict")
    #expect(try client.refusal("tasks.claim", ["task": .init("now/\(ids[1])")])?["data"]?["kind"] == "invalid-params")
    let rejected = try client.call("tasks.reject", ["task": .init("now/\(ids[1])")])
    #expect(rejected["task"]?["outcome"] == "rejected")
    #expect(sandbox.with { $0.decisions } == [ids[0]: 1, ids[1]: 1])
    #expect(sandbox.with { $0.journal(of: ids[0]) } == ["Checked"])
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  @Test func aChangeBetweenLookingAndDecidingIsAConflict() throws {
    let sandbox = ServiceNowSandbox(ServiceNowConfiguration())
    try sandbox.start(port: 0, tls: nil)
    defer { sandbox.stop() }
    var draft = ServiceNowState.ApprovalDraft()
    draft.description = "100 EUR"
    let id = try #require(try sandbox.with { state throws(ControlError) in try state.makeApprovals(draft) }.first)
    let folder = try folder(sandbox.url)
    let agent = try launch(folder)
    let client = try agent.connect(folder.socket)
    try client.call("tasks.refresh")
    let task = JSONValue("now/\(id)")
    let seen = try client.call("tasks.get", ["task": task])["revision"] ?? .null
    try sandbox.with { state throws(ControlError) in
      let matter = state.fields("sysapproval_approver", id)?["sysapproval"] ?? ""
      try state.changeRecord("task", matter, ["description": "90000 EUR"])
    }
    let refusal = try client.refusal("tasks.approve", ["task": task, "seen": seen])
    #expect(refusal?["data"]?["kind"] == "conflict" && refusal?.description.contains("90000 EUR") == true)
    #expect(sandbox.with { $0.decisions } == [:])
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  /// BR-117.
  @Test func noSecretIsSaidWhateverGoesWrong() throws {
    let sandbox = ServiceNowSandbox(ServiceNowConfiguration())
    try sandbox.start(port: 0, tls: nil)
    defer { sandbox.stop() }
    let folder = try folder(sandbox.url)
    try folder.write("ringi.json", #"{"log": {"level": "debug"}}"#)
    let agent = try launch(folder)
    let client = try agent.connect(folder.socket)
    try client.call("tasks.refresh")
    let bearer = sandbox.with { $0.log.entries.last?.request.headers["Authorization"] }
    let token = try #require(bearer?.split(separator: " ").last.map { String($0) })
    sandbox.with { state in
      state.revokeTokens()
      state.users["hanako"]?.password = "another"
    }
    #expect(try client.refusal("now.table.list", ["table": "task"])?["data"]?["kind"] == "login-required")
    let status = try client.call("agent.status").description + client.call("plugins.get", ["plugin": "now"]).description
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
    for secret in [token, "approve-1", ServiceNowClient.standardSecret] {
      #expect(!agent.errorText.contains(secret) && !status.contains(secret))
    }
  }
}
