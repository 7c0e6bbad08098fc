import JSON
import RingiTestSupport
import Sandbox
import Testing

@Suite struct SAPFaultTests {
  private let sandbox: SAPWorkflowSandbox
  private let client: SandboxClient
  private let task: String

  init() throws {
    sandbox = try startedSandbox(.neo)
    client = try .neo(sandbox)
    task = try #require(try sandbox.control.createTasks().first)
  }

  private func inject(
    _ kind: Fault.Kind, on route: String = "PATCH /v1/task-instances/*", skip: Int = 0, count: Int? = 1
  ) throws {
    sandbox.control.inject(try #require(Fault(kind, on: route, skip: skip, count: count)))
  }

  private func complete() throws -> RawAnswer { try client.patchTask(task, ["status": "COMPLETED"]) }

  @Test(arguments: [408, 409, 429, 500, 502, 503, 504])
  func answersWithAStatusInsteadOfActing(status: Int) throws {
    try inject(.status(status))
    #expect(try complete().status == status)
    #expect(sandbox.control.task(task)?.status == .ready)
    #expect(try complete().status == 204)
  }

  @Test func answersWithAStatusAfterActing() throws {
    try inject(.status(504, applied: true))
    let answer = try complete()
    #expect(answer.status == 504)
    #expect(answer["Content-Type"]?.hasPrefix("text/html") == true)
    #expect(sandbox.control.completions(of: task) == 1)
  }

  @Test func retryAfterComesInEveryForm() throws {
    try inject(.status(429, retryAfter: .text("120")))
    try inject(.status(429, retryAfter: .text("soon, maybe")))
    try inject(.status(503, retryAfter: .date(.seconds(90))))
    try inject(.status(429))
    #expect(try complete()["Retry-After"] == "120")
    #expect(try complete()["Retry-After"] == "soon, maybe")
    #expect(try complete()["Retry-After"] == "Sun, 13 Sep 2020 12:28:10 GMT")
    #expect(try complete()["Retry-After"] == nil)
  }

  @Test func aLoginPageComesWithSuccess() throws {
    try inject(.loginPage, on: "GET /v1/**")
    let answer = try client.get("/v1/xsrf-token", headers: [("X-CSRF-Token", "Fetch")])
    #expect(answer.status == 200)
    #expect(answer["X-CSRF-Token"] == nil)
    #expect(answer.text.contains("Unauthorized"))
  }

  @Test func aBodyIsCutOrNotJSON() throws {
    try inject(.truncatedBody(after: 10), on: "GET /v1/task-instances")
    try inject(.malformedJSON, on: "GET /v1/task-instances")
    #expect(throws: RawConnection.Failure.endedEarly(received: 10)) { try client.get("/v1/task-instances") }
    let answer = try client.get("/v1/task-instances")
    #expect(answer.status == 200)
    #expect(answer["Content-Type"] == "application/json")
    #expect(throws: JSONSyntaxError.self) { try answer.json() }
    #expect(try client.get("/v1/task-instances").json().array?.count == 1)
  }

  @Test func aConnectionCanBeResetInTheMiddleOfTheBody() throws {
    try inject(.truncatedBody(after: 10, reset: true), on: "GET /v1/task-instances")
    #expect(throws: RawConnection.Failure.reset) { try client.get("/v1/task-instances") }
    #expect(try client.get("/v1/task-instances").json().array?.count == 1)
  }

  @Test func aResetAfterTheChangeShowsABlindRetry() throws {
    try inject(.reset(applied: true))
    #expect(throws: RawConnection.Failure.reset) { try complete() }
    #expect(sandbox.control.completions(of: task) == 1)
    #expect(try complete().code == "bpm.workflowruntime.rest.task.final.status")
  }

  @Test func aResetBeforeTheChangeChangesNothing() throws {
    try inject(.reset(applied: false))
    #expect(throws: RawConnection.Failure.reset) { try complete() }
    #expect(sandbox.control.task(task)?.status == .ready)
  }

  @Test func aChangeCanComeLongAfterTheConnectionWasCut() throws {
    try inject(.appliedLater(.after(.seconds(3))))
    #expect(throws: RawConnection.Failure.reset) { try complete() }
    sandbox.control.advanceClock(by: .milliseconds(2999))
    #expect(sandbox.control.completions(of: task) == 0)
    sandbox.control.advanceClock(by: .milliseconds(1))
    #expect(sandbox.control.completions(of: task) == 1)
    #expect(sandbox.control.requests.count == 2)
  }

  @Test func aHangHoldsUpNobody() throws {
    try inject(.hang(applied: false))
    let hanging = try RawConnection(port: sandbox.port)
    hanging.send(client.text("PATCH", "/workflow-service/rest/v1/task-instances/\(task)"))
    while sandbox.control.faults.count > 0 { _ = try client.get("/v1/task-instances") }
    #expect(try complete().status == 204)
    sandbox.stop()
    #expect(hanging.isClosedUnanswered())
  }

  @Test func aLateOrSlowAnswerIsWhole() throws {
    try inject(.delay(.milliseconds(30)), on: "* /v1/task-instances")
    try inject(.slowBody(bytesPerSecond: 4000), on: "* /v1/task-instances")
    for least in [Duration.milliseconds(30), .milliseconds(100)] {
      let start = ContinuousClock.now
      #expect(try client.get("/v1/task-instances").json().array?.count == 1)
      #expect(ContinuousClock.now - start >= least)
    }
  }

  @Test func faultsCountSkipAndKeepToTheirRoute() throws {
    try inject(.status(500), on: "GET /v1/task-instances", skip: 1, count: 2)
    #expect(try client.get("/v1/task-instances/\(task)").status == 200)
    #expect(try (0..<4).map { _ in try client.get("/v1/task-instances").status } == [200, 500, 500, 200])
    try inject(.status(503), on: "* /workflow-service/rest/v1/**", count: nil)
    #expect(try (0..<3).map { _ in try client.get("/v1/task-instances").status } == [503, 503, 503])
    sandbox.control.clearFaults()
    #expect(try client.get("/v1/task-instances").status == 200)
  }

  @Test func theTokenEndpointFailsOnRequest() throws {
    let sandbox = try startedSandbox(.cf)
    sandbox.control.inject(try #require(Fault(.status(503, retryAfter: .text("1")), on: "POST /oauth/token")))
    #expect(try SandboxClient.tokenAnswer(sandbox, form: "grant_type=client_credentials").status == 503)
    #expect(try SandboxClient.tokenAnswer(sandbox, form: "grant_type=client_credentials").status == 200)
  }
}
