import JSON
import RingiCore
import RingiTestSupport
import Sandbox
import Testing

/// What becomes of an approval when something goes wrong on the way.
@Suite(.timeLimit(.minutes(2))) struct DecisionOutcomeTests {
  private static let completing = "PATCH /v1/task-instances/*"

  enum Loss: CaseIterable, Sendable {
    case reset, timeout, tooMany, badGateway, gatewayTimeout

    var fault: Fault.Kind {
      switch self {
      case .reset: .reset(applied: true)
      case .timeout: .status(408, applied: true)
      case .tooMany: .status(429, applied: true)
      case .badGateway: .status(502, applied: true)
      case .gatewayTimeout: .status(504, applied: true)
      }
    }
  }

  @Test(arguments: Loss.allCases) func aLostReplyIsASuccessAfterOneCompletion(_ loss: Loss) async throws {
    let rig = try await AgentRig()
    let task = try rig.readyTask()
    try rig.inject(loss.fault, on: Self.completing)
    let result = try rig.call("tasks.approve", ["task": task.id])
    #expect(result["task"]?["outcome"] == "approved")
    #expect(rig.control.completions(of: task.key) == 1)
    try rig.refresh()
    #expect(try rig.events("approval-done").count == 1)
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
