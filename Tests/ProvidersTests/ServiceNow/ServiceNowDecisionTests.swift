import EventLoop
import HTTPServer
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiModel
import RingiTestSupport
import Sandbox
import Testing
import Timing

@Suite struct ServiceNowDecisionTests {
  private static let patch = "PATCH /api/now/table/sysapproval_approver/*"

  private typealias Agent = DecisionAgent<ServiceNowRig>

  @Loop private func agent(
    _ settings: JSONValue = [:], _ draft: (inout ServiceNowState.ApprovalDraft) -> Void = { _ in }
  ) async throws -> (Agent, String) {
    let rig = try ServiceNowRig(settings: settings)
    let id = try rig.makeApproval(draft)
    let agent = try Agent(rig)
    try await agent.poll()
    return (agent, id)
  }

  // MARK: Deciding

  @Test(arguments: [(Decision.Kind.approve, "approved"), (.reject, "rejected")])
  func aDecisionIsOneWriteWithItsComment(_ kind: Decision.Kind, _ state: String) async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let id = try rig.makeApproval()
      let done = try await rig.decide(kind, id, comment: "Checked against PO 4711")
      #expect(done.status == .done && done.outcome == kind.outcome && done.decidedBy == "hanako")
      #expect(rig.state(of: id) == state && rig.sandbox.with { $0.journal(of: id) } == ["Checked against PO 4711"])
      #expect(rig.count(method: "PATCH") == 1)
      let request = try required(rig.entries.last?.request)
      #expect(request.headers["Content-Type"] == "application/json")
      #expect(request.query.map(\.value) == ["sys_id,state,sys_updated_on,sys_updated_by,sys_mod_count"])
      let task = rig.sandbox.with { $0.fields("task", $0.fields("sysapproval_approver", id)?["sysapproval"] ?? "") }
      #expect(task?["approval"] == state)
    }
  }

  @Test func aRejectionAlwaysHasAReason() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let ids = try rig.makeApprovals(2)
      _ = try await rig.decide(.reject, ids[0])
      _ = try await rig.decide(.approve, ids[1])
      #expect(rig.sandbox.with { $0.journal(of: ids[0]) } == ["Rejected."])
      #expect(rig.sandbox.with { $0.journal(of: ids[1]) }.isEmpty)
    }
  }

  @Test func aDryRunShowsWhatWouldBeSent() async throws {
    try await onLoop { () async throws in
      let (agent, id) = try await agent()
      let task = TaskItem(id: TaskItem.ID(provider: "now", key: id), title: "any")
      let preview = try agent.rig.source.preview(Decision(.reject, comment: "no"), on: task)
      #expect(preview["path"]?.string == "/api/now/table/sysapproval_approver/\(id)")
      #expect(preview["body"] == ["state": "rejected", "comments": "no"])
    }
  }

  @Test func whatAnApprovalDoesNotTakeIsRefusedUnsent() async throws {
    try await onLoop { () async throws in
      let (agent, id) = try await agent()
      #expect(try await agent.failure(.complete, id).kind == "invalid-params")
      #expect(agent.rig.count(method: "PATCH") == 0 && agent.rig.state(of: id) == "requested")
    }
  }

  // MARK: Answers that are lost

  /// BR-100, BR-101.
  @Test(arguments: [
    Fault.Kind.status(408, applied: true), .status(429, applied: true), .status(502, applied: true),
    .status(504, applied: true), .reset(applied: true), .truncatedBody(), .malformedJSON,
    .appliedLater(.after(.seconds(3))),
  ])
  func aDecisionWhoseAnswerIsLostIsMadeAndToldOnce(_ fault: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let (agent, id) = try await agent()
      try agent.rig.inject(fault, on: Self.patch)
      #expect(try await agent.decide(.approve, id)["task"]?["outcome"] == "approved")
      try await agent.poll()
      #expect(agent.rig.sandbox.with { $0.decisions[id] } == 1)
      #expect(agent.rig.count(method: "PATCH") == 1)
      #expect(try await agent.events(.approvalDone) == 1)
    }
  }

  @Test(arguments: [Fault.Kind.reset(applied: false), .status(503), .loginPage])
  func aDecisionThatNeverShowsIsUnknownAndIsNotSentAgain(_ fault: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let (agent, id) = try await agent()
      try agent.rig.inject(fault, on: Self.patch)
      #expect(try await agent.failure(.approve, id).kind == "outcome-unknown")
      #expect(try await agent.failure(.approve, id).kind == "outcome-unknown")
      #expect(agent.rig.count(method: "PATCH") == 1)
    }
  }

  /// Pitfall 18.
  @Test func aRequestThatTheQueueDroppedHasDoneNothing() async throws {
    try await onLoop { () async throws in
      let (agent, id) = try await agent()
      try agent.rig.inject(.status(202), on: Self.patch)
      let error = try await agent.failure(.approve, id)
      #expect(error.kind == "unavailable" && error.message.contains("queue"))
      #expect(try await agent.decide(.approve, id)["task"]?["outcome"] == "approved")
    }
  }

  /// A rule counts before anything is done.
  @Test func aLimitOfTheRateHasDoneNothing() async throws {
    try await onLoop { () async throws in
      let (agent, id) = try await agent()
      agent.rig.set { $0.rateLimit = 2 }
      for _ in 0..<2 { try await agent.poll() }
      agent.rig.pass(.seconds(30))
      #expect(try await agent.failure(.approve, id).kind == "unavailable")
      #expect(agent.rig.state(of: id) == "requested")
    }
  }

  @Test func aTokenThatHasEndedIsRenewedAndTheDecisionMadeOnce() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let id = try rig.makeApproval()
      _ = try await rig.poll()
      try rig.inject(.status(401), on: Self.patch)
      #expect(try await rig.decide(.approve, id).outcome == .approved)
      #expect(rig.sandbox.with { $0.decisions[id] } == 1)
    }
  }

  // MARK: Others who were first

  @Test func theSameDecisionTwiceIsSentOnceAndTheOtherOneIsAConflict() async throws {
    try await onLoop { () async throws in
      let (agent, id) = try await agent()
      _ = try await agent.decide(.approve, id)
      #expect(try await agent.decide(.approve, id)["already"] == true)
      #expect(try await agent.failure(.reject, id).kind == "conflict")
      #expect(agent.rig.sandbox.with { $0.decisions[id] } == 1)
    }
  }

  @Test func anApprovalDecidedElsewhereIsAlreadyDecided() async throws {
    try await onLoop { () async throws in
      let (agent, id) = try await agent()
      try agent.rig.sandbox.with { state throws(ControlError) in
        try state.changeRecord("sysapproval_approver", id, ["state": "rejected"], by: "admin")
      }
      #expect(try await agent.failure(.approve, id).kind == "conflict")
      #expect(agent.rig.count(method: "PATCH") == 0)
      #expect(try await agent.events(.approvalDone) == 1)
    }
  }

  /// Between the look and the write: the rule of the instance tells, or the record in the answer.
  @Test(arguments: [ServiceNowSwitches.FinalPatch.businessRule, .unchanged])
  func anApprovalDecidedInThatMomentIsAlreadyDecided(_ final: ServiceNowSwitches.FinalPatch) async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let id = try rig.makeApproval()
      rig.set { $0.finalPatch = final }
      let server = try BetweenServer(rig.sandbox, before: "PATCH") { state in
        try? state.changeRecord("sysapproval_approver", id, ["state": "rejected"], by: "taro")
      }
      let other = try ServiceNowRig(settings: ["url": .init(server.url)])
      do {
        _ = try await other.decide(.approve, id)
        Issue.record("it was approved")
      } catch let error as AlreadyDecided {
        #expect(error.task.outcome == .rejected && error.task.decidedBy == "taro")
      }
    }
  }

  @Test func oneOfSeveralMakesTheOthersNeedless() async throws {
    try await onLoop { () async throws in
      let (agent, id) = try await agent(
        [:],
        {
          $0.approvers = ["hanako", "taro"]
          $0.isOneOf = true
        })
      // Taro approves, over the API as well.
      let taro = try ServiceNowRig(
        settings: ["url": .init(agent.rig.sandbox.url), "user": "taro", "password": "approve-2"])
      let his = try required(try await taro.poll().items.first).id.key
      _ = try await taro.decide(.approve, his)
      #expect(agent.rig.state(of: id) == "not_required")
      #expect(try await agent.failure(.approve, id).kind == "not-found")
      try await agent.poll()
      #expect(try await agent.events(.taskGone) == 1)
    }
  }

  @Test func aCancelledTaskIsGone() async throws {
    try await onLoop { () async throws in
      let (agent, id) = try await agent()
      try agent.rig.sandbox.with { state throws(ControlError) in
        try state.cancelTask(state.fields("sysapproval_approver", id)?["sysapproval"] ?? "")
      }
      try await agent.poll()
      #expect(try await agent.events(.taskGone) == 1)
      #expect(try await agent.events(.approvalDone) == 0)
    }
  }

  // MARK: What keeps an approval as it is

  /// Pitfall 15, and approvals that take a signature.
  @Test(arguments: ServiceNowSwitches.Signature.allCases)
  func anApprovalThatTakesASignatureSaysSo(_ signature: ServiceNowSwitches.Signature) async throws {
    try await onLoop { () async throws in
      let (agent, id) = try await agent()
      agent.rig.sandbox.with { $0.signed = ["change_request"] }
      agent.rig.set { $0.signature = signature }
      let error = try await agent.failure(.approve, id)
      #expect(error.kind == "backend-error" && error.message.contains("signature in the browser"))
      #expect(agent.rig.state(of: id) == "requested")
      // It was no decision, so another one may follow.
      #expect(try await agent.decide(.reject, id)["task"]?["outcome"] == "rejected")
    }
  }

  @Test(arguments: [true, false])
  func anApprovalOfSomebodyElseIsNotSent(_ fieldACL: Bool) async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      rig.set { $0.fieldACL = fieldACL }
      let id = try rig.makeApproval { $0.approvers = ["taro"] }
      let error = try await rig.failure("approvals.approve", ["id": .init(id)])
      #expect(error.kind == "conflict" && error.message.contains("waits for taro"))
      #expect(rig.count(method: "PATCH") == 0)
    }
  }

  /// A delegation that the instance does not know of.
  @Test(arguments: [true, false])
  func aRightThatIsMissingKeepsTheApproval(_ fieldACL: Bool) async throws {
    try await onLoop { () async throws in
      var taro = ""
      let first = try ServiceNowRig { taro = $0.users[2].sysID }
      first.set { $0.fieldACL = fieldACL }
      let id = try first.makeApproval { $0.approvers = ["taro"] }
      let rig = try ServiceNowRig(settings: ["url": .init(first.sandbox.url), "delegators": [.init(taro)]])
      #expect(try await rig.failure("approvals.approve", ["id": .init(id)]).kind == "backend-error")
      #expect(first.state(of: id) == "requested")
    }
  }

  @Test func aBusinessRuleIsNamed() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let id = try rig.makeApproval { $0.state = "approved" }
      let error = try await rig.failure(
        "table.update",
        ["table": "sysapproval_approver", "id": .init(id), "values": ["state": "rejected"]])
      #expect(error.details["businessRule"] == "Prevent changes of decided approvals")
      #expect(error.message.contains("Prevent changes of decided approvals"))
    }
  }

  // MARK: The matter

  @Test func theContextIsTheRecordThatTheApprovalIsAbout() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let id = try rig.makeApproval { $0.description = "All of rack 4" }
      let source = try rig.source
      let context = try await rig.passingTime {
        try required(try await source.context(of: TaskItem.ID(provider: "now", key: id)))
      }
      #expect(context["description"]?["value"] == "All of rack 4")
      // The child table's own fields too.
      #expect(context["justification"] != nil)
      #expect(context["opened_by"]?["display_value"] == "System Administrator")
    }
  }
}

/// A way to a sandbox on which something happens just before a request of a method arrives.
private final class BetweenServer: Sendable {
  private let server: LoopbackServer
  var url: String { server.url }

  init(
    _ sandbox: ServiceNowSandbox, before method: String, _ happens: @escaping @Sendable (inout ServiceNowState) -> Void
  ) throws {
    server = try LoopbackServer { request in
      sandbox.with { state in
        if request.method == method { happens(&state) }
        return state.process(request)
      }
    }
  }
}
