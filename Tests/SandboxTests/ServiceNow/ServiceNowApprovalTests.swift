import JSON
import RingiTestSupport
import Sandbox
import Testing
import Timing

@Suite struct ServiceNowApprovalTests {
  private func approvals(
    _ sandbox: ServiceNowSandbox, _ change: (inout ServiceNowState.ApprovalDraft) -> Void = { _ in }
  ) throws -> [String] {
    var draft = ServiceNowState.ApprovalDraft()
    change(&draft)
    return try sandbox.with { state throws(ControlError) in try state.makeApprovals(draft) }
  }

  private func decide(
    _ sandbox: ServiceNowSandbox, _ id: String, _ state: String, as credentials: String = "hanako:approve-1"
  ) throws -> RawAnswer {
    try ServiceNowRequests(sandbox, basic: credentials).write(
      "PATCH", "sysapproval_approver/\(id)", ["state": .init(state), "comments": "because"])
  }

  private func state(_ sandbox: ServiceNowSandbox, _ id: String) -> String? {
    sandbox.with { $0.fields("sysapproval_approver", id)?["state"] }
  }

  private func task(_ sandbox: ServiceNowSandbox, _ id: String) -> [String: String]? {
    sandbox.with { state in state.fields("task", state.fields("sysapproval_approver", id)?["sysapproval"] ?? "") }
  }

  @Test func theApproverTheDelegateAndAdministratorsDecide() throws {
    let sandbox = try startedServiceNow()
    let id = try approvals(sandbox)[0]
    let refused = try decide(sandbox, id, "approved", as: "taro:approve-2")
    #expect(refused.status == 403 && refused.detail == "ACL Exception Update Failed due to security constraints")
    sandbox.with { $0.users["hanako"]?.delegates = ["taro"] }
    let done = try decide(sandbox, id, "approved", as: "taro:approve-2")
    #expect(done.status == 200 && done.result?["state"] == "approved" && done.result?["sys_updated_by"] == "taro")
    #expect(sandbox.with { $0.decisions[id] } == 1 && sandbox.with { $0.journal(of: id) } == ["because"])
    let other = try approvals(sandbox)[0]
    #expect(try decide(sandbox, other, "rejected", as: "admin:administer-9").result?["state"] == "rejected")
  }

  @Test func aFieldACLKeepsTheRecordWithoutAWord() throws {
    let sandbox = try startedServiceNow { $0.switches.fieldACL = true }
    let id = try approvals(sandbox)[0]
    let answer = try decide(sandbox, id, "approved", as: "taro:approve-2")
    #expect(answer.status == 200 && answer.result?["state"] == "requested")
  }

  @Test func onlyWhatIsRequestedCanBeDecided() throws {
    let sandbox = try startedServiceNow()
    let id = try approvals(sandbox) { $0.state = "not requested" }[0]
    #expect(try decide(sandbox, id, "approved").result?["state"] == "not requested")
    let other = try approvals(sandbox)[0]
    #expect(try decide(sandbox, other, "odd").result?["state"] == "requested")
  }

