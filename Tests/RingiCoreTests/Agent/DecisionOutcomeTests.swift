import HTTPServer
import JSON
import RingiCore
import RingiTestSupport
import Sandbox
import Testing

/// What becomes of an approval when something goes wrong on the way.
@Suite(.timeLimit(.minutes(5))) struct DecisionOutcomeTests {
  private static let completing = "PATCH /v1/task-instances/*"

  enum Loss: CaseIterable, Sendable {
    case reset, hang, timeout, tooEarly, tooMany, serverError, badGateway, unavailable, gatewayTimeout

    var fault: Fault.Kind {
      switch self {
      case .reset: .reset(applied: true)
      case .hang: .hang(applied: true)
      case .timeout: .status(408, applied: true)
      case .tooEarly: .status(425, applied: true)
      case .tooMany: .status(429, applied: true)
      case .serverError: .status(500, applied: true)
      case .badGateway: .status(502, applied: true)
      case .unavailable: .status(503, applied: true)
      case .gatewayTimeout: .status(504, applied: true)
      }
    }
  }

  @Test(arguments: Loss.allCases) func aLostReplyIsASuccessAfterOneCompletion(_ loss: Loss) async throws {
    let rig = try await AgentRig(
      settings: ["timeouts": ["total": loss == .hang ? "500ms" : "60s"]], isOnTestClock: true)
    let task = try await rig.passingPauses { try rig.readyTask() }
    try rig.inject(loss.fault, on: Self.completing)
    let result = try await rig.passingPauses { try rig.call("tasks.approve", ["task": task.id]) }
    #expect(result["task"]?["outcome"] == "approved")
    #expect(rig.control.completions(of: task.key) == 1)
    try await rig.passingPauses { try rig.refresh() }
    #expect(try rig.events("approval-done").count == 1)
    try await rig.stop()
  }

  @Test func aDecisionThatIsDoneLongAfterItsConnectionWasLostIsSaidOnceByAPoll() async throws {
    let rig = try await AgentRig(isOnTestClock: true)
    let task = try rig.readyTask()
    try rig.inject(.appliedLater(.nextTick), on: Self.completing)
    let error = try await rig.passingPauses { try rig.error("tasks.approve", ["task": task.id, "comment": "はい"]) }
    #expect(error["code"] == -32008 && error["data"]?["retryable"] == false)
    #expect(error["message"]?.string?.contains("it may have happened") == true)
    for method in ["tasks.approve", "tasks.reject"] {
      #expect(try rig.error(method, ["task": task.id])["code"] == -32008)
    }
    rig.control.tick()
    try rig.refresh()
    try rig.refresh()
    let done = try rig.events("approval-done")
    #expect(done.count == 1)
    #expect(done.first?["data"]?["via"] == "agent" && done.first?["data"]?["outcome"] == "approved")
    #expect(done.first?["data"]?["comment"] == "はい")
    #expect(try rig.call("tasks.approve", ["task": task.id])["already"] == true)
    #expect(try rig.error("tasks.reject", ["task": task.id])["code"] == -32005)
    #expect(rig.control.completions(of: task.key) == 1)
    #expect(rig.control.requests.filter { $0.request.method == "PATCH" }.count == 1)
    try await rig.stop()
  }

  @Test func aDecisionThatNeverArrivedMayBeMadeAgainOnceAPollShowsIt() async throws {
    let rig = try await AgentRig(isOnTestClock: true)
    let (clock, task) = (try #require(rig.clock), try rig.readyTask())
    try rig.inject(.reset(applied: false), on: Self.completing)
    #expect(try await rig.passingPauses { try rig.error("tasks.approve", ["task": task.id]) }["code"] == -32008)
    // What such a poll sees may be from before the write is done.
    try rig.refresh()
    #expect(try rig.error("tasks.approve", ["task": task.id])["code"] == -32008)
    try await onLoop { clock.advance(by: .seconds(60)) }
    try rig.refresh()
    #expect(try rig.call("tasks.approve", ["task": task.id])["task"]?["outcome"] == "approved")
    #expect(rig.control.completions(of: task.key) == 1)
    #expect(try rig.events().map { $0["type"] } == ["task-ready", "approval-done"])
    try await rig.stop()
  }

  @Test func aClientThatLeavesTakesNothingBack() async throws {
    let rig = try await AgentRig()
    let task = try rig.readyTask()
    let watcher = try rig.client()
    try watcher.call("events.subscribe", ["types": ["approval-done"]])
    try rig.inject(.delay(.milliseconds(300)), on: Self.completing)
    let client = try rig.client()
    try client.ask("tasks.approve", ["task": task.id])
    client.close()
    let event = try watcher.notification("approval-done")["event"]
    #expect(event?["subject"] == task.id)
    #expect(event?["data"]?["via"] == "agent")
    #expect(rig.control.completions(of: task.key) == 1)
    try await rig.stop()
  }

  @Test func twoWhoApproveAtTheSameMomentCompleteOnce() async throws {
    let rig = try await AgentRig()
    let task = try rig.readyTask()
    let clients = try (0..<3).map { _ in try rig.client() }
    try rig.inject(.delay(.milliseconds(100)), on: Self.completing)
    let ids = try clients.map { try $0.ask("tasks.approve", ["task": task.id]) }
    let answers = try zip(clients, ids).map { try $0.response(to: $1) }
    #expect(answers.allSatisfy { $0["result"]?["task"]?["outcome"] == "approved" }, "\(answers)")
    #expect(answers.filter { $0["result"]?["already"] == true }.count == 2)
    #expect(rig.control.completions(of: task.key) == 1)
    #expect(try rig.events("approval-done").count == 1)
    try await rig.stop()
  }

  @Test func ofAnApprovalAndARejectionAtOnceOneIsAConflict() async throws {
    let rig = try await AgentRig()
    let task = try rig.readyTask()
    let (first, second) = (try rig.client(), try rig.client())
    let (approval, rejection) = (
      try first.ask("tasks.approve", ["task": task.id]), try second.ask("tasks.reject", ["task": task.id])
    )
    let answers = [try first.response(to: approval), try second.response(to: rejection)]
    #expect(answers.filter { $0["result"] != nil }.count == 1)
    #expect(answers.filter { $0["error"]?["code"] == -32005 }.count == 1)
    #expect(rig.control.completions(of: task.key) == 1)
    try await rig.stop()
  }

  @Test func aSessionThatExpiresBetweenListAndCompletionIsRenewed() async throws {
    let rig = try await AgentRig()
    let task = try rig.readyTask()
    rig.control.expireSessions()
    let result = try rig.call("tasks.approve", ["task": task.id])
    #expect(result["task"]?["outcome"] == "approved")
    #expect(rig.control.completions(of: task.key) == 1)
    try await rig.stop()
  }

  @Test func theAgentEndsOnlyAfterAnApprovalUnderWay() async throws {
    let rig = try await AgentRig()
    let task = try rig.readyTask()
    let (watcher, client) = (try rig.client(), try rig.client())
    try watcher.call("events.subscribe")
    try rig.inject(.delay(.milliseconds(500)), on: Self.completing)
    let id = try client.ask("tasks.approve", ["task": task.id])
    // Answered only once the approval before it has reached the agent.
    try client.call("agent.ping")
    try await rig.stop()
    #expect(try client.response(to: id)["result"]?["task"]?["outcome"] == "approved")
    #expect(try watcher.receiveRest().compactMap { $0["method"]?.string } == ["agent-stopping", "approval-done"])
    #expect(rig.control.completions(of: task.key) == 1)
  }
}
