import EventLoop
import HTTPServer
import JSON
import RingiCore
import RingiTestSupport
import Sandbox
import Testing

/// What a backend in trouble looks like to clients, whatever the trouble is.
@Suite(.timeLimit(.minutes(5))) struct BackendTroubleTests {
  private static let listing = "GET /v1/task-instances"

  enum Trouble: CaseIterable, Sendable {
    case refused, resetInTheBody, unknownCertificate, hang, page, cutBody, cutJSON, serverError, tooMany, unauthorized

    /// The fault of the list; the others are done to the server.
    var fault: Fault.Kind? {
      switch self {
      case .refused, .unknownCertificate: nil
      case .resetInTheBody: .truncatedBody(after: 40, reset: true)
      case .hang: .hang(applied: false)
      case .page: .loginPage
      case .cutBody: .truncatedBody()
      case .cutJSON: .malformedJSON
      case .serverError: .status(503)
      case .tooMany: .status(429)
      case .unauthorized: .status(401)
      }
    }

    var code: JSONValue {
      switch self {
      case .page, .unauthorized: -32003
      case .cutJSON: -32002
      default: -32006
      }
    }

    var kind: JSONValue {
      switch self {
      case .page, .unauthorized: "login-required"
      case .cutJSON: "backend-error"
      default: "unavailable"
      }
    }

    /// A part of the message.
    var says: String {
      switch self {
      case .refused: "Connection refused"
      case .resetInTheBody: "the connection was lost"
      case .unknownCertificate: "check the certificate"
      case .hang: "within the time allowed"
      case .page: "a page instead of data"
      case .cutBody: "ended too early"
      case .cutJSON: "the service's answer makes no sense"
      case .serverError: "status 503"
      case .tooMany: "status 429"
      case .unauthorized: "refuses the credentials"
      }
    }

    /// How often the list is asked for in a poll.
    var attempts: Int? {
      switch self {
      case .refused, .unknownCertificate: nil
      case .page, .cutJSON: 1
      case .unauthorized: 2
      case .resetInTheBody, .hang, .cutBody, .serverError, .tooMany: 3
      }
    }
  }

  private static let certificate = LoopbackServer.TLS(
    certificate: TestCertificate.certificate, key: TestCertificate.key)
  private static let otherCertificate = LoopbackServer.TLS(
    certificate: TestCertificate.otherCertificate, key: TestCertificate.otherKey)

  private func begin(_ trouble: Trouble, _ rig: AgentRig) throws {
    switch trouble {
    case .refused: rig.sandbox.stop()
    case .unknownCertificate: try rig.sandbox.start(port: rig.sandbox.port, tls: Self.otherCertificate)
    default: try rig.inject(#require(trouble.fault), on: Self.listing, count: nil)
    }
  }

  private func end(_ rig: AgentRig, port: UInt16) throws {
    rig.control.clearFaults()
    try rig.sandbox.start(port: port, tls: Self.certificate)
  }

  @Test(arguments: Trouble.allCases) func aTroubleIsShownEverywhereAndItsBeginningAndEndAreSaidOnce(
    _ trouble: Trouble
  ) async throws {
    let authority = try TemporaryFolder()
    try authority.write("authority.pem", TestCertificate.certificate)
    let rig = try await AgentRig(
      settings: [
        // A busy machine must not take an answer for a hang.
        "timeouts": ["total": trouble == .hang ? "400ms" : "60s"],
        "tls": ["authorityFile": JSONValue("\(authority.path)/authority.pem")],
      ], isOnTestClock: true, tls: Self.certificate)
    let (known, port) = (try await rig.passingPauses { try rig.readyTask() }, rig.sandbox.port)
    rig.control.clearRequests()

    try begin(trouble, rig)
    let error = try await rig.passingPauses { try rig.error("tasks.refresh") }
    let message = try #require(error["message"]?.string)
    #expect(error["code"] == trouble.code)
    #expect(error["data"]?["kind"] == trouble.kind)
    #expect(error["data"]?["retryable"]?.bool == (trouble.kind == "unavailable"))
    #expect(error["data"]?["retryAfter"] == nil)
    #expect(message.hasPrefix("sap: ") && message.contains(trouble.says), "\(message)")
    if let attempts = trouble.attempts {
      #expect(rig.control.requests.filter { $0.request.path.hasSuffix("/task-instances") }.count == attempts)
    }
    _ = try await rig.passingPauses { try rig.error("tasks.refresh") }

    let list = try rig.call("tasks.list")
    #expect(list["stale"] == ["sap"])
    #expect(list["tasks"]?.array?.map { $0["id"] } == [known.id])
    let job = try rig.pollJob()
    #expect(job["failures"] == 2 && job["lastError"]?.string == message && job["next"]?.string != nil)
    let plugin = try #require(rig.call("plugins.list")["plugins"]?.array?.first)
    #expect(plugin["state"] == "running" && plugin["lastError"]?.string == message)
    let status = try rig.call("agent.status")
    #expect(status["problems"]?.array?.map(\.string) == ["The polls of sap fail: \(message)"])
    #expect(status["plugins"] == [plugin])
    #expect(status["jobs"] == [job])

    try end(rig, port: port)
    let new = try #require(rig.control.createTasks().first)
    for _ in 0..<2 { try await rig.passingPauses { try rig.refresh() } }
    let healthy = try rig.call("tasks.list")
    #expect(healthy["stale"] == [])
    #expect(healthy["tasks"]?.array?.map { $0["id"] } == [known.id, JSONValue("sap/\(new)")])
    #expect(try rig.pollJob()["failures"] == 0)
    #expect(try rig.pollJob()["lastError"] == .null)
    #expect(try rig.call("agent.status")["problems"] == [])
    #expect(try rig.call("plugins.get", ["plugin": "sap"])["lastError"] == .null)

    let events = try rig.events()
    let login: [JSONValue] = trouble.kind == "login-required" ? ["login-required"] : []
    #expect(
      events.compactMap { $0["type"] } == ["task-ready", "poll-failed"] + login + ["task-ready", "poll-recovered"])
    #expect(events.filter { $0["type"] == "task-ready" }.map { $0["subject"] } == [known.id, JSONValue("sap/\(new)")])
    #expect(events.dropFirst().first?["data"] == ["provider": "sap", "error": error])
    try await rig.stop()
  }

  @Test func aTroubleThatOutlivesAReloadIsStillSaidToEnd() async throws {
    let rig = try await AgentRig(isOnTestClock: true)
    try rig.refresh()
    try rig.inject(.status(500), on: Self.listing, count: nil)
    _ = try await rig.passingPauses { try rig.error("tasks.refresh") }
    let file = try #require(rig.folder.read("config/plugins.d/sap.json"))
    try rig.folder.write("config/plugins.d/sap.json", file.replacing("1d", with: "2d"))
    #expect(try rig.call("agent.reload")["changed"] == ["plugins.d/sap"])
    _ = try await rig.passingPauses { try rig.error("tasks.refresh") }
    rig.control.clearFaults()
    try await rig.passingPauses { try rig.refresh() }
    #expect(try rig.events("poll-*").map { $0["type"] } == ["poll-failed", "poll-recovered"])
    try await rig.stop()
  }

  @Test(arguments: [SAPEnvironment.neo, .cf]) func aLoginThatEndsInTheMiddleOfAListIsRenewedUnnoticed(
    _ environment: SAPEnvironment
  ) async throws {
    let rig = try await AgentRig(environment) { try $0.createTasks(count: 1100) }
    try rig.refresh()
    let late = try rig.control.createTasks(count: 100)
    rig.control.expireSessions()
    try rig.inject(.status(401), on: Self.listing, skip: 1)
    #expect(try rig.call("tasks.refresh")["ready"] == 100)
    let events = try rig.events()
    #expect(events.count == 1200 && events.allSatisfy { $0["type"] == "task-ready" })
    #expect(events.suffix(100).map { $0["subject"] } == late.map { JSONValue("sap/\($0)") })
    try await rig.stop()
  }

  @Test(arguments: [SAPEnvironment.cf, .sbpa]) func aTokenThatExpiresBetweenListAndCompletionIsRenewed(
    _ environment: SAPEnvironment
  ) async throws {
    let rig = try await AgentRig(environment)
    let task = try rig.readyTask()
    rig.control.revokeTokens()
    #expect(try rig.call("tasks.approve", ["task": task.id])["task"]?["outcome"] == "approved")
    #expect(rig.control.completions(of: task.key) == 1)
    #expect(try rig.events("approval-done").count == 1)
    try await rig.stop()
  }

  @Test func aPasswordChangedWhileTheAgentRunsIsRead() async throws {
    let secret = try TemporaryFolder()
    try secret.write("password", "administer-9", mode: 0o600)
    let rig = try await AgentRig(settings: ["password": ["file": JSONValue("\(secret.path)/password")]])
    let task = try rig.readyTask()
    rig.control.setUser(SAPUser(name: "P1000009", password: "administer-10", role: .admin))
    try secret.write("password", "administer-10", mode: 0o600)
    #expect(try rig.call("tasks.approve", ["task": task.id])["task"]?["outcome"] == "approved")
    #expect(try rig.events("login-required").isEmpty)
    try await rig.stop()
  }

  /// Pages go on from the time of the last row, and only within one millisecond by count.
  @Test(arguments: zip([Duration.milliseconds(1), .zero], [1, 2]))
  func rowsThatMoveBetweenPagesAreNeitherLostNorDoubled(_ spacing: Duration, _ pages: Int) async throws {
    let rig = try await AgentRig(isOnTestClock: true)
    try rig.refresh()
    var draft = SAPTaskDraft()
    draft.spacing = spacing
    let made = try rig.control.createTasks(draft, count: 1200)
    // A page has to wait, and meanwhile rows of the one before it leave.
    try rig.inject(.status(503, retryAfter: .text("1")), on: Self.listing, skip: pages)
    let client = try rig.client()
    let id = try client.ask("tasks.refresh")
    while !rig.control.requests.contains(where: { $0.status == 503 }) { await Task.yield() }
    for key in made.prefix(30) { try rig.control.completeElsewhere(key, by: "P1000002") }
    let new = try #require(rig.control.createTasks().first)
    #expect(try await rig.passingPauses { try client.response(to: id) }["result"]?["ready"] == 1201)
    #expect(try rig.call("tasks.list")["stale"] == [])

    try rig.refresh()
    try rig.refresh()
    let ready = try rig.events("task-ready").compactMap { $0["subject"]?.string }
    #expect(Set(ready) == Set((made + [new]).map { "sap/\($0)" }))
    #expect(ready.count == 1201)
    #expect(
      try rig.events("approval-done").compactMap { $0["subject"]?.string }.sorted()
        == made.prefix(30).map { "sap/\($0)" }.sorted())
    #expect(try rig.eventCount() == 1231)
    try await rig.stop()
  }

  @Test func aBulkEditOfABaselineAnnouncesNothingAndOthersAreServedMeanwhile() async throws {
    let rig = try await AgentRig(isBaseline: true, isOnTestClock: true) { try $0.createTasks(count: 600) }
    try rig.refresh()
    for task in rig.control.tasks { try rig.control.changeTask(task.id, SAPTaskEdit()) }
    try rig.refresh()
    #expect(try rig.eventCount() == 0)
    var edit = SAPTaskEdit()
    edit.priority = .veryHigh
    for task in rig.control.tasks { try rig.control.changeTask(task.id, edit) }
    try rig.inject(.status(503, retryAfter: .text("1")), on: Self.listing)
    let (poller, other) = (try rig.client(), try rig.client())
    let id = try poller.ask("tasks.refresh")
    while rig.control.faults.count > 0 { await Task.yield() }
    #expect(try other.call("agent.ping") == "pong")
    #expect(try rig.eventCount() == 0)
    let answer = try await rig.passingPauses { try poller.response(to: id) }
    #expect(answer["result"] == ["polled": ["sap"], "ready": 0, "changed": 600])
    #expect(try rig.events("task-changed").count == 600)
    #expect(try rig.eventCount() == 600)
    try await rig.stop()
  }

  @Test func aTaskThatIsClaimedWhenFirstSeenIsReadyOnceItIsReleased() async throws {
    let rig = try await AgentRig()
    try rig.refresh()
    let key = try #require(rig.control.createTasks().first)
    var edit = SAPTaskEdit()
    edit.processor = "P1000002"
    try rig.control.changeTask(key, edit)
    try rig.refresh()
    #expect(try rig.eventCount() == 0)
    edit.processor = ""
    try rig.control.changeTask(key, edit)
    try rig.refresh()
    try rig.refresh()
    #expect(try rig.events().map { $0["type"] } == ["task-ready"])
    try await rig.stop()
  }
}
