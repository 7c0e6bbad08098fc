import JSON
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// The control API, over HTTP as scripts use it.
@Suite struct SAPControlTests {
  private let sandbox: SAPWorkflowSandbox

  init() throws { sandbox = try startedSandbox(.neo) }

  private func control(_ method: String, _ path: String, _ body: JSONValue? = nil) throws -> RawAnswer {
    try SandboxClient(sandbox: sandbox, headers: [])
      .send(method, "/_control/" + path, body: body?.description ?? "")
  }

  @Test func createsTasksInBulkWithNumbersAndTimes() throws {
    let answer = try control(
      "POST", "tasks",
      [
        "count": 3, "subject": "Order {n}", "priority": "HIGH", "spacing": "10s", "context": ["amount": 100],
        "createdAt": "2020-01-01T00:00:00Z", "createdBy": "P7",
      ])
    #expect(try answer.json()["ids"]?.array?.count == 3)
    let tasks = sandbox.control.tasks
    #expect(tasks.map(\.subject) == ["Order 1", "Order 2", "Order 3"])
    #expect(tasks.map(\.createdAt.rfc3339) == ["2019-12-31T23:59:40Z", "2019-12-31T23:59:50Z", "2020-01-01T00:00:00Z"])
    #expect(tasks.allSatisfy { $0.priority == .high && $0.createdBy == "P7" })
  }

  @Test func changesATaskOrOnlyItsTime() throws {
    let id = try #require(try sandbox.control.createTasks().first)
    sandbox.control.advanceClock(by: .seconds(1))
    let changed = try control("PATCH", "tasks/\(id)", ["context": ["amount": 90000], "priority": "LOW"]).json()
    #expect(changed["context"] == ["amount": 90000])
    #expect(changed["priority"] == "LOW")
    #expect(changed["lastChangedAt"] == "2020-09-13T12:26:41.000Z")
    sandbox.control.advanceClock(by: .seconds(1))
    let touched = try control("PATCH", "tasks/\(id)").json()
    #expect(touched["lastChangedAt"] == "2020-09-13T12:26:42.000Z")
    #expect(touched["priority"] == "LOW")
    #expect(try control("PATCH", "tasks/\(id)", ["processor": "P1000001"]).json()["status"] == "RESERVED")
  }

  @Test func letsOthersCompleteCancelAndDelete() throws {
    let ids = try sandbox.control.createTasks(count: 3)
    let done = try control("POST", "tasks/\(ids[0])/complete", ["by": "P1000002", "decision": "reject"]).json()
    #expect(done["status"] == "COMPLETED")
    #expect(done["decision"] == "reject")
    #expect(done["processor"] == "P1000002")
    #expect(done["completions"] == 0)
    #expect(try control("POST", "tasks/\(ids[0])/complete", ["by": "x"]).status == 400)
    #expect(try control("POST", "tasks/\(ids[1])/cancel").json()["status"] == "CANCELED")
    #expect(try control("DELETE", "tasks/\(ids[2])").status == 200)
    #expect(try control("GET", "tasks/\(ids[2])").status == 404)
    #expect(try SandboxClient.neo(sandbox).get("/v1/task-instances/\(ids[2])").status == 404)
  }

  @Test func countsCompletionsOverTheServicesAPI() throws {
    let id = try #require(try sandbox.control.createTasks().first)
    #expect(try SandboxClient.neo(sandbox).patchTask(id, ["status": "COMPLETED"]).status == 204)
    #expect(try control("GET", "completions").json() == JSONValue(object: [(id, JSONValue(1))]))
  }

