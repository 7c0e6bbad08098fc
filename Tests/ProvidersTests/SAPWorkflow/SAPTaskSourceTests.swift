import EventLoop
import HTTPServer
import JSON
import JSONRPC
import RingiKit
import RingiModel
import RingiTestSupport
import Sandbox
import Testing
import Timing

@Suite struct SAPTaskSourceTests {
  @Loop private func poll(_ rig: SAPRig) async throws -> TaskSnapshot {
    let source = try rig.source
    return try await rig.passingTime { try await source.tasks() }
  }

  @Loop private func tasks(_ rig: SAPRig) async throws -> [TaskItem] {
    try await poll(rig).items.map { try $0.task() }
  }

  @Loop private func decide(_ rig: SAPRig, _ decision: Decision, _ id: String) async throws -> TaskItem {
    let (source, task) = (try rig.source, try await rig.item(id))
    return try await rig.passingTime { try await source.decide(decision, on: task) }
  }

  /// P22.
  @Test(arguments: SAPEnvironment.allCases, [SAPSwitches.NullStyle.null, .omit, .mixed])
  func openTasksAreListedWhateverIsMissingInThem(_ environment: SAPEnvironment, _ nulls: SAPSwitches.NullStyle)
    async throws
  {
    try await onLoop { () async throws in
      let rig = try SAPRig(environment) { $0.switches.nullStyle = nulls }
      let ready = try rig.makeTask {
        $0.priority = .veryHigh
        $0.dueDate = Timestamp(rfc3339: "2026-12-01T00:00:00Z")
        $0.recipientGroups = ["buyers"]
      }
      let claimed = try rig.makeTask { $0.createdBy = "P1000005" }
      let (done, gone) = (try rig.makeTask(), try rig.makeTask())
      try await rig.call("task.claim", ["id": .init(claimed), "user": "P1000002"])
      try rig.control.completeElsewhere(done, by: "P1000002")
      try rig.control.cancelTask(gone)
      let snapshot = try await poll(rig)
      #expect(snapshot.isComplete)
      #expect(snapshot.items.map(\.id.key) == [ready, claimed])
      let tasks = try snapshot.items.map { try $0.task() }
      #expect(tasks.map(\.id) == snapshot.items.map(\.id))
      let first = try required(tasks.first)
      #expect(first.status == .ready && first.priority == .urgent && first.requester == nil)
      #expect(first.title == "Approve 3 monitors")
      #expect(first.assignees == ["P1000001", "P1000002", "buyers"])
      #expect(first.dueAt == Timestamp(rfc3339: "2026-12-01T00:00:00Z"))
      #expect(first.actions == [.approve, .reject, .complete, .claim])
      #expect(tasks.last?.status == .claimed)
      #expect(tasks.last?.requester == "P1000005")
    }
  }

