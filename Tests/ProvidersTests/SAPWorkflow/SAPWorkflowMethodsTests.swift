import EventLoop
import HTTPServer
import RingiKit
import JSON
import JSONRPC
import RingiTestSupport
import Sandbox
import Testing
import Timing

@Suite struct SAPWorkflowMethodsTests {
  private static let typed = SAPDefinition(
    id: "typed", name: "Typed", inputs: ["day": .date, "amount": .number], steps: [.message("go")])

  /// P14, P30 and P32.
  @Test(arguments: SAPEnvironment.allCases)
  func aWorkflowIsStartedWithItsContextAndRead(_ environment: SAPEnvironment) async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(environment)
      let context: JSONValue = ["request": ["item": "モニター \"27\"", "qty": 3], "n": 9_007_199_254_740_993]
      let started = try await rig.call("workflow.start", ["definitionId": "ringi_purchase", "context": context])
      let id = try required(started["id"])
      #expect(try await rig.call("workflow.get", ["id": id])["status"] == "RUNNING")
      #expect(try await rig.call("workflow.context", ["id": id]) == context)
      #expect(rig.control.tasks.first?.subject == "Approve 3 モニター \"27\"")
    }
  }

  /// P15.
  @Test func anUnknownDefinitionIsToldFromAWrongAddress() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let error = try await rig.failure("workflow.start", ["definitionId": "nothing"])
      #expect(error.kind == "not-found")
      #expect(error.details["code"] == "bpm.workflowruntime.definition.not.found")
      let bare = try await rig.failure("workflow.start", ["request": ["qty": 3]])
      #expect(bare.kind == "invalid-params")
    }
  }

  /// P13.
  @Test func aContextThatDoesNotFitIsExplainedAndNotSentAgain() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(.sbpa) { $0.definitions.append(Self.typed) }
      let params: JSONValue = ["definitionId": "typed", "context": ["day": "30.11.2026", "amount": 1]]
      let error = try await rig.failure("workflow.start", params)
      #expect(error.kind == "backend-error" && error.details["status"] == 422)
      #expect(error.details["message"]?.string?.isEmpty == false)
      #expect(rig.count("POST /v1/workflow-instances") == 1)
    }
  }

  @Test(arguments: [
    Fault.Kind.reset(applied: true), .status(503), .truncatedBody(after: 5), .malformedJSON,
  ])
  func aLostStartIsUnknownAndNeverRepeated(_ fault: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      try rig.inject(fault, on: "POST /v1/workflow-instances")
      let error = try await rig.failure("workflow.start", ["definitionId": "ringi_purchase"])
      #expect(error.kind == "outcome-unknown")
      #expect(rig.count("POST /v1/workflow-instances") == 1)
    }
  }

  /// P25.
  @Test func aChangeIsWaitedForUntilItShows() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig { $0.switches.latency = .after(.seconds(3)) }
      let id = JSONValue(try rig.control.startInstance(of: "ringi_purchase"))
      rig.control.advanceClock(by: .seconds(10))
      for (method, status) in [("suspend", "SUSPENDED"), ("resume", "RUNNING"), ("cancel", "CANCELED")] {
        let result = try await rig.call("workflow.\(method)", ["id": id, "cascade": true])
        #expect(result["pending"] == false)
        #expect(result["instance"]?["status"]?.string == status)
      }
    }
  }

  @Test func aChangeThatTakesTooLongIsPending() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig { $0.switches.latency = .nextTick }
      let id = JSONValue(try rig.control.startInstance(of: "ringi_purchase"))
      rig.control.tick()
      let result = try await rig.call("workflow.cancel", ["id": id])
      #expect(result["pending"] == true)
      #expect(result["instance"]?["status"] == "RUNNING")
    }
  }

  @Test func aChangeWhoseAnswerIsLostIsSettledByReading() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let id = JSONValue(try rig.control.startInstance(of: "ringi_purchase"))
      try rig.inject(.reset(applied: true), on: "PATCH /v1/workflow-instances/*")
      #expect(try await rig.call("workflow.cancel", ["id": id])["pending"] == false)
      let other = JSONValue(try rig.control.startInstance(of: "ringi_purchase"))
      try rig.inject(.reset(applied: false), on: "PATCH /v1/workflow-instances/*")
      #expect(try await rig.failure("workflow.cancel", ["id": other]).kind == "outcome-unknown")
    }
  }

  /// P25.
  @Test func cancellingTwiceIsFineAndResumingTheCancelledIsAConflict() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let id = JSONValue(try rig.control.startInstance(of: "ringi_purchase"))
      for _ in 0..<2 {
        #expect(try await rig.call("workflow.cancel", ["id": id])["instance"]?["status"] == "CANCELED")
      }
      #expect(try await rig.failure("workflow.resume", ["id": id]).kind == "conflict")
    }
  }

  @Test func aMessageReachesTheInstanceThatWaits() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig { $0.definitions.append(Self.typed) }
      let id = try rig.control.startInstance(of: "typed", context: ["day": "2026-11-30", "amount": 1])
      let result = try await rig.call("message.send", ["definitionId": "go", "workflowInstanceId": .init(id)])
      #expect(result["consumers"]?[0]?["id"]?.string == id)
      #expect(rig.control.instance(id)?.status == .completed)
    }
  }

  /// P27.
  @Test func aMessageIsSentAgainWhileNobodyWaitsForItYet() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig {
        $0.definitions.append(Self.typed)
        $0.switches.latency = .after(.seconds(2))
      }
      let id = try rig.control.startInstance(of: "typed", context: ["day": "2026-11-30", "amount": 1])
      let result = try await rig.call("message.send", ["definitionId": "go", "workflowInstanceId": .init(id)])
      #expect(result["consumers"]?.array?.count == 1)
      let error = try await rig.failure("message.send", ["definitionId": "stop", "workflowInstanceId": .init(id)])
      #expect(error.details["code"] == "bpm.workflowruntime.message.no.match")
      #expect(error.isRetryable)
    }
  }

  @Test(
    arguments: [
      [:], ["workflowInstanceId": "x", "businessKey": "k"], ["businessKey": "k"], ["workflowDefinitionId": "d"],
    ] as [JSONValue])
  func aMessageNeedsExactlyOneAddress(_ address: JSONValue) async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      #expect(try await rig.failure("message.send", address.merging(["definitionId": "go"])).kind == "invalid-params")
    }
  }
}
