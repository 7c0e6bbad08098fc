import Foundation
import Glibc
import JSON
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// All backends at once, with the repository's own plugins.d: one agent, one inbox.
@Suite(.timeLimit(.minutes(5)), .serialized) struct OneInboxTests {
  private final class World {
    let sap: SAPWorkflowSandbox
    let serviceNow = ServiceNowSandbox(ServiceNowConfiguration())
    let curam = CuramSandbox(CuramConfiguration())
    let todoist = TodoistSandbox(TodoistConfiguration())
    let wunderlist = WunderlistSandbox(WunderlistConfiguration())
    let users = UsersAPISandbox(UsersAPIConfiguration())
    let folder = try? AgentFolder()
    let agent: Program
    let client: TestClient

    static let names = ["curam", "sap", "servicenow", "todoist", "users", "wunderlist"]

    private static let environment = [
      "SAP_PASSWORD": "administer-9", "SERVICENOW_PASSWORD": "approve-1",
      "SERVICENOW_SECRET": ServiceNowClient.standardSecret, "CURAM_PASSWORD": "casework-1",
      "TODOIST_TOKEN": TodoistConfiguration().token, "WUNDERLIST_TOKEN": WunderlistConfiguration().token,
      "USERS_API_TOKEN": UsersAPIConfiguration().token,
    ]

    /// Starts the backends, each with some tasks, and an agent that has asked them all.
    init() throws {
      var configuration = SAPWorkflowConfiguration(.neo)
      configuration.switches.latency = .after(.zero)
      sap = SAPWorkflowSandbox(configuration)
      let sandboxes: [any RunnableSandbox] = [curam, sap, serviceNow, todoist, users, wunderlist]
      let folder = try #require(folder)
      for (name, sandbox) in zip(Self.names, sandboxes) {
        try sandbox.start(port: 0, tls: nil)
        try folder.write("plugins.d/\(name).json", try Self.example(name, at: sandbox.url).description)
      }
      agent = try Program(
        "ringid", folder.arguments + ["--socket", folder.socket], environment: Self.environment)
      client = try agent.connect(folder.socket)
      try makeTasks()
      try client.call("tasks.refresh")
    }

    deinit {
      for sandbox in [curam, sap, serviceNow, todoist, users, wunderlist] as [any RunnableSandbox] { sandbox.stop() }
    }

    /// A file of plugins.d, switched on, with another address and hardly any polls.
    private static func example(_ name: String, at url: String) throws -> JSONValue {
      let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("plugins.d/\(name).json")
      let example = try JSONValue(parsing: Array(Data(contentsOf: file)))
      let settings = try #require(example["settings"])
      let path = try #require(settings["url"]?.string).replacing(/^http:..127.0.0.1:[0-9]+/, with: "")
      return example.merging([
        "enabled": true, "poll": ["every": "1d"], "settings": settings.merging(["url": .init(url + path)]),
      ])
    }

    private func makeTasks() throws {
      // Overdue in every zone.
      let due = "2026-01-01"
      var draft = SAPTaskDraft()
      draft.subject = "SAP {n}"
      _ = try sap.control.createTasks(draft, count: 3)
      _ = try serviceNow.with { state throws(ControlError) in try state.makeApprovals(count: 3) }
      todoist.with { state in for number in 1...3 { state.makeTask("Todoist \(number)", due: due) } }
      wunderlist.with { state in
        let list = state.makeList("Inbox")
        for number in 1...3 { state.makeTask("Wunderlist \(number)", list: list, due: due) }
      }
      users.with { state in for number in 1...3 { _ = state.makeApproval("REST \(number)") } }
    }

    func tasks(_ params: JSONValue = [:]) throws -> [JSONValue] {
      try client.call("tasks.list", params)["tasks"]?.array.map(Array.init) ?? []
    }

    /// Ends what may hang, then the agent.
    func end() {
      todoist.stop()
      agent.send(SIGTERM)
      #expect(agent.wait() == 0)
    }
  }

  @Test func tasksOfAllBackendsStandInOneListOldestFirst() throws {
    let world = try World()
    let tasks = try world.tasks()
    #expect(Set(tasks.compactMap { $0["provider"]?.string }) == Set(World.names))
    #expect(tasks.count == 17)
    let times = tasks.map { $0["createdAt"]?.string.flatMap { Timestamp(rfc3339: $0)?.milliseconds } ?? .max }
    #expect(times == times.sorted())
    #expect(try world.client.call("tasks.list")["stale"] == [])
    for name in World.names {
      let own = try world.tasks(["provider": .init(name)])
      #expect(!own.isEmpty && own.allSatisfy { $0["provider"] == .init(name) })
    }
    let table = try Program.run("ringi", ["--socket", world.folder?.socket ?? "", "tasks"])
    #expect(table.status == 0 && table.output.split(separator: "\n").count == 18)
    world.end()
  }

  /// Pages stay in step while tasks leave them and come in.
  @Test func pagesShowEachTaskOnceWhileOthersAreDecided() throws {
    let world = try World()
    let before = try world.tasks().compactMap { $0["id"]?.string }
    var (seen, cursor): ([String], JSONValue?) = ([], nil)
    repeat {
      let params: JSONValue = ["limit": 2]
      let page = try world.client.call("tasks.list", cursor.map { params.merging(["cursor": $0]) } ?? params)
      let ids = page["tasks"]?.array?.compactMap { $0["id"]?.string } ?? []
      #expect(ids.count <= 2)
      seen += ids
      cursor = page["nextCursor"]
      // What was shown first is decided at once, as people do.
      if let first = ids.first { try world.client.call("tasks.approve", ["task": .init(first)]) }
    } while cursor != nil
    #expect(seen == before)
    #expect(try world.tasks().count == before.count - 9)
    world.end()
  }

  @Test func aDeadBackendIsNamedAndNeitherItNorAHangingOneDelaysAnother() throws {
    let world = try World()
    let hang = try #require(Fault(.hang(applied: false), on: "GET /**", count: nil))
    world.todoist.with { $0.inject(hang) }
    world.curam.stop()
    let waiting = try TestClient(world.folder?.socket ?? "")
    let before = world.todoist.with { $0.log.entries.count }
    _ = try waiting.ask("tasks.refresh", ["provider": "todoist"])
    while world.todoist.with({ $0.log.entries.count }) == before { sched_yield() }
    #expect(try world.client.refusal("tasks.refresh", ["provider": "curam"])?["data"]?["kind"] == "unavailable")

    // The others are polled and decided as ever, while one hangs.
    _ = world.users.with { $0.makeApproval("REST 4") }
    #expect(try world.client.call("tasks.refresh", ["provider": "users"])["ready"] == 1)
    for name in ["sap", "servicenow", "users", "wunderlist"] {
      try world.client.call("tasks.refresh", ["provider": .init(name)])
      let task = try #require(try world.tasks(["provider": .init(name)]).first?["id"])
      #expect(try world.client.call("tasks.approve", ["task": task])["task"]?["outcome"] == "approved")
    }
    let list = try world.client.call("tasks.list")
    #expect(list["stale"] == ["curam"])
    // What was known of it is still shown.
    #expect(list["tasks"]?.array?.count { $0["provider"] == "curam" } == 2)
    #expect(list["tasks"]?.array?.count { $0["provider"] == "todoist" } == 3)
    let table = try Program.run("ringi", ["--socket", world.folder?.socket ?? "", "tasks"])
    #expect(table.status == 0 && table.errors.contains("the last poll of curam failed"))
    world.end()
  }

  @Test func aRefreshOfAllTellsWhichFailedAndWhatTheOthersFound() throws {
    let world = try World()
    world.curam.stop()
    world.wunderlist.with { $0.revokeTokens() }
    _ = world.users.with { $0.makeApproval("REST 4") }
    let refreshed = try world.client.call("tasks.refresh")
    #expect(refreshed["polled"] == ["sap", "servicenow", "todoist", "users"] && refreshed["ready"] == 1)
    #expect(refreshed["failed"]?.array?.map { $0["provider"] } == ["curam", "wunderlist"])
    #expect(try world.client.call("tasks.list")["stale"] == ["curam", "wunderlist"])
    world.end()
  }
}