  @Test func aRecordHasTheSameFingerprintUntilAnythingInItMoves() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let (still, touched) = (try rig.makeTask(), try rig.makeTask())
      let before = try await poll(rig).items
      #expect(before.map(\.id.key) == [still, touched])
      #expect(before[0].fingerprint != before[1].fingerprint)
      #expect(try await poll(rig).items.map(\.fingerprint) == before.map(\.fingerprint))
      rig.control.advanceClock(by: .seconds(60))
      try rig.control.changeTask(touched, SAPTaskEdit())
      let after = try await poll(rig).items
      #expect(after[0].fingerprint == before[0].fingerprint && after[1].fingerprint != before[1].fingerprint)
    }
  }

  /// A backend that lists just this text, whatever it is asked.
  private func backend(listing text: String) throws -> LoopbackServer {
    try LoopbackServer { _ in
      ServerResponse(status: 200, headers: ["Content-Type": "application/json", "X-CSRF-Token": "t"], text: text)
    }
  }

  @Test(arguments: [
    (#"{"id": "a", "status": "READY"}"#, "no array"), (#"[{"id": "a", "status": "READY"}, 7]"#, "no id"),
    (#"[{"status": "READY"}]"#, "no id"), (#"[{"id": 7, "status": "READY"}]"#, "no id"),
    (#"[{"id": "a", "status": "READY"}, {"a": {"id": "b"}, "status": "READY"}]"#, "no id"),
    (#"[{"id": "a", "status": "READY"}, {"id": "b", "status": "NEW"}]"#, "no status"),
    (#"[{"id": "a"}]"#, "no status"), (#"[{"id": "a", "status": "READY"}"#, "not sound JSON"),
  ])
  func aListThatMakesNoSenseIsNoList(_ text: String, _ reason: String) async throws {
    let server = try backend(listing: text)
    defer { server.stop() }
    try await onLoop { () async throws in
      let rig = try SAPRig(settings: ["url": .init(server.url)])
      let error = await #expect(throws: RPCError.self) { try await tasks(rig) }
      #expect(error?.kind == "backend-error" && error?.message.contains(reason) == true, "\(error as Any)")
    }
  }

  @Test func anIDIsFoundHoweverItIsWritten() async throws {
    let escaped = #"{"x":{"id":"no"},"i\u0064":"K\u00f6ln \"1\"","status":"READY"}"#
    let server = try backend(listing: #"[\#(escaped),{"id":"no","id":"b","status":"READY"}]"#)
    defer { server.stop() }
    try await onLoop { () async throws in
      let rig = try SAPRig(settings: ["url": .init(server.url)])
      let snapshot = try await poll(rig)
      #expect(snapshot.items.map(\.id.key) == ["Köln \"1\"", "b"])
      #expect(try snapshot.items.map { try $0.task().raw["id"]?.string } == ["Köln \"1\"", "b"])
    }
  }

  @Test func aTaskDecidedElsewhereShowsHowAndByWhom() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      for (context, outcome) in [(["approved": true], .approved), (["approved": false], .rejected)]
        as [(JSONValue, TaskItem.Outcome)]
      {
        let id = try rig.makeTask()
        try rig.control.completeElsewhere(id, by: "P1000002", context: context)
        let task = try await rig.item(id)
        #expect(task.status == .done && task.outcome == outcome && task.decidedBy == "P1000002")
      }
      let plain = try rig.makeTask { $0.context = [:] }
      try rig.control.completeElsewhere(plain, by: "P1000002")
      #expect(try await rig.item(plain).outcome == nil)
    }
  }

  @Test func aCancelledTaskIsGoneAndADeletedOneUnknown() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let (cancelled, deleted) = (try rig.makeTask(), try rig.makeTask())
      try rig.control.cancelTask(cancelled)
      try rig.control.deleteTask(deleted)
      #expect(try await rig.item(cancelled).status == .gone)
      let source = try rig.source
      #expect(try await rig.passingTime { try await source.task(TaskItem.ID(provider: "sap", key: deleted)) } == nil)
    }
  }

  /// P12 and P24.
  @Test(arguments: SAPEnvironment.allCases)
  func anApprovalSendsOnlyWhatAnyRecipientMaySend(_ environment: SAPEnvironment) async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(environment)
      let id = try rig.makeTask()
      let task = try await decide(rig, Decision(.approve, comment: "いいよ"), id)
      #expect(task.status == .done && task.outcome == .approved)
      let body = try JSONValue(
        parsing: try required(rig.control.requests.last { $0.request.method == "PATCH" }).request.body)
      let keys = Set(body.object?.keys ?? [])
      #expect(keys.isSubset(of: ["status", "decision", "context"]))
      #expect(body["context"] == ["approved": true, "comment": "いいよ"])
      #expect(rig.control.context(ofTask: id)?["other"] == "kept")
    }
  }

  /// P12.
  @Test func aRecipientWithoutRightsOfAnAdministratorCanDecide() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(settings: ["user": "P1000001", "password": "approve-1"])
      let id = try rig.makeTask()
      #expect(try await decide(rig, Decision(.reject), id).outcome == .rejected)
      // A plain recipient may not claim over this interface, and may not list.
      let other = try rig.makeTask()
      let error = try await rig.failure("task.claim", ["id": .init(other)])
      #expect(error.kind == "backend-error" && error.details["status"] == 403)
    }
  }

  /// P11.
  @Test func whoComesSecondLearnsWhoWasFirst() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let id = try rig.makeTask()
      let (source, task) = (try rig.source, try await rig.item(id))
      try rig.control.completeElsewhere(id, by: "P1000002", context: ["approved": false])
      do {
        _ = try await rig.passingTime { try await source.decide(Decision(.approve), on: task) }
        Issue.record("it was decided twice")
      } catch let error as AlreadyDecided {
        #expect(error.task.outcome == .rejected && error.task.decidedBy == "P1000002")
      }
    }
  }

  @Test(arguments: [
    Fault.Kind.status(408, applied: true), .status(429, applied: true), .status(502, applied: true),
    .reset(applied: true), .status(500), .truncatedBody(after: 0),
  ])
  func aLostAnswerIsSaidToBeUnclearAndTheDecisionIsSentOnce(_ fault: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let id = try rig.makeTask()
      try rig.inject(fault, on: "PATCH /v1/task-instances/*")
      do {
        _ = try await decide(rig, Decision(.approve), id)
        // A 204 has no body that could be cut.
        guard case .truncatedBody = fault else { Issue.record("it is not clear what happened"); return }
      } catch is UnclearOutcome {}
      #expect(rig.count("PATCH /v1/task-instances/\(id)") == 1)
    }
  }

  @Test func aDecisionThatNeverLeftIsSafeToRepeat() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let id = try rig.makeTask()
      let (source, task) = (try rig.source, try await rig.item(id))
      rig.sandbox.stop()
      do {
        _ = try await rig.passingTime { try await source.decide(Decision(.approve), on: task) }
        Issue.record("nobody listens")
      } catch let error as RPCError {
        #expect(error.kind == "unavailable" && error.isRetryable)
      }
    }
  }

  @Test func aSuspendedWorkflowsTaskSaysWhatToDo() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let id = try rig.makeTask()
      let instance = try required(rig.control.task(id)?.workflowInstanceID)
      try await rig.call("workflow.suspend", ["id": .init(instance)])
      let error = try await rig.failure("task.complete", ["id": .init(id)])
      #expect(error.kind == "backend-error")
      #expect(error.message.contains("suspended"))
    }
  }

  @Test func claimsAreRespected() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let id = try rig.makeTask()
      let (source, task) = (try rig.source, try await rig.item(id))
      let claimed = try await rig.passingTime { try await source.claim(task) }
      #expect(claimed.status == .claimed && claimed.actions.contains(.release))
      #expect(try await rig.passingTime { try await source.claim(claimed) }.status == .claimed)
      #expect(try await rig.passingTime { try await source.release(claimed) }.status == .ready)
      try await rig.call("task.claim", ["id": .init(id), "user": "P1000002"])
      do {
        _ = try await rig.passingTime { try await source.claim(task) }
        Issue.record("it was taken from somebody else")
      } catch let error as RPCError {
        #expect(error.kind == "conflict" && error.message.contains("P1000002"))
      }
    }
  }

  @Test func aDryRunShowsTheRequest() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(settings: ["approve": ["decision": "yes", "context": ["ok": true]]])
      let id = try rig.makeTask()
      let preview = try rig.source.preview(Decision(.approve), on: try await rig.item(id))
      #expect(preview["method"] == "PATCH")
      #expect(preview["body"] == ["status": "COMPLETED", "decision": "yes", "context": ["ok": true]])
      #expect(rig.control.task(id)?.status == .ready)
    }
  }

  @Test func aChangedStampChangesNoRevisionAndAChangedSubjectDoes() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let id = try rig.makeTask()
      let before = try await rig.item(id).revision
      rig.control.advanceClock(by: .seconds(60))
      try rig.control.changeTask(id, SAPTaskEdit())
      #expect(try await rig.item(id).revision == before)
      var edit = SAPTaskEdit()
      edit.subject = "Approve 3000 monitors"
      try rig.control.changeTask(id, edit)
      #expect(try await rig.item(id).revision != before)
    }
  }

  @Test func pollsCanBeRestricted() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(settings: ["tasks": ["recipientUsers": "P7", "workflowDefinitionId": "ringi_purchase"]])
      let mine = try rig.makeTask { $0.recipientUsers = ["P7"] }
      _ = try rig.makeTask()
      #expect(try await poll(rig).items.map(\.id.key) == [mine])
    }
  }

  /// P10.
  @Test func aFinishedWorkflowsTaskAppearsWithALaterPoll() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig { $0.switches.latency = .nextTick }
      try await rig.call("workflow.start", ["definitionId": "ringi_purchase"])
      #expect(try await poll(rig).items.isEmpty)
      rig.control.tick()
      #expect(try await poll(rig).items.count == 1)
    }
  }
}