  @Test(arguments: [
    (ServiceNowSwitches.FinalPatch.businessRule, 403, "rejected"), (.unchanged, 200, "rejected"),
    (.overwrite, 200, "approved"),
  ])
  func aDecidedApprovalIsChangedAsTheSwitchSays(
    _ kind: ServiceNowSwitches.FinalPatch, _ status: Int, _ state: String
  ) throws {
    let sandbox = try startedServiceNow { $0.switches.finalPatch = kind }
    let id = try approvals(sandbox)[0]
    _ = try decide(sandbox, id, "rejected")
    let answer = try decide(sandbox, id, "approved")
    #expect(answer.status == status && self.state(sandbox, id) == state)
    if status == 403 { #expect(answer.detail?.contains("was aborted by Business Rule 'Prevent") == true) }
  }

  @Test(arguments: [(ServiceNowSwitches.Signature.forbidden, 403), (.unchanged, 200)])
  func whatTakesASignatureIsNotApprovedHere(_ kind: ServiceNowSwitches.Signature, _ status: Int) throws {
    let sandbox = try startedServiceNow { $0.switches.signature = kind }
    sandbox.with { $0.signed = ["change_request"] }
    let id = try approvals(sandbox)[0]
    #expect(try decide(sandbox, id, "approved").status == status && state(sandbox, id) == "requested")
    #expect(try decide(sandbox, id, "rejected").result?["state"] == "rejected")
  }

  @Test func aTaskIsApprovedByAllAndRejectedByOne() throws {
    let sandbox = try startedServiceNow()
    let ids = try approvals(sandbox) { $0.approvers = ["hanako", "taro"] }
    _ = try decide(sandbox, ids[0], "approved")
    #expect(task(sandbox, ids[0])?["approval"] == "requested")
    _ = try decide(sandbox, ids[1], "approved", as: "taro:approve-2")
    #expect(task(sandbox, ids[0])?["approval"] == "approved")
    #expect(task(sandbox, ids[0])?["approval_set"]?.isEmpty == false)
    let others = try approvals(sandbox) { $0.approvers = ["hanako", "taro"] }
    _ = try decide(sandbox, others[0], "rejected")
    #expect(task(sandbox, others[0])?["approval"] == "rejected")
  }

  @Test func oneOfSeveralIsEnoughWhereItIsSaid() throws {
    let sandbox = try startedServiceNow()
    let ids = try approvals(sandbox) {
      $0.approvers = ["hanako", "taro"]
      $0.isOneOf = true
    }
    _ = try decide(sandbox, ids[0], "approved")
    #expect(state(sandbox, ids[1]) == "not_required" && task(sandbox, ids[0])?["approval"] == "approved")
  }

  @Test func aNewApprovalOfAPlainUserIsBlank() throws {
    let sandbox = try startedServiceNow()
    let body: JSONValue = ["approver": "a", "sysapproval": "b", "document_id": "c", "state": "requested"]
    let blank = try ServiceNowRequests(sandbox).write("POST", "sysapproval_approver", body)
    #expect(blank.status == 201 && blank.result?["approver"] == "" && blank.result?["document_id"] == "")
    let full = try ServiceNowRequests(sandbox, basic: "admin:administer-9").write("POST", "sysapproval_approver", body)
    #expect(full.result?["approver"]?["value"] == "a")
  }

  // MARK: Control

  @Test func theWorldIsPlayedOverHTTPToo() throws {
    let sandbox = try startedServiceNow()
    let control = ServiceNowRequests(sandbox, basic: nil)
    func call(_ method: String, _ path: String, _ body: JSONValue = [:]) throws -> RawAnswer {
      try control.send(method, "/_control/" + path, body: body.description)
    }
    let made = try call("POST", "approvals", ["count": 2, "title": "Order {n}", "approvers": ["hanako", "taro"]])
    let ids = try #require(try made.json()["ids"]?.array?.compactMap(\.string))
    #expect(ids.count == 4 && task(sandbox, ids[2])?["short_description"] == "Order 2")
    #expect(try call("POST", "approvals", ["approver": "hanako"]).status == 400)
    let path = "records/sysapproval_approver/\(ids[0])"
    #expect(try call("PATCH", path, ["state": "approved"]).json()["state"] == "approved")
    #expect(try call("DELETE", path).status == 200)
    #expect(try call("GET", path).status == 404)
    let record = try call("POST", "records/incident", ["priority": "1"]).json()["id"]?.string
    #expect(try call("GET", "records/incident").json().array?.first?["sys_id"]?.string == record)
    let task = sandbox.with { $0.fields("sysapproval_approver", ids[1])?["sysapproval"] } ?? ""
    #expect(try call("POST", "tasks/\(task)/cancel").status == 200)
    #expect(state(sandbox, ids[1]) == "not_required")
    #expect(try call("PUT", "users/jiro", ["password": "p", "delegates": ["taro"]]).status == 200)
    #expect(try call("POST", "approvals", ["approvers": ["jiro"]]).status == 200)
    #expect(try call("PATCH", "access", ["hidden": [.init(ids[2])]]).json()["hidden"] == [.init(ids[2])])
    #expect(try call("PATCH", "switches", ["finalPatch": "overwrite_200"]).json()["finalPatch"] == "overwrite_200")
    #expect(try call("GET", "decisions").json() == [:] && call("GET", "refusals").json() == [])
    #expect(try call("POST", "tokens/revoke", ["refreshTokensToo": true]).status == 200)
    #expect(try call("POST", "nothing").status == 404)
  }
}
