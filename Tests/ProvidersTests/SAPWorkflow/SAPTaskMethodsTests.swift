import EventLoop
import HTTPServer
import RingiKit
import JSON
import JSONRPC
import RingiTestSupport
import Sandbox
import Testing
import Timing

@Suite struct SAPTaskMethodsTests {
  @Test(arguments: SAPEnvironment.allCases)
  func aTaskIsReadWithItsContextAndCompleted(_ environment: SAPEnvironment) async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(environment)
      let id = try rig.makeTask()
      #expect(try await rig.call("task.get", ["id": .init(id)])["status"] == "READY")
      #expect(try await rig.call("task.context", ["id": .init("sap/" + id)])["other"] == "kept")
      let done = try await rig.call(
        "task.complete", ["id": .init(id), "decision": "approve", "context": ["approved": true]])
      #expect(done["status"] == "COMPLETED")
      #expect(rig.control.task(id)?.decision == "approve")
      // What was not sent is as it was.
      #expect(rig.control.context(ofTask: id)?["other"] == "kept")
      #expect(rig.control.context(ofTask: id)?["approved"] == true)
    }
  }

  @Test func whatIsNotThereIsNotFoundAndAWrongAddressIsSaid() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      for id in ["7c1f0b52-0000-11ea-9d2b-00163e7a1c44", "a/b", "ü"] {
        #expect(try await rig.failure("task.get", ["id": .init(id)]).kind == "not-found")
      }
      let astray = try SAPRig(settings: ["url": .init(rig.sandbox.url + "/elsewhere")])
      let error = try await astray.failure("task.list")
      #expect(error.kind == "backend-error")
      #expect(error.message.contains("url"))
    }
  }

  @Test func aTaskThatSomebodyCompletedSaysWhoAndWhen() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let id = try rig.makeTask()
      try rig.control.completeElsewhere(id, by: "P1000002")
      let error = try await rig.failure("task.complete", ["id": .init(id)])
      #expect(error.kind == "conflict")
      #expect(error.message.contains("P1000002") && error.message.contains("COMPLETED"))
      #expect(error.details["task"]?["status"] == "COMPLETED")
    }
  }

  @Test(arguments: [
    Fault.Kind.status(408, applied: true), .status(425, applied: true), .status(429, applied: true),
    .status(500, applied: true), .status(502, applied: true), .status(503, applied: true), .status(504, applied: true),
    .reset(applied: true), .appliedLater(.after(.seconds(3))),
  ])
  func aLostAnswerIsSettledByReadingAndNeverByWritingAgain(_ fault: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(.cf)
      let id = try rig.makeTask()
      try rig.inject(fault, on: "PATCH /v1/task-instances/*")
      #expect(try await rig.call("task.complete", ["id": .init(id)])["status"] == "COMPLETED")
      #expect(rig.control.completions(of: id) == 1)
      #expect(rig.count("PATCH /v1/task-instances/\(id)") == 1)
    }
  }

  @Test(arguments: [Fault.Kind.status(500), .reset(applied: false)])
  func whatNeverShowsIsUnknown(_ fault: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(.cf)
      let id = try rig.makeTask()
      try rig.inject(fault, on: "PATCH /v1/task-instances/*")
      let error = try await rig.failure("task.complete", ["id": .init(id)])
      #expect(error.kind == "outcome-unknown")
      #expect(!error.isRetryable)
      #expect(rig.control.completions(of: id) == 0)
    }
  }

  @Test func aBusyWorkflowIsAskedAgain() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let id = try rig.makeTask()
      try rig.inject(.status(409), on: "PATCH /v1/task-instances/*", count: 2)
      #expect(try await rig.call("task.complete", ["id": .init(id)])["status"] == "COMPLETED")
      let other = try rig.makeTask()
      try rig.inject(.status(409), on: "PATCH /v1/task-instances/*", count: nil)
      let error = try await rig.failure("task.complete", ["id": .init(other)])
      #expect(error.kind == "unavailable" && error.isRetryable)
    }
  }

  /// The caller must not take it for a failure and send it again.
  @Test func aClaimWhoseTaskCannotBeReadIsNotCalledAFailure() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let id = try rig.makeTask()
      try rig.inject(.status(503), on: "GET /v1/task-instances/*", count: nil)
      let error = try await rig.failure("task.claim", ["id": .init(id)])
      #expect(error.kind == "outcome-unknown" && error.message.contains("the change was made"))
      rig.control.clearFaults()
      #expect(try await rig.call("task.get", ["id": .init(id)])["processor"] == "P1000009")
    }
  }

  @Test func aTaskIsClaimedAndReleased() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let id = try rig.makeTask()
      #expect(try await rig.call("task.claim", ["id": .init(id)])["processor"] == "P1000009")
      #expect(try await rig.call("task.claim", ["id": .init(id), "user": "P1000002"])["processor"] == "P1000002")
      #expect(try await rig.call("task.release", ["id": .init(id)])["status"] == "READY")
      let nobody = try SAPRig(.cf)
      #expect(try await nobody.failure("task.claim", ["id": "x"]).kind == "invalid-params")
    }
  }

  /// P23, P29 and P30.
  @Test func propertiesAreWrittenAsTheServiceTakesThem() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let id = try rig.makeTask()
      let changed = try await rig.call(
        "task.update",
        [
          "id": .init(id), "subject": "承認 \"3\" ü\n", "priority": "VERY_HIGH", "dueDate": "2026-12-01T09:00:00+09:00",
          "recipientUsers": ["P1000001", "P1000009"], "recipientGroups": [],
        ])
      #expect(changed["subject"] == "承認 \"3\" ü\n")
      #expect(changed["recipientUsers"] == ["P1000001", "P1000009"])
      #expect(changed["dueDate"] == "2026-12-01T00:00:00.000Z")
      let body = try JSONValue(
        parsing: try required(rig.control.requests.last { $0.request.method == "PATCH" }).request.body)
      #expect(body["recipientUsers"] == "P1000001,P1000009")
      #expect(body["id"] == nil)
    }
  }

  @Test(
    arguments: [
      [:], ["recipientUsers": ["a,b"]], ["processor": "a,b"], ["dueDate": "tomorrow"], ["status": "COMPLETED"],
    ] as [JSONValue])
  func changesThatTheServiceWouldMisreadAreRefused(_ change: JSONValue) async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      #expect(try await rig.failure("task.update", change.merging(["id": "x"])).kind == "invalid-params")
      #expect(rig.requests.isEmpty)
    }
  }

  @Test func aRefusalNamesEveryProperty() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(.sbpa)
      let id = try rig.makeTask()
      let error = try await rig.failure("task.complete", ["id": .init(id), "context": ["a": 1, "b": 2]])
      #expect(error.kind == "backend-error")
      #expect(error.details["code"] == "bpm.workflowruntime.task.change.property.invalid")
      #expect(error.details["details"]?.array?.count == 2)
      #expect(error.message.contains("'a'") && error.message.contains("'b'"))
    }
  }

  @Test func aLostAnswerToAChangeIsSettledByReading() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let id = try rig.makeTask()
      try rig.inject(.reset(applied: true), on: "PATCH /v1/task-instances/*", count: 3)
      #expect(try await rig.call("task.claim", ["id": .init(id)])["status"] == "RESERVED")
      #expect(try await rig.call("task.update", ["id": .init(id), "subject": "new"])["subject"] == "new")
      #expect(try await rig.call("task.release", ["id": .init(id)])["status"] == "READY")
      try rig.inject(.reset(applied: false), on: "PATCH /v1/task-instances/*")
      #expect(try await rig.failure("task.update", ["id": .init(id), "subject": "newer"]).kind == "outcome-unknown")
    }
  }

  /// BR-079.
  @Test func aServerThatAsksForPeaceIsLeftAlone() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      try await rig.call("task.list")
      try rig.inject(.status(429, retryAfter: .text("3600")), on: "GET /v1/task-instances")
      #expect(try await rig.failure("task.list").retryAfter == 3600)
      let before = rig.requests.count
      let error = try await rig.failure("workflow.start", ["definitionId": "ringi_purchase"])
      #expect(error.kind == "unavailable" && error.retryAfter == 3600)
      #expect(rig.requests.count == before)
      rig.clock.advance(by: .seconds(3600))
      #expect(try await rig.call("task.list")["complete"] == true)
    }
  }

  @Test(arguments: [SAPSwitches.ErrorCodeStyle.rest, .plain])
  func codesAreUnderstoodInBothSpellings(_ style: SAPSwitches.ErrorCodeStyle) async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig { $0.switches.errorCodeStyle = style }
      let id = try rig.makeTask()
      try rig.control.completeElsewhere(id, by: "P1000002")
      #expect(try await rig.failure("task.complete", ["id": .init(id)]).kind == "conflict")
      #expect(try await rig.failure("task.get", ["id": "none"]).kind == "not-found")
    }
  }

  /// P4.
  @Test func aPageInPlaceOfARefusalHidesNothing() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let id = try rig.makeTask()
      try rig.inject(.status(403), on: "GET /v1/task-instances/*")
      let error = try await rig.failure("task.get", ["id": .init(id)])
      #expect(error.details["status"] == 403)
    }
  }
}
