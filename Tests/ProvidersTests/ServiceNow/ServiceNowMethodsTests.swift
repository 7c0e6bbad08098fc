import EventLoop
import JSON
import JSONRPC
import RingiKit
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// The methods `INSTANCE.table.…` and `INSTANCE.approvals.…`.
@Suite struct ServiceNowMethodsTests {
  @Loop private func incident(_ rig: ServiceNowRig, _ fields: [String: String] = [:]) throws -> JSONValue {
    .init(try rig.sandbox.with { state throws(ControlError) in try state.makeRecord("incident", fields) })
  }

  // MARK: Reading

  @Test func aListTakesAQueryAndFieldsWithDots() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let hanako = rig.sandbox.with { $0.users["hanako"]?.sysID } ?? ""
      _ = try incident(rig, ["short_description": "Fire", "priority": "1", "opened_by": hanako])
      _ = try incident(rig, ["short_description": "Smoke", "priority": "3"])
      let list = try await rig.call(
        "table.list", ["table": "incident", "query": "priority=1", "fields": ["short_description", "opened_by.name"]])
      let record = try required(list["records"]?[0])
      #expect(list["records"]?.array?.count == 1 && record["short_description"] == "Fire")
      #expect(record["opened_by.name"] == "Hanako Sato" && record["sys_id"] != nil)
    }
  }

  /// Pitfall 12.
  @Test(arguments: ["R&D", "50% off", "a+b=c#d", "請求書 ü"])
  func aValueOfAnyCharactersStaysWhole(_ text: String) async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      _ = try incident(rig, ["short_description": text])
      _ = try incident(rig, ["short_description": "other"])
      let list = try await rig.call(
        "table.list", ["table": "incident", "query": .init("short_description=\(text)^priorityISEMPTY")])
      #expect(list["records"]?.array?.count == 1)
    }
  }

  @Test(
    arguments: [
      ("false", "approval", "requested"), ("true", "approval", "Requested"),
      ("all", "approval", ["display_value": "Requested", "value": "requested"]),
      ("true", "opened_at", "2026-03-02 10:15:09"), ("false", "opened_at", "2026-03-02 01:15:09"),
    ] as [(String, String, JSONValue)])
  func displayValuesAreThoseOfTheUser(_ display: String, _ field: String, _ value: JSONValue) async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let id = try incident(rig, ["approval": "requested", "opened_at": "2026-03-02 01:15:09"])
      let params: JSONValue = ["table": "incident", "id": id, "displayValue": .init(display)]
      #expect(try await rig.call("table.get", params)[field] == value)
    }
  }

  @Test func aRecordThatIsHiddenIsNotFound() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let id = try incident(rig)
      rig.sandbox.with { $0.hidden = [id.string ?? ""] }
      #expect(try await rig.failure("table.get", ["table": "incident", "id": id]).kind == "not-found")
      #expect(try await rig.failure("table.delete", ["table": "incident", "id": id]).kind == "not-found")
      #expect(rig.count(method: "DELETE") == 0)
    }
  }

  @Test func anUnknownTableIsTheServicesError() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let error = try await rig.failure("table.list", ["table": "nothing"])
      #expect(error.kind == "backend-error" && error.details["message"] == "Invalid table nothing")
      #expect(try await rig.failure("table.list", ["table": "../stats"]).kind == "invalid-params")
    }
  }

  // MARK: Writing

  @Test func aRecordIsMadeChangedAndDeleted() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let made = try await rig.call(
        "table.create", ["table": "incident", "values": ["short_description": "Fire", "priority": 1, "active": true]])
      let id = try required(made["record"]?["sys_id"])
      #expect(made["differing"] == [] && made["record"]?["priority"] == "1")
      let key: JSONValue = ["table": "incident", "id": id]
      let changed = try await rig.call("table.update", key.merging(["values": ["priority": .null, "comments": "out"]]))
      #expect(changed["record"]?["priority"] == "" && changed["differing"] == [])
      #expect(rig.sandbox.with { $0.journal(of: id.string ?? "") } == ["out"])
      #expect(try await rig.call("table.delete", key)["deleted"] == true)
      #expect(try await rig.failure("table.get", key).kind == "not-found")
    }
  }

  /// Pitfalls 9 and 15: fields are dropped without a word.
  @Test func whatWasNotTakenIsNamed() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let made = try await rig.call(
        "table.create",
        ["table": "sysapproval_approver", "values": ["approver": "somebody", "state": "requested", "colour": "red"]])
      #expect(made["differing"] == ["approver", "colour"])
      rig.sandbox.with { $0.unwritable = ["incident.priority"] }
      let id = try incident(rig)
      let changed = try await rig.call(
        "table.update", ["table": "incident", "id": id, "values": ["priority": "1", "severity": "2"]])
      #expect(changed["differing"] == ["priority"] && changed["record"]?["severity"] == "2")
    }
  }

  @Test func whatIsNoScalarIsNotSent() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      for values: JSONValue in [["a": ["b": 1]], ["a": []], [:]] {
        let error = try await rig.failure("table.create", ["table": "incident", "values": values])
        #expect(error.kind == "invalid-params")
      }
      #expect(rig.requests.isEmpty)
    }
  }

  @Test(arguments: [Fault.Kind.reset(applied: true), .status(504, applied: true), .truncatedBody()])
  func aRecordWhoseMakingIsUncertainIsNotMadeTwice(_ fault: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      try rig.inject(fault, on: "POST /api/now/table/incident")
      let error = try await rig.failure(
        "table.create", ["table": "incident", "values": ["short_description": "Fire"]])
      #expect(error.kind == "outcome-unknown" && error.message.contains("table.list"))
      #expect(rig.sandbox.with { $0.count(of: "incident") } == 1)
    }
  }

  @Test(arguments: [Fault.Kind.reset(applied: true), .appliedLater(.after(.seconds(2))), .status(503, applied: true)])
  func aChangeWhoseAnswerIsLostIsReadBack(_ fault: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let id = try incident(rig)
      try rig.inject(fault, on: "PATCH /api/now/table/incident/*")
      let changed = try await rig.call("table.update", ["table": "incident", "id": id, "values": ["priority": "1"]])
      #expect(changed["record"]?["priority"] == "1")
      #expect(rig.count(method: "PATCH") == 1)
    }
  }

  @Test func aCommentWhoseAnswerIsLostCanNotBeReadBack() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let id = try incident(rig)
      try rig.inject(.reset(applied: true), on: "PATCH /api/now/table/incident/*")
      let error = try await rig.failure("table.update", ["table": "incident", "id": id, "values": ["comments": "x"]])
      #expect(error.kind == "outcome-unknown")
      #expect(rig.sandbox.with { $0.journal(of: id.string ?? "") } == ["x"])
    }
  }

  @Test(arguments: [Fault.Kind.reset(applied: true), .status(502, applied: true)])
  func aDeletionWhoseAnswerIsLostIsOne(_ fault: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let id = try incident(rig)
      try rig.inject(fault, on: "DELETE /api/now/table/incident/*")
      #expect(try await rig.call("table.delete", ["table": "incident", "id": id])["deleted"] == true)
      #expect(rig.sandbox.with { $0.count(of: "incident") } == 0)
    }
  }

  // MARK: Approvals

  @Test func approvalsAreListedByStateAndApprover() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let mine = try rig.makeApprovals(2)
      _ = try rig.makeApproval { $0.approvers = ["taro"] }
      _ = try rig.makeApproval { $0.state = "rejected" }
      func ids(_ params: JSONValue) async throws -> [String] {
        try await rig.call("approvals.list", params)["approvals"]?.array?.compactMap { $0["sys_id"]?.string } ?? []
      }
      #expect(try await ids([:]) == mine)
      #expect(try await ids(["approver": "anyone"]).count == 3)
      let taro = rig.sandbox.with { $0.users["taro"]?.sysID } ?? ""
      #expect(try await ids(["approver": .init(taro)]).count == 1)
      #expect(try await ids(["state": "rejected"]).count == 1)
      #expect(try await rig.failure("approvals.list", ["approver": "a^ORb=c"]).kind == "invalid-params")
    }
  }

  @Test func anApprovalIsReadApprovedAndNotApprovedTwice() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let id = JSONValue(try rig.makeApproval())
      let full = JSONValue("now/\(id.string ?? "")")
      #expect(try await rig.call("approvals.get", ["id": full])["state"] == "requested")
      let done = try await rig.call("approvals.approve", ["id": id, "comment": "fine"])
      #expect(done["approval"]?["state"] == "approved" && done["already"] == false)
      #expect(try await rig.call("approvals.approve", ["id": full])["already"] == true)
      #expect(try await rig.failure("approvals.reject", ["id": id]).kind == "conflict")
      #expect(try await rig.failure("approvals.get", ["id": "nothing"]).kind == "not-found")
      #expect(rig.count(method: "PATCH") == 1)
    }
  }

  @Test(arguments: [Fault.Kind.reset(applied: true), .appliedLater(.after(.seconds(3)))])
  func anApprovalWhoseAnswerIsLostIsReadBack(_ fault: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let id = try rig.makeApproval()
      try rig.inject(fault, on: "PATCH /api/now/table/sysapproval_approver/*")
      #expect(try await rig.call("approvals.approve", ["id": .init(id)])["approval"]?["state"] == "approved")
      #expect(rig.sandbox.with { $0.decisions[id] } == 1)
    }
  }

  @Test func anApprovalThatNeverShowsIsUnknown() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let id = try rig.makeApproval()
      try rig.inject(.reset(applied: false), on: "PATCH /api/now/table/sysapproval_approver/*")
      #expect(try await rig.failure("approvals.approve", ["id": .init(id)]).kind == "outcome-unknown")
    }
  }
}