  @Test func logsRequestsWithSecretsAndStatuses() throws {
    let client = SandboxClient(sandbox, basic: SandboxClient.admin)
    _ = try client.send("POST", "/workflow-service/rest/v1/messages?a=1&a=2", body: "稟")
    let entry = try #require(try control("GET", "requests").json()[0])
    #expect(entry["method"] == "POST")
    #expect(entry["target"] == "/workflow-service/rest/v1/messages?a=1&a=2")
    #expect(entry["query"] == [["a", "1"], ["a", "2"]])
    #expect(entry["body"] == "稟")
    #expect(entry["status"] == 403)
    #expect(
      entry["headers"]?.array?.contains(["Authorization", .init("Basic " + base64(SandboxClient.admin))]) == true)
    #expect(try control("DELETE", "requests").status == 200)
    #expect(sandbox.control.requests.isEmpty)
  }

  @Test func setsSwitchesAllOrNone() throws {
    let wrong = try control("PATCH", "switches", ["headerCase": "lower", "nullStyle": "maybe"])
    #expect(wrong.status == 400)
    #expect(wrong.text.contains("null, omit, mixed"))
    #expect(sandbox.control.switches.headerCase == .canonical)
    let right = try control(
      "PATCH", "switches", ["latency": "tick", "rateLimit": 5, "sessionIdle": "1h", "privilegesCode": true]
    ).json()
    #expect(right["latency"] == "tick")
    #expect(sandbox.control.switches.rateLimit == 5)
    #expect(sandbox.control.switches.sessionIdle == .seconds(3600))
    #expect(sandbox.control.switches.privilegesCode)
    #expect(try control("PATCH", "switches", ["rateLimit": nil]).json()["rateLimit"] == "none")
  }

  @Test func injectsFaults() throws {
    let fault: JSONValue = [
      "route": "GET /v1/task-instances", "kind": "status", "status": 429, "retryAfterDate": "1h", "count": nil,
    ]
    #expect(try control("POST", "faults", fault).json()[0]?["count"] == .null)
    let answer = try SandboxClient.neo(sandbox).get("/v1/task-instances")
    #expect(answer["Retry-After"] == "Sun, 13 Sep 2020 13:26:40 GMT")
    #expect(try control("DELETE", "faults").json() == [])
    for wrong in [["kind": "status"], ["kind": "magic", "route": "* /"], ["kind": "hang", "route": "GET"]]
      as [JSONValue]
    {
      #expect(try control("POST", "faults", wrong).status == 400)
    }
  }

  @Test(arguments: [
    #"{"kind":"login-page"}"#, #"{"kind":"delay","by":"10ms"}"#, #"{"kind":"slow-body","bytesPerSecond":10}"#,
    #"{"kind":"truncated-body","after":3,"reset":true}"#,
    #"{"kind":"malformed-json"}"#, #"{"kind":"reset","applied":true}"#,
    #"{"kind":"hang","applied":true}"#, #"{"kind":"applied-later","latency":"3s"}"#,
  ])
  func readsEveryKindOfFault(text: String) throws {
    let fault = try JSONValue(parsing: text).setting("route", to: "* /**")
    let answer = try control("POST", "faults", fault)
    #expect(answer.status == 200)
    #expect(try answer.json()[0]?["kind"] == fault["kind"])
  }

  @Test func deploysAndStartsDefinitions() throws {
    let steps: JSONValue = [
      ["id": "a", "subject": "Sign ${context.x}", "recipientUsers": ["P1000001"], "outputs": ["ok"], "dueIn": "1d"],
      ["message": "m"],
    ]
    let definition: JSONValue = ["name": "Contract", "inputs": ["x": "string"], "steps": steps]
    #expect(try control("PUT", "definitions/contract", definition).status == 200)
    let id = try #require(
      try control("POST", "instances", ["definitionId": "contract", "context": ["x": "here"]]).json()["id"]?.string)
    let task = try #require(sandbox.control.tasks.first)
    #expect(task.subject == "Sign here")
    #expect(task.dueDate?.rfc3339 == "2020-09-14T12:26:40Z")
    try sandbox.control.completeElsewhere(task.id, by: "P1000001")
    #expect(try control("GET", "instances/\(id)").json()["awaitedMessage"] == "m")
    #expect(try control("POST", "instances/\(id)/fail", ["message": "x"]).json()["status"] == "ERRONEOUS")
  }

  @Test func setsUsersAndClients() throws {
    #expect(try control("PUT", "users/S1", ["password": "p", "role": "admin"]).status == 200)
    #expect(try SandboxClient(sandbox, basic: "S1:p").get("/v1/task-instances").status == 200)
    #expect(try control("PUT", "clients/c%7C1", ["secret": "s", "scopes": ["TASK_GET"]]).status == 200)
    #expect(try control("PUT", "clients/c", ["secret": "s", "scopes": ["TASK_FLY"]]).text.contains("TASK_GET"))
  }

  @Test func movesTheClock() throws {
    #expect(try control("POST", "clock/advance", ["by": "1h"]).json()["now"] == "2020-09-13T13:26:40Z")
    #expect(try control("GET", "clock").json()["now"] == "2020-09-13T13:26:40Z")
    #expect(try control("POST", "clock/advance").status == 400)
  }

  @Test func expiresSessionsAndTicksAndResets() throws {
    let client = try SandboxClient.neo(sandbox)
    #expect(try control("POST", "sessions/expire").status == 200)
    #expect(try client.patchTask("x", [:]).status == 403)
    try sandbox.control.createTasks()
    #expect(try control("POST", "tick").status == 200)
    #expect(try control("POST", "reset").status == 200)
    #expect(sandbox.control.tasks.isEmpty)
    #expect(sandbox.control.requests.isEmpty)
  }

  @Test func saysWhatIsWrongWithACall() throws {
    #expect(try control("POST", "tasks", ["cuont": 3]).text.contains("cuont"))
    #expect(try control("POST", "tasks", ["count": "3"]).text.contains("whole number"))
    #expect(try control("POST", "tasks", ["workflowDefinitionId": "none"]).status == 404)
    #expect(try control("GET", "nothing").status == 404)
    #expect(
      try SandboxClient(sandbox: sandbox, headers: []).send("POST", "/_control/tasks", body: "{\n]").text
        .contains("line 2"))
  }
}
