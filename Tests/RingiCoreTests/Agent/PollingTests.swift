import JSON
import RingiCore
import RingiTestSupport
import Sandbox
import Testing

/// What polls make of a backend that is ill.
@Suite(.timeLimit(.minutes(5))) struct PollingTests {
  private static let listing = "GET /v1/task-instances"

  @Test func anAgentWhoseBackendIsDownRunsAndSaysSoOnce() async throws {
    let rig = try await AgentRig(backendIsDown: true)
    #expect(try rig.error("tasks.refresh")["code"] == -32006)
    #expect(try rig.error("tasks.refresh")["data"]?["kind"] == "unavailable")
    #expect(try rig.call("tasks.list")["stale"] == ["sap"])
    #expect(try rig.call("agent.ping") == "pong")
    #expect(try rig.events("poll-*").map { $0["type"] } == ["poll-failed"])
    #expect(try rig.call("plugins.get", ["plugin": "sap"])["lastError"]?.string != nil)
    try await rig.stop()
  }

  @Test func aBackendThatComesBackIsSaidOnce() async throws {
    let rig = try await AgentRig()
    try rig.refresh()
    try rig.inject(.status(503), on: Self.listing, count: nil)
    _ = try rig.error("tasks.refresh")
    _ = try rig.error("tasks.refresh")
    #expect(try rig.call("tasks.list")["stale"] == ["sap"])
    rig.control.clearFaults()
    try rig.refresh()
    try rig.refresh()
    #expect(try rig.call("tasks.list")["stale"] == [])
    #expect(try rig.events("poll-*").map { $0["type"] } == ["poll-failed", "poll-recovered"])
    #expect(try rig.call("plugins.get", ["plugin": "sap"])["lastError"] == .null)
    try await rig.stop()
  }

  @Test func aWrongPasswordIsSaidOnceAsLoginRequired() async throws {
    let rig = try await AgentRig(settings: ["password": "not-the-right-one"])
    for _ in 0..<3 { #expect(try rig.error("tasks.refresh")["data"]?["kind"] == "login-required") }
    #expect(try rig.events("login-required").count == 1)
    #expect(try rig.events("poll-failed").count == 1)
    try await rig.stop()
  }

  @Test func aLoginPageInPlaceOfTheListMakesNothingGone() async throws {
    let rig = try await AgentRig()
    _ = try rig.readyTask()
    try rig.inject(.loginPage, on: Self.listing)
    #expect(try rig.error("tasks.refresh")["data"]?["kind"] == "login-required")
    #expect(try rig.call("tasks.list")["tasks"]?.array?.count == 1)
    #expect(try rig.events("task-gone").isEmpty)
    try await rig.stop()
  }

  @Test func oneFailedPageOfManyMakesNothingGone() async throws {
    let rig = try await AgentRig { try $0.createTasks(count: 2500) }
    try rig.refresh()
    #expect(try rig.eventCount() == 2500)
    try rig.inject(.status(500), on: Self.listing, skip: 2, count: nil)
    _ = try rig.error("tasks.refresh")
    rig.control.clearFaults()
    let list = try rig.call("tasks.list", ["limit": 10_000])
    #expect(list["tasks"]?.array?.count == 2500)
    #expect(list["stale"] == ["sap"])
    #expect(list["sequence"] == 2501)
    try rig.refresh()
    #expect(try rig.call("tasks.list", ["limit": 1])["stale"] == [])
    #expect(try rig.events("poll-*").map { $0["sequence"] } == [2501, 2502])
    #expect(try rig.eventCount() == 2502)
    try await rig.stop()
  }

  @Test func aTouchIsNoChangeAndAPriorityIsOne() async throws {
    let rig = try await AgentRig { try $0.createTasks(count: 600) }
    try rig.refresh()
    #expect(try rig.eventCount() == 600)
    for task in rig.control.tasks { try rig.control.changeTask(task.id, SAPTaskEdit()) }
    try rig.refresh()
    #expect(try rig.eventCount() == 600)
    var edit = SAPTaskEdit()
    edit.priority = .veryHigh
    for task in rig.control.tasks { try rig.control.changeTask(task.id, edit) }
    #expect(try rig.call("tasks.refresh")["changed"] == 600)
    #expect(try rig.events("task-changed").count == 600)
    #expect(try rig.eventCount() == 1200)
    try await rig.stop()
  }
}
