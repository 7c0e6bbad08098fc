import Foundation
import JSON
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// The task list providers through the real agent, in front of their sandboxes.
@Suite(.timeLimit(.minutes(5))) struct TaskListTests {
  private func folder<Service>(_ provider: String, _ sandbox: ServiceSandbox<Service>, _ more: String) throws
    -> AgentFolder
  {
    try sandbox.start(port: 0, tls: nil)
    return try AgentFolder([
      "plugins.d/todo.json": """
      {"provider": "\(provider)", "poll": {"every": "1d"},
       "settings": {"url": "\(sandbox.baseURL)", "timezone": "UTC", \(more)}}
      """
    ])
  }

  private func todoist(
    _ change: (inout TodoistConfiguration) -> Void = { _ in }
  ) throws -> (TodoistSandbox, AgentFolder) {
    var configuration = TodoistConfiguration()
    change(&configuration)
    let sandbox = TodoistSandbox(configuration)
    return (sandbox, try folder("todoist", sandbox, #""token": {"env": "TOKEN"}"#))
  }

  private func wunderlist(
    _ change: (inout WunderlistConfiguration) -> Void = { _ in }
  ) throws -> (WunderlistSandbox, AgentFolder) {
    var configuration = WunderlistConfiguration()
    change(&configuration)
    let sandbox = WunderlistSandbox(configuration)
    let login = #""clientId": "\#(configuration.clientID)", "accessToken": {"env": "TOKEN"}"#
    return (sandbox, try folder("wunderlist", sandbox, login))
  }

  private func launch(_ folder: AgentFolder, token: String) throws -> Program {
    let agent = try Program(
      "ringid", folder.arguments + ["--socket", folder.socket], environment: ["TOKEN": token])
    _ = try agent.connect(folder.socket)
    return agent
  }

  private static let yesterday = (Timestamp.now() - .seconds(86_400)).utc.date.description

  @Test func aTodoistTaskIsAnnouncedApprovedOnceAndAnnouncedAgainWhenItsNextDateComes() throws {
    let (sandbox, folder) = try todoist()
    defer { sandbox.stop() }
    let id = sandbox.with { $0.makeTask("PO 4711", due: Self.yesterday, every: "every day") }
    let agent = try launch(folder, token: TodoistConfiguration().token)
    let client = try folder.client()
    try client.call("tasks.refresh")
    let first = "todo/\(id)@\(Self.yesterday)"
    let ready = try client.call("tasks.list")["tasks"]?.array?.map { $0["id"]?.string }
    #expect(ready == [first])
    // The answer is lost; the same command is sent again.
    let fault = try #require(Fault(.reset(applied: true), on: "POST /sync"))
    sandbox.with { $0.inject(fault) }
    let done = try client.call("tasks.approve", ["task": JSONValue(first)])
    #expect(done["task"]?["outcome"] == "approved")
    #expect(sandbox.with { $0.closings } == [id: 1])
    #expect(try client.call("tasks.approve", ["task": JSONValue(first)])["already"] == true)
    try client.call("tasks.refresh")
    let next = try client.call("tasks.list")["tasks"]?.array?.map { $0["id"]?.string }
    #expect(next?.count == 1 && next?.first != first)
    let events = try client.call("events.list", ["types": ["task-ready", "approval-done"]])["events"]
    #expect(events?.array?.map { $0["type"]?.string } == ["task-ready", "approval-done", "task-ready"])
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
    #expect(!agent.errorText.contains(TodoistConfiguration().token))
  }

  /// BR-102 through the agent: the revision moves by itself, and somebody else is first.
  @Test func aWunderlistTaskWhoseRevisionMovedIsApprovedAtTheSecondTry() throws {
    let (sandbox, folder) = try wunderlist()
    defer { sandbox.stop() }
    let (moved, taken) = sandbox.with { state in
      let list = state.makeList("Inbox")
      return (
        state.makeTask("moved", list: list, due: Self.yesterday),
        state.makeTask("taken", list: list, due: Self.yesterday)
      )
    }
    let agent = try launch(folder, token: WunderlistConfiguration().token)
    let client = try folder.client()
    try client.call("tasks.refresh")
    #expect(try client.call("tasks.list")["tasks"]?.array?.count == 2)
    // The sandbox' own conflict: the revision that the agent sends is not the one of now.
    let fault = try #require(Fault(.delay(.milliseconds(300)), on: "PATCH /tasks/*"))
    sandbox.with { $0.inject(fault) }
    try sandbox.with { try $0.editTask(moved) }
    #expect(try client.call("tasks.approve", ["task": JSONValue("todo/\(moved)")])["task"]?["outcome"] == "approved")
    try sandbox.with { try $0.completeElsewhere(taken) }
    let error = try client.refusal("tasks.approve", ["task": JSONValue("todo/\(taken)")])
    #expect(error?["data"]?["kind"] == "conflict")
    #expect(try client.call("tasks.complete", ["task": JSONValue("todo/\(taken)")])["already"] == true)
    #expect(sandbox.with { $0.completions } == [moved: 1])
    let done = try client.call("events.list", ["types": ["approval-done"]])["events"]?.array?.map { $0["data"]?["via"] }
    #expect(done == ["agent", "backend"])
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  /// BR-101: the service took it, and a gateway says that it is not available.
  @Test(arguments: [408, 502, 504])
  func aCompletionBehindAFailingGatewayIsFoundOutAndNotDoubled(_ status: Int) throws {
    let (sandbox, folder) = try wunderlist()
    defer { sandbox.stop() }
    let id = sandbox.with { state in
      state.makeTask("a", list: state.makeList("Inbox"), due: Self.yesterday)
    }
    let agent = try launch(folder, token: WunderlistConfiguration().token)
    let client = try folder.client()
    try client.call("tasks.refresh")
    let fault = try #require(Fault(.status(status, applied: true), on: "PATCH /tasks/*"))
    sandbox.with { $0.inject(fault) }
    #expect(try client.call("tasks.approve", ["task": JSONValue("todo/\(id)")])["task"]?["outcome"] == "approved")
    #expect(sandbox.with { $0.completions } == [id: 1])
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }
}
