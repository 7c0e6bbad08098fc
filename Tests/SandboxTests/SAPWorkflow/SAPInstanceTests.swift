import JSON
import RingiTestSupport
import Sandbox
import Testing

@Suite struct SAPInstanceTests {
  private static let resource = "/v1/workflow-instances"

  @Test func startsWithTheModelsNameAndShowsTheTaskLater() throws {
    let sandbox = try startedSandbox(.neo) { $0.switches.latency = .after(.seconds(1)) }
    let client = try SandboxClient.neo(sandbox)
    let answer = try client.write(
      "POST", Self.resource,
      ["definitionId": "ringi_purchase", "context": ["request": ["item": "monitors", "qty": 3]]])
    #expect(answer.status == 201)
    let instance = try answer.json()
    #expect(
      instance.object?.keys == [
        "id", "definitionId", "definitionVersion", "subject", "status", "businessKey", "startedAt", "startedBy",
        "completedAt",
      ])
    #expect(instance["subject"] == "Ringi purchase")
    #expect(instance["businessKey"] == "")
    #expect(instance["definitionVersion"] == "1")
    #expect(instance["status"] == "RUNNING")
    #expect(instance["startedBy"] == "P1000009")
    #expect(instance["completedAt"] == .null)
    sandbox.control.advanceClock(by: .milliseconds(999))
    #expect(try client.ids("/v1/task-instances") == [])
    sandbox.control.advanceClock(by: .milliseconds(1))
    let task = try #require(try client.get("/v1/task-instances").json()[0])
    #expect(task["subject"] == "Approve 3 monitors")
    #expect(task["createdAt"] == "2020-09-13T12:26:41.000Z")
    #expect(task["workflowInstanceId"] == instance["id"])
    #expect(task["definitionId"] == "usertask1@ringi_purchase")
  }

  @Test func sbpaLeavesSubjectAndBusinessKeyOpenAtFirst() throws {
    let sandbox = try startedSandbox(.sbpa) { $0.switches.latency = .nextTick }
    sandbox.control.deploy(
      SAPDefinition(id: "orders", name: "Orders", businessKey: "order ${context.number}", steps: [.message("m")]))
    let client = try SandboxClient.oauth(sandbox)
    let started = try client.write("POST", Self.resource, ["definitionId": "orders", "context": ["number": 7]]).json()
    #expect(started["subject"] == .null)
    #expect(started["businessKey"] == .null)
    #expect(started["parentInstanceId"] == .null)
    sandbox.control.tick()
    let later = try client.get("\(Self.resource)/\(started["id"]?.string ?? "")").json()
    #expect(later["subject"] == "Orders")
    #expect(later["businessKey"] == "order 7")
  }

  @Test(arguments: [
    (#"{"context":{}}"#, 404, "definition.not.found"), (#"{"definitionId":"other"}"#, 404, "definition.not.found"),
    (#"{"definitionId":"ringi_purchase","context":[]}"#, 400, "content.format.invalid"),
    (#"{"definitionId":"ringi_purchase","context":"x"}"#, 400, "content.format.invalid"),
    (#"{"definitionId":5}"#, 400, "content.format.invalid"), (#"[]"#, 400, "content.format.invalid"),
  ])
  func refusesWhatCannotBeStarted(body: String, status: Int, code: String) throws {
    let sandbox = try startedSandbox(.neo)
    let answer = try SandboxClient.neo(sandbox).write("POST", Self.resource, try JSONValue(parsing: body))
    #expect(answer.status == status)
    #expect(answer.code == "bpm.workflowruntime.rest.\(code)")
    #expect(sandbox.control.instances.isEmpty)
  }

  @Test func aLongDefinitionIDIsMalformedRatherThanUnknown() throws {
    let client = try SandboxClient.neo(try startedSandbox(.neo))
    for (length, status) in [(64, 404), (65, 400)] {
      let id = JSONValue(String(repeating: "x", count: length))
      #expect(try client.write("POST", Self.resource, ["definitionId": id]).status == status)
    }
  }

  @Test func checksDeclaredInputs() throws {
    let sandbox = try startedSandbox(.sbpa)
    sandbox.control.deploy(
      SAPDefinition(id: "d", name: "D", inputs: ["item": .string, "due": .date, "qty": .number], steps: []))
    let client = try SandboxClient.oauth(sandbox)
    func start(_ context: JSONValue) throws -> RawAnswer {
      try client.write("POST", Self.resource, ["definitionId": "d", "context": context])
    }
    let refusal = try start(["Item": "x", "due": "2026-11-30T00:00:00Z", "qty": "3"])
    #expect(refusal.status == 422)
    #expect(refusal.code == "bpm.workflowruntime.rest.instance.context.invalid")
    #expect(refusal.details.count == 3)
    #expect(try start(["item": "x", "due": "2026-02-30", "qty": 3]).status == 422)
    #expect(try start(["item": "x", "due": "2026-02-28", "qty": 3.5]).status == 201)
  }

  @Test func runsTasksAndMessagesInSequence() throws {
    let sandbox = try startedSandbox(.cf)
    sandbox.control.deploy(
      SAPDefinition(
        id: "two", name: "Two", businessKey: "k",
        steps: [
          .userTask(SAPUserTask(id: "a", subject: "First")), .message("paid"),
          .userTask(SAPUserTask(id: "b", subject: "Then ${context.sum}")),
        ]))
    let client = try SandboxClient.oauth(sandbox)
    let id = try sandbox.control.startInstance(of: "two")
    #expect(sandbox.control.tasks.map(\.subject) == ["First"])
    let message: JSONValue = ["definitionId": "paid", "workflowInstanceId": .init(id), "context": ["sum": 9]]
    let early = try client.write("POST", "/v1/messages", message)
    #expect(early.status == 422)
    #expect(early.code == "bpm.workflowruntime.rest.message.no.match")
    #expect(try client.patchTask(sandbox.control.tasks[0].id, ["status": "COMPLETED"]).status == 204)
    #expect(try client.write("POST", "/v1/messages", message).json() == [["id": .init(id)]])
    #expect(sandbox.control.tasks.map(\.subject) == ["First", "Then 9"])
  }

  @Test func messagesNameAnInstanceOrAPairAndNeverBoth() throws {
    let sandbox = try startedSandbox(.cf)
    sandbox.control.deploy(SAPDefinition(id: "w", name: "W", businessKey: "k", steps: [.message("m")]))
    let client = try SandboxClient.oauth(sandbox)
    let id = try sandbox.control.startInstance(of: "w")
    let wrong: [JSONValue] = [
      ["definitionId": "m"], ["definitionId": "m", "businessKey": "k"],
      ["definitionId": "m", "workflowInstanceId": .init(id), "workflowDefinitionId": "w", "businessKey": "k"],
      ["workflowInstanceId": .init(id)],
    ]
    for body in wrong { #expect(try client.write("POST", "/v1/messages", body).status == 400) }
    let pair: JSONValue = ["definitionId": "m", "workflowDefinitionId": "w", "businessKey": "k"]
    #expect(try client.write("PATCH", "\(Self.resource)/\(id)", ["status": "SUSPENDED"]).status == 202)
    #expect(try client.write("POST", "/v1/messages", pair).status == 422)
    #expect(try client.write("PATCH", "\(Self.resource)/\(id)", ["status": "RUNNING"]).status == 202)
    #expect(try client.write("POST", "/v1/messages", pair).status == 200)
  }

  @Test func cancelsLaterWithTheOpenTasks() throws {
    let sandbox = try startedSandbox(.neo) { $0.switches.latency = .nextTick }
    let client = try SandboxClient.neo(sandbox)
    let task = try #require(try sandbox.control.createTasks().first)
    let id = try #require(sandbox.control.task(task)?.workflowInstanceID)
    let answer = try client.write("PATCH", "\(Self.resource)/\(id)", ["status": "CANCELED"])
    #expect(answer.status == 202)
    #expect(answer.body.isEmpty)
    #expect(sandbox.control.instance(id)?.status == .running)
    let during = try client.write("PATCH", "\(Self.resource)/\(id)", ["status": "SUSPENDED"])
    #expect(during.status == 409)
    #expect(during.code == nil)
    #expect(during.hasLogID)
    sandbox.control.advanceClock(by: .seconds(3))
    sandbox.control.tick()
    #expect(sandbox.control.instance(id)?.status == .canceled)
    let canceled = try client.get("/v1/task-instances/\(task)").json()
    #expect(canceled["status"] == "CANCELED")
    #expect(canceled["completedAt"] == "2020-09-13T12:26:43.000Z")
    let final = try client.write("PATCH", "\(Self.resource)/\(id)", ["status": "RUNNING"])
    #expect(final.status == 422)
    #expect(final.code == "bpm.workflowruntime.rest.instance.status.invalid")
  }

  @Test(arguments: ["COMPLETED", "ERRONEOUS", "canceled", "x"])
  func refusesOtherTargets(status: String) throws {
    let sandbox = try startedSandbox(.neo)
    let id = try sandbox.control.startInstance(of: "ringi_purchase")
    let answer = try SandboxClient.neo(sandbox).write("PATCH", "\(Self.resource)/\(id)", ["status": .init(status)])
    #expect(answer.status == 422)
    #expect(answer.code == "bpm.workflowruntime.rest.instance.status.invalid")
  }

  @Test func subflowsFollowWithCascadeAlone() throws {
    let sandbox = try startedSandbox(.neo)
    let client = try SandboxClient.neo(sandbox)
    for (cascade, expected) in [(false, SAPInstance.Status.running), (true, .canceled)] {
      let parent = try sandbox.control.startInstance(of: "ringi_purchase")
      let child = try sandbox.control.startInstance(of: "ringi_purchase", parent: parent)
      let body: JSONValue = ["status": "CANCELED", "cascade": .init(cascade)]
      #expect(try client.write("PATCH", "\(Self.resource)/\(parent)", body).status == 202)
      #expect(sandbox.control.instance(parent)?.status == .canceled)
      #expect(sandbox.control.instance(child)?.status == expected)
    }
  }

  @Test func aSuspendedInstanceGoesOnWhenItIsResumed() throws {
    let sandbox = try startedSandbox(.neo) { $0.switches.latency = .nextTick }
    let client = try SandboxClient.neo(sandbox)
    let task = try #require(try sandbox.control.createTasks().first)
    let id = try #require(sandbox.control.task(task)?.workflowInstanceID)
    #expect(try client.write("PATCH", "\(Self.resource)/\(id)", ["status": "SUSPENDED"]).status == 202)
    try sandbox.control.completeElsewhere(task, by: "P1000001")
    sandbox.control.tick()
    #expect(sandbox.control.instance(id)?.status == .suspended)
    #expect(try client.write("PATCH", "\(Self.resource)/\(id)", ["status": "RUNNING"]).status == 202)
    sandbox.control.tick()
    #expect(sandbox.control.instance(id)?.status == .completed)
  }

  @Test func aFailedInstanceIsListedExplainedAndTriedAgain() throws {
    let sandbox = try startedSandbox(.neo) { $0.switches.latency = .nextTick }
    let client = try SandboxClient.neo(sandbox)
    let id = try sandbox.control.startInstance(of: "ringi_purchase")
    try sandbox.control.failInstance(id, message: "no such account")
    sandbox.control.tick()
    #expect(sandbox.control.tasks.isEmpty)
    #expect(try client.ids("\(Self.resource)") == [id])
    let messages = try client.get("\(Self.resource)/\(id)/error-messages").json()
    #expect(messages[0]?["message"] == "no such account")
    #expect(try client.write("PATCH", "\(Self.resource)/\(id)", ["status": "RUNNING"]).status == 202)
    sandbox.control.tick()
    #expect(sandbox.control.instance(id)?.status == .running)
    #expect(sandbox.control.tasks.count == 1)
  }

  @Test func patchesPartsOfAContextAndPutsAWhole() throws {
    let sandbox = try startedSandbox(.neo)
    let client = try SandboxClient.neo(sandbox)
    let id = try sandbox.control.startInstance(of: "ringi_purchase", context: ["a": 1, "b": 2])
    let path = "\(Self.resource)/\(id)/context"
    #expect(try client.write("PATCH", path, ["b": 3]).status == 204)
    #expect(try client.get(path).json() == ["a": 1, "b": 3])
    #expect(try client.write("PUT", path, ["c": 4]).status == 204)
    #expect(try client.get(path).json() == ["c": 4])
    #expect(try client.write("PUT", path, []).status == 400)
    #expect(try client.get("\(Self.resource)/none/context").code == "bpm.workflowruntime.rest.instance.not.found")
  }

  @Test func sbpaShowsATaskItsMappedInputAlone() throws {
    for environment in [SAPEnvironment.cf, .sbpa] {
      let sandbox = try startedSandbox(environment)
      let step = SAPUserTask(id: "t", subject: "s", inputs: ["a", "missing"])
      sandbox.control.deploy(SAPDefinition(id: "m", name: "M", steps: [.userTask(step)]))
      try sandbox.control.startInstance(of: "m", context: ["a": 1, "b": 2])
      let id = try #require(sandbox.control.tasks.first?.id)
      let context = try SandboxClient.oauth(sandbox).get("/v1/task-instances/\(id)/context").json()
      #expect(context == (environment == .sbpa ? ["a": 1] : ["a": 1, "b": 2]))
    }
  }

  @Test func finishedJobsAreGone() throws {
    let sandbox = try startedSandbox(.cf) { $0.switches.latency = .nextTick }
    let client = try SandboxClient.oauth(sandbox)
    let answer = try client.send("DELETE", "/workflow-service/rest/v1/workflow-definitions/ringi_purchase")
    #expect(answer.status == 202)
    #expect(answer.body.isEmpty)
    let location = try #require(answer["Location"])
    #expect(location.hasPrefix("/workflow-service/rest/v1/jobs/"))
    #expect(try client.send("GET", location).json() == ["status": "RUNNING"])
    sandbox.control.tick()
    let finished = try client.send("GET", location)
    #expect(finished.status == 404)
    #expect(finished.code == "bpm.workflowruntime.rest.job.not.found")
    #expect(try client.ids("/v1/workflow-definitions") == [])
  }

  @Test func undeployingWaitsForRunningInstancesUnlessItCascades() throws {
    let sandbox = try startedSandbox(.cf)
    let client = try SandboxClient.oauth(sandbox)
    try sandbox.control.startInstance(of: "ringi_purchase")
    let target = "/workflow-service/rest/v1/workflow-definitions/ringi_purchase"
    let refusal = try client.send("DELETE", target)
    #expect(refusal.status == 412)
    #expect(refusal.code == "bpm.workflowruntime.rest.instances.running")
    #expect(try client.send("DELETE", target + "?cascade=true").status == 202)
    #expect(sandbox.control.instances.isEmpty)
    #expect(sandbox.control.tasks.isEmpty)
  }

  @Test func deletesManyInstancesAtOnceOrInAJob() throws {
    let sandbox = try startedSandbox(.cf)
    let client = try SandboxClient.oauth(sandbox)
    try sandbox.control.createTasks(count: 150)
    func entries(_ ids: some Sequence<String>) -> JSONValue {
      JSONValue(array: ids.map { ["id": .init($0), "deleted": true] as JSONValue })
    }
    let ids = sandbox.control.instances.map(\.id)
    #expect(try client.write("PATCH", Self.resource, [["deleted": true]]).status == 422)
    #expect(try client.write("PATCH", Self.resource, ["id": "x"]).status == 400)
    #expect(try client.write("PATCH", Self.resource, entries(ids.prefix(3))).status == 200)
    let answer = try client.write("PATCH", Self.resource, entries(ids.dropFirst(3)))
    #expect(answer.status == 202)
    #expect(answer["Location"]?.contains("/v1/jobs/") == true)
    #expect(sandbox.control.instances.isEmpty)
  }

  @Test func listsTaskDefinitionsNewestFirst() throws {
    let sandbox = try startedSandbox(.cf)
    sandbox.control.advanceClock(by: .seconds(1))
    sandbox.control.deploy(
      SAPDefinition(id: "new", name: "New", steps: [.userTask(SAPUserTask(id: "t", subject: "s"))]))
    let client = try SandboxClient.oauth(sandbox)
    #expect(try client.ids("/v1/task-definitions") == ["t@new", "usertask1@ringi_purchase"])
    #expect(try client.ids("/v1/workflow-definitions") == ["ringi_purchase", "new"])
  }
}
