import Foundation
import Glibc
import JSON
import RingiTestSupport
import Sandbox
import Testing

/// What an agent still knows after it was stopped or killed.
@Suite(.timeLimit(.minutes(5)), .serialized) struct RestartTests {
  /// Kills an agent and starts the next one.
  private func restart(_ agent: Program, _ world: SAPWorld) throws -> (agent: Program, client: TestClient) {
    agent.send(SIGKILL)
    #expect(agent.wait() == -SIGKILL)
    let next = try world.launch()
    return (next, try world.client(of: next))
  }

  /// The types of what happened to tasks.
  private func types(_ client: TestClient) throws -> [String] {
    let types = try client.call("events.list")["events"]?.array?.compactMap { $0["type"]?.string } ?? []
    return types.filter { !$0.hasPrefix("plugin-") }
  }

  private func end(_ agent: Program) {
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  @Test func tasksTheirRecordsAndTheirHistoryOutliveTheAgentAndAreNotAnnouncedAnew() throws {
    let world = try SAPWorld()
    let keys = try world.control.createTasks(count: 3)
    var agent = try world.launch()
    var client = try world.client(of: agent)
    try client.call("tasks.refresh")
    let before = try client.call("tasks.list")["tasks"]
    let seen = try client.call("tasks.get", ["task": JSONValue("sap/\(keys[0])")])["revision"] ?? .null
    (agent, client) = try restart(agent, world)
    #expect(agent.waitFor { _ in (try? client.call("jobs.list")["jobs"]?[0]?["last"]?.string) != nil })
    try client.call("tasks.refresh")
    #expect(try client.call("tasks.list")["tasks"] == before)
    #expect(before?[0]?["raw"]?["id"]?.string != nil)
    #expect(try types(client) == ["task-ready", "task-ready", "task-ready"])
    let task = try client.call("tasks.get", ["task": JSONValue("sap/\(keys[0])")])
    #expect(task["history"]?.array?.map { $0["what"] } == ["ready"])
    // What somebody looked at before still counts.
    let done = try client.call("tasks.approve", ["task": JSONValue("sap/\(keys[0])"), "seen": seen])
    #expect(done["event"]?["type"] == "approval-done")
    (agent, client) = try restart(agent, world)
    let again = try client.call("tasks.approve", ["task": JSONValue("sap/\(keys[0])")])
    #expect(again["already"] == true && again["task"]?["raw"]?["id"]?.string == keys[0])
    #expect(world.control.completions(of: keys[0]) == 1)
    end(agent)
  }

  @Test func aChangeBetweenLookingAndDecidingIsNoticedAcrossARestart() throws {
    let world = try SAPWorld()
    let key = try #require(try world.control.createTasks().first)
    let id = JSONValue("sap/\(key)")
    var agent = try world.launch()
    var client = try world.client(of: agent)
    try client.call("tasks.refresh")
    let seen = try client.call("tasks.get", ["task": id])["revision"] ?? .null
    (agent, client) = try restart(agent, world)
    var edit = SAPTaskEdit()
    edit.subject = "Approve 90000 monitors"
    try world.control.changeTask(key, edit)
    let error = try client.refusal("tasks.approve", ["task": id, "seen": seen])
    #expect(error?["code"] == -32005)
    #expect(error?["data"]?["changes"]?["title"]?["to"] == "Approve 90000 monitors")
    #expect(world.control.completions(of: key) == 0)
    end(agent)
  }

  @Test func aSubscriberGoesOnWhereItWasWhenTheAgentWasKilled() throws {
    let world = try SAPWorld()
    var agent = try world.launch()
    var client = try world.client(of: agent)
    for _ in 0..<5 { try client.call("events.publish", ["type": "x.one"]) }
    (agent, client) = try restart(agent, world)
    try client.call("events.publish", ["type": "x.two"])
    try client.call("events.subscribe", ["since": 2, "types": ["x.*"]])
    try client.call("events.publish", ["type": "x.three"])
    let told = try (0..<5).map { _ in try client.receive { $0["method"]?.string?.hasPrefix("x.") == true } }
    #expect(told.compactMap { $0["params"]?["event"]?["sequence"]?.int } == [3, 4, 5, 6, 7])
    #expect(told.compactMap { $0["method"]?.string }.suffix(2) == ["x.two", "x.three"])
    end(agent)
  }

  @Test func aFailingBackendIsToldOnceHoweverOftenTheAgentStarts() throws {
    let world = try SAPWorld()
    world.control.inject(try #require(Fault(.status(500), on: "GET /v1/task-instances", count: nil)))
    var agent = try world.launch()
    var client = try world.client(of: agent)
    #expect(agent.waitFor { _ in (try? types(client)) == ["poll-failed"] })
    (agent, client) = try restart(agent, world)
    _ = try client.refusal("tasks.refresh")
    #expect(try types(client) == ["poll-failed"])
    #expect(try client.call("tasks.list")["stale"] == ["sap"])
    (agent, client) = try restart(agent, world)
    world.control.clearFaults()
    try client.call("tasks.refresh")
    #expect(try types(client) == ["poll-failed", "poll-recovered"])
    end(agent)
  }

  @Test func aBaselineIsOneForEver() throws {
    let world = try SAPWorld()
    let path = "\(world.folder.config)/plugins.d/sap.json"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try world.folder.write("plugins.d/sap.json", "{\"firstPoll\": \"baseline\", " + text.dropFirst())
    try world.control.createTasks(count: 2)
    var agent = try world.launch()
    var client = try world.client(of: agent)
    try client.call("tasks.refresh")
    #expect(try client.call("tasks.list")["tasks"]?.array?.count == 2)
    (agent, client) = try restart(agent, world)
    try world.control.createTasks(count: 1)
    try client.call("tasks.refresh")
    #expect(try types(client) == ["task-ready"])
    end(agent)
  }

  @Test func anInstanceThatGoesAndComesBackAnnouncesNothingAnewAndTouchesNoOther() throws {
    let world = try SAPWorld()
    let path = "\(world.folder.config)/plugins.d/sap.json"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try world.folder.write("plugins.d/other.json", text)
    try world.control.createTasks(count: 50)
    var agent = try world.launch()
    var client = try world.client(of: agent)
    try client.call("tasks.refresh")
    #expect(try types(client).count == 100)
    try FileManager.default.removeItem(atPath: path)
    try client.call("agent.reload")
    try client.call("tasks.refresh")
    (agent, client) = try restart(agent, world)
    try client.call("tasks.refresh")
    #expect(try client.call("tasks.list")["tasks"]?.array?.count == 50)
    try world.folder.write("plugins.d/sap.json", text)
    try client.call("agent.reload")
    try client.call("tasks.refresh")
    #expect(try client.call("tasks.list")["tasks"]?.array?.count == 100)
    #expect(try types(client).count == 100)
    end(agent)
  }
}
