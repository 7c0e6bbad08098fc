import JSON
import RingiTestSupport
import Sandbox
import Testing

@Suite struct SAPTaskPatchTests {
  private static let finalStatus = "bpm.workflowruntime.rest.task.final.status"
  private static let badProperty = "bpm.workflowruntime.rest.task.change.property.invalid"
  private static let notJSON = "bpm.workflowruntime.rest.content.format.invalid"

  private func sandboxWithTask(
    _ environment: SAPEnvironment = .neo, _ change: (inout SAPWorkflowConfiguration) -> Void = { _ in }
  ) throws -> (SAPWorkflowSandbox, String) {
    let sandbox = try startedSandbox(environment, change)
    return (sandbox, try #require(try sandbox.control.createTasks().first))
  }

  @Test func completesATaskAndMovesItsWorkflowOn() throws {
    let (sandbox, id) = try sandboxWithTask { $0.switches.latency = .nextTick }
    sandbox.control.advanceClock(by: .seconds(5))
    let answer = try SandboxClient.neo(sandbox).patchTask(
      id, ["status": "COMPLETED", "decision": "approve", "context": ["approved": true]])
    #expect(answer.status == 204)
    #expect(answer.body.isEmpty)
    #expect(answer["Content-Type"] == nil)
    let task = try #require(sandbox.control.task(id))
    #expect(task.status == .completed)
    #expect(task.completedAt == sandbox.control.now)
    #expect(task.lastChangedAt == sandbox.control.now)
    #expect(task.processor == "P1000009")
    #expect(task.decision == "approve")
    #expect(sandbox.control.context(ofTask: id) == ["approved": true])
    #expect(sandbox.control.instance(task.workflowInstanceID)?.status == .running)
    sandbox.control.tick()
    #expect(sandbox.control.instance(task.workflowInstanceID)?.status == .completed)
  }

  @Test func keepsTheOneWhoClaimedAsProcessor() throws {
    let (sandbox, id) = try sandboxWithTask()
    let client = try SandboxClient.neo(sandbox)
    _ = try client.patchTask(id, ["processor": "P1000002"])
    #expect(try client.patchTask(id, ["status": "COMPLETED"]).status == 204)
    #expect(sandbox.control.task(id)?.processor == "P1000002")
  }

  @Test func aSecondCompletionIsRefusedAndChangesNothing() throws {
    let (sandbox, id) = try sandboxWithTask()
    let client = try SandboxClient.neo(sandbox)
    #expect(try client.patchTask(id, ["status": "COMPLETED", "decision": "approve"]).status == 204)
    sandbox.control.advanceClock(by: .seconds(1))
    let answer = try client.patchTask(id, ["status": "COMPLETED", "decision": "reject"])
    #expect(answer.status == 400)
    #expect(answer.code == Self.finalStatus)
    #expect(sandbox.control.task(id)?.decision == "approve")
    #expect(sandbox.control.completions(of: id) == 1)
  }

  @Test func ofManyCompletionsAtOnceOneSucceeds() async throws {
    let (sandbox, id) = try sandboxWithTask()
    let client = try SandboxClient.neo(sandbox)
    let text = client.text(
      "PATCH", "/workflow-service/rest/v1/task-instances/\(id)", [("Content-Type", "application/json")],
      #"{"status":"COMPLETED"}"#)
    let connections = try (0..<8).map { _ in try RawConnection(port: sandbox.port) }
    for connection in connections { connection.send(text) }
    let statuses = try connections.map { try $0.answer().status }
    #expect(statuses.filter { $0 == 204 }.count == 1)
    #expect(statuses.filter { $0 == 400 }.count == 7)
    #expect(sandbox.control.completions(of: id) == 1)
  }

  @Test func claimsAndReleases() throws {
    let (sandbox, id) = try sandboxWithTask()
    let client = try SandboxClient.neo(sandbox)
    #expect(try client.patchTask(id, ["processor": "P1000001"]).status == 204)
    let claimed = try client.get("/v1/task-instances/\(id)").json()
    #expect(claimed["status"] == "RESERVED")
    #expect(claimed["processor"] == "P1000001")
    #expect(claimed["claimedAt"] == "2020-09-13T12:26:40.000Z")
    #expect(try client.patchTask(id, ["processor": ""]).status == 204)
    let released = try client.get("/v1/task-instances/\(id)").json()
    #expect(released["status"] == "READY")
    #expect(released["claimedAt"] == .null)
    #expect(released["processor"] == .null)
    let log = try client.get("/v1/workflow-instances/\(claimed["workflowInstanceId"]?.string ?? "")/execution-logs")
    let types = try log.json().array?.compactMap { $0["type"]?.string } ?? []
    #expect(types.suffix(2) == ["USERTASK_CLAIMED", "USERTASK_RELEASED"])
  }

  @Test func setsWhatAnAdministratorMaySet() throws {
    let (sandbox, id) = try sandboxWithTask()
    let client = try SandboxClient.neo(sandbox)
    let answer = try client.patchTask(
      id,
      [
        "subject": "稟議", "description": "d", "priority": "VERY_HIGH", "dueDate": "2021-01-01T00:00:00.000Z",
        "recipientUsers": "a,b", "recipientGroups": "",
      ])
    #expect(answer.status == 204)
    let task = try client.get("/v1/task-instances/\(id)").json()
    #expect(task["subject"] == "稟議")
    #expect(task["priority"] == "VERY_HIGH")
    #expect(task["dueDate"] == "2021-01-01T00:00:00.000Z")
    #expect(task["recipientUsers"] == ["a", "b"])
    #expect(task["recipientGroups"] == [])
  }

  @Test(arguments: [
    #"{"processor":"a,b"}"#, #"{"status":"completed"}"#, #"{"status":"READY"}"#, #"{"decision":"approve"}"#,
    #"{"priority":"medium"}"#, #"{"dueDate":"2021-01-01"}"#, #"{"surprise":1}"#, #"{"confidenceLevel":0.5}"#,
  ])
  func refusesPropertiesThatCannotBeSetSo(body: String) throws {
    let (sandbox, id) = try sandboxWithTask()
    let answer = try SandboxClient.neo(sandbox).patchTask(id, try JSONValue(parsing: body))
    #expect(answer.status == 422)
    #expect(answer.code == Self.badProperty)
    #expect(answer.details.count == 1)
    #expect(!answer.hasLogID)
  }

  @Test func countsLengthsInCharacters() throws {
    let (sandbox, id) = try sandboxWithTask()
    let client = try SandboxClient.neo(sandbox)
    let long = String(repeating: "稟", count: 255)
    #expect(try client.patchTask(id, ["processor": .init(long)]).status == 204)
    #expect(try client.patchTask(id, ["processor": .init(long + "x")]).status == 422)
    #expect(try client.patchTask(id, ["description": .init(String(repeating: "x", count: 4001))]).status == 422)
    let names = (1...101).map { "user\($0)" }.joined(separator: ",")
    #expect(try client.patchTask(id, ["recipientUsers": .init(names)]).status == 422)
  }

  @Test func appliesNothingWhenOnePropertyIsBadAndNamesThemAll() throws {
    let (sandbox, id) = try sandboxWithTask()
    let before = try #require(sandbox.control.task(id))
    let answer = try SandboxClient.neo(sandbox).patchTask(
      id, ["status": "DONE", "priority": "LOUD", "subject": "changed", "context": ["a": 1]])
    #expect(answer.status == 422)
    #expect(answer.details.count == 2)
    #expect(sandbox.control.task(id)?.subject == before.subject)
    #expect(sandbox.control.task(id)?.status == .ready)
    #expect(sandbox.control.context(ofTask: id) == [:])
  }

  @Test func refusesOutputsThatAnSBPAFormDoesNotHave() throws {
    let (sandbox, id) = try sandboxWithTask(.sbpa)
    let client = try SandboxClient.oauth(sandbox)
    let answer = try client.patchTask(
      id, ["status": "COMPLETED", "context": ["approved": true, "Approved": true, "x": 1]])
    #expect(answer.status == 422)
    #expect(answer.details.count == 2)
    #expect(try client.patchTask(id, ["confidenceLevel": 1.5]).status == 422)
    #expect(try client.patchTask(id, ["confidenceLevel": 0.5]).status == 204)
    #expect(try client.patchTask(id, ["status": "COMPLETED", "context": ["approved": true]]).status == 204)
  }

  @Test func aRecipientMayCompleteAndNothingElse() throws {
    let (sandbox, id) = try sandboxWithTask()
    let client = try SandboxClient.neo(sandbox, SandboxClient.recipient)
    let forbidden: [JSONValue] = [
      ["processor": "P1000001"], ["status": "COMPLETED", "subject": "x"], ["context": ["a": 1]],
      ["status": "COMPLETED", "surprise": 1],
    ]
    for body in forbidden { #expect(try client.patchTask(id, body).status == 403) }
    #expect(sandbox.control.task(id)?.status == .ready)
    #expect(sandbox.control.context(ofTask: id) == [:])
    #expect(try client.patchTask(id, ["decision": "approve"]).status == 422)
    let body: JSONValue = ["status": "COMPLETED", "decision": "approve", "context": ["approved": true]]
    #expect(try client.patchTask(id, body).status == 204)
  }

  @Test func aGroupsMemberIsARecipient() throws {
    let sandbox = try startedSandbox(.neo)
    var draft = SAPTaskDraft()
    draft.recipientUsers = []
    draft.recipientGroups = ["purchasing"]
    let id = try #require(try sandbox.control.createTasks(draft).first)
    #expect(try SandboxClient.neo(sandbox, SandboxClient.recipient).get("/v1/task-instances/\(id)").status == 403)
    let member = try SandboxClient.neo(sandbox, "P1000002:approve-2")
    #expect(try member.get("/v1/task-instances/\(id)").status == 200)
    #expect(try member.patchTask(id, ["status": "COMPLETED"]).status == 204)
  }

  @Test func checksInTheServicesOrder() throws {
    let (sandbox, id) = try sandboxWithTask { $0.switches.latency = .nextTick }
    let admin = try SandboxClient.neo(sandbox)
    let stranger = try SandboxClient.neo(sandbox, "P1000002:approve-2")
    var edit = SAPTaskEdit()
    edit.recipientUsers = ["P1000001"]
    try sandbox.control.changeTask(id, edit)
    let target = "/workflow-service/rest/v1/task-instances/"
    let json = [("Content-Type", "application/json")]
    // Content type, then the text, then existence, then permission.
    #expect(try stranger.send("PATCH", target + "none", body: "{").status == 415)
    #expect(try stranger.send("PATCH", target + "none", headers: json, body: "{").status == 400)
    #expect(try stranger.patchTask("none", ["status": "X"]).status == 404)
    #expect(try stranger.patchTask(id, ["status": "X"]).status == 403)
    // Then a suspended instance, validity, and the lock.
    let instance = try #require(sandbox.control.task(id)?.workflowInstanceID)
    #expect(try admin.write("PATCH", "/v1/workflow-instances/\(instance)", ["status": "SUSPENDED"]).status == 202)
    #expect(try admin.patchTask(id, ["status": "X"]).status == 422)
    #expect(try admin.patchTask(id, ["status": "COMPLETED"]).status == 409)
    sandbox.control.tick()
    #expect(try admin.patchTask(id, ["status": "X"]).code == "bpm.workflowruntime.rest.task.suspended.status")
    try sandbox.control.cancelTask(id)
    // A final status comes before all of them, and permission before it.
    #expect(try admin.patchTask(id, ["status": "X"]).code == Self.finalStatus)
    #expect(try stranger.patchTask(id, ["status": "X"]).status == 403)
  }

  @Test(arguments: [
    ("text/plain", "{}", 415), ("", "{}", 415), ("application/jsonx", "{}", 415),
    ("application/json; charset=utf-8", "{}", 204), ("Application/JSON", "{}", 204), ("application/json", "[]", 400),
    ("application/json", "{", 400), ("application/json", "", 400), ("application/json", #"{"status":5}"#, 400),
    ("application/json", #"{"context":"x"}"#, 400), ("application/json", #"{"recipientUsers":["a"]}"#, 400),
    ("application/json", #"{"processor":null}"#, 400),
  ])
  func looksAtContentTypeAndStructure(type: String, body: String, status: Int) throws {
    let (sandbox, id) = try sandboxWithTask()
    let answer = try SandboxClient.neo(sandbox).send(
      "PATCH", "/workflow-service/rest/v1/task-instances/\(id)",
      headers: type.isEmpty ? [] : [("Content-Type", type)], body: body)
    #expect(answer.status == status)
    if status == 400 { #expect(answer.code == Self.notJSON) }
  }

  @Test func mergesContextsToTheDepthThatIsSet() throws {
    for depth in SAPSwitches.MergeDepth.allCases {
      let sandbox = try startedSandbox(.neo) { $0.switches.mergeDepth = depth }
      var draft = SAPTaskDraft()
      draft.context = ["request": ["item": "monitor", "qty": 3], "other": 1]
      let id = try #require(try sandbox.control.createTasks(draft).first)
      let body: JSONValue = ["context": ["request": ["qty": 4]]]
      #expect(try SandboxClient.neo(sandbox).patchTask(id, body).status == 204)
      let expected: JSONValue = depth == .deep ? ["item": "monitor", "qty": 4] : ["qty": 4]
      #expect(sandbox.control.context(ofTask: id) == ["request": expected, "other": 1])
    }
  }

  @Test func theTechnicalClientIsTheApproverWithClientCredentials() throws {
    let (sandbox, id) = try sandboxWithTask(.cf)
    #expect(try SandboxClient.oauth(sandbox).patchTask(id, ["status": "COMPLETED"]).status == 204)
    #expect(sandbox.control.task(id)?.processor == SAPClient.standardID)
  }

  @Test func completingNeedsItsOwnScope() throws {
    let (sandbox, id) = try sandboxWithTask(.cf)
    func client(_ scopes: [SAPScope]) throws -> SandboxClient {
      sandbox.control.setClient(SAPClient(id: SAPClient.standardID, secret: SAPClient.standardSecret, scopes: scopes))
      return try .oauth(sandbox)
    }
    #expect(try client([.taskGet, .taskUpdate]).patchTask(id, ["status": "COMPLETED"]).status == 403)
    #expect(try client([.taskComplete]).patchTask(id, ["processor": "x"]).status == 403)
    #expect(try client([.taskComplete]).patchTask(id, ["status": "COMPLETED"]).status == 204)
  }
}
