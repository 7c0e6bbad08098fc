import EventLoop
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiModel
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// Decisions through the agent's own inbox, against the service.
@Suite struct SAPDecisionTests {
  private typealias Agent = DecisionAgent<SAPRig>

  @Test(arguments: [
    Fault.Kind.status(408, applied: true), .status(429, applied: true), .status(504, applied: true),
    .reset(applied: true), .appliedLater(.after(.seconds(3))),
  ])
  func aDecisionWhoseAnswerIsLostIsDoneAndToldOnce(_ fault: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let agent = try Agent(try SAPRig())
      let id = try agent.rig.makeTask()
      try await agent.poll()
      try agent.rig.inject(fault, on: "PATCH /v1/task-instances/*")
      #expect(try await agent.decide(.approve, id)["task"]?["outcome"] == "approved")
      try await agent.poll()
      #expect(agent.rig.control.completions(of: id) == 1)
      #expect(try await agent.events(.approvalDone) == 1)
    }
  }

  @Test func theSameDecisionTwiceIsSentOnceAndTheOtherOneIsAConflict() async throws {
    try await onLoop { () async throws in
      let agent = try Agent(try SAPRig())
      let id = try agent.rig.makeTask()
      try await agent.poll()
      _ = try await agent.decide(.approve, id)
      #expect(try await agent.decide(.approve, id)["already"] == true)
      await #expect(throws: RPCError.self) { _ = try await agent.decide(.reject, id) }
      #expect(agent.rig.control.completions(of: id) == 1)
    }
  }

  @Test func aTaskApprovedElsewhereIsAlreadyApproved() async throws {
    try await onLoop { () async throws in
      let agent = try Agent(try SAPRig())
      let id = try agent.rig.makeTask()
      try await agent.poll()
      try agent.rig.control.completeElsewhere(id, by: "P1000002", context: ["approved": true])
      #expect(try await agent.decide(.approve, id)["already"] == true)
      #expect(try await agent.events(.approvalDone) == 1)
    }
  }

  @Test func aFailedPollMakesNothingGoneAndTheNextOneHeals() async throws {
    try await onLoop { () async throws in
      let agent = try Agent(try SAPRig())
      try agent.rig.control.createTasks(SAPTaskDraft(), count: 2500)
      try await agent.poll()
      #expect(try await agent.events(.taskReady) == 2500)
      try agent.rig.inject(.status(500), on: "GET /v1/task-instances", skip: 2, count: 3)
      await #expect(throws: RPCError.self) { try await agent.poll() }
      #expect(agent.inbox.stale == ["sap"])
      try await agent.poll()
      #expect(agent.inbox.stale.isEmpty)
      #expect(try await agent.events(.taskGone) == 0)
    }
  }
}
