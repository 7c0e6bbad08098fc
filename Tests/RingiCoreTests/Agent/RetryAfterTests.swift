import EventLoop
import HTTPServer
import JSON
import RingiCore
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// How the whole agent leaves a backend alone that asked for it.
@Suite(.timeLimit(.minutes(5))) struct RetryAfterTests {
  private static let listing = "GET /v1/task-instances"
  /// As the test's clock, a year before it and a year after it.
  private static let backendClocks = ["2026-11-30T00:00:00Z", "2025-11-30T00:00:00Z", "2027-11-30T00:00:00Z"]

  enum Form: CaseIterable, Sendable {
    case seconds, date

    var hour: Fault.RetryAfter { self == .seconds ? .text("3600") : .date(.seconds(3600)) }
  }

  @Test(arguments: Form.allCases, backendClocks) func anHourOfPeaceIsAnHourWhateverTheBackendsClockShows(
    _ form: Form, _ backendClock: String
  ) async throws {
    let rig = try await AgentRig(poll: "10m", isOnTestClock: true, backendClock: Timestamp(rfc3339: backendClock))
    let (clock, task) = (try #require(rig.clock), try rig.readyTask())
    let watcher = try rig.client()
    try watcher.call("events.subscribe", ["types": ["poll-*"]])
    rig.control.clearRequests()
    try rig.inject(.status(429, retryAfter: form.hour), on: Self.listing)
    let first = try rig.error("tasks.refresh")
    #expect(first["code"] == -32006)
    #expect(first["data"]?["kind"] == "unavailable" && first["data"]?["retryable"] == true)
    #expect(first["data"]?["status"] == 429)
    #expect(first["data"]?["retryAfter"] == 3600)
    #expect(rig.control.requests.count == 1)
    #expect(try watcher.notification("poll-failed")["event"]?["data"]?["error"] == first)

    let new = try #require(rig.control.createTasks().first)
    try await onLoop { clock.advance(by: .seconds(3580)) }
    for (method, params): (String, JSONValue) in [
      ("tasks.refresh", [:]), ("jobs.run", ["job": "poll:sap"]), ("sap.task.list", [:]),
      ("sap.workflow.start", ["definitionId": "ringi_purchase"]), ("tasks.approve", ["task": task.id]),
    ] {
      let error = try rig.error(method, params)
      #expect(error["data"]?["kind"] == "unavailable", "\(method): \(error)")
      #expect(error["data"]?["retryAfter"] == 20, "\(method): \(error)")
    }
    #expect(rig.control.requests.count == 1)
    #expect(rig.control.completions(of: task.key) == 0)
    #expect(try rig.call("tasks.list")["stale"] == ["sap"])
    let now = try await onLoop { clock.now }
    let next = try #require(rig.pollJob()["next"]?.string.flatMap { Timestamp(rfc3339: $0) })
    #expect((Duration.seconds(19)...Duration.seconds(20)).contains(next.duration(since: now)))

    try await onLoop { clock.advance(by: .seconds(20)) }
    _ = try watcher.notification("poll-recovered")
    #expect(try rig.call("tasks.list")["stale"] == [])
    #expect(
      try rig.events().map { [$0["type"], $0["subject"]] } == [
        ["task-ready", task.id], ["poll-failed", nil], ["task-ready", JSONValue("sap/\(new)")],
        ["poll-recovered", nil],
      ])
    try await rig.stop()
  }

  @Test(arguments: ["soon", "-5", "0", "1.5", "Sun, 13 Sep 2020 12:28:10 GMT"])
  func whatIsNoWishForPeaceHoldsNothingBack(
    _ wish: String
  ) async throws {
    let rig = try await AgentRig(isOnTestClock: true)
    try rig.refresh()
    rig.control.clearRequests()
    try rig.inject(.status(429, retryAfter: .text(wish)), on: Self.listing, count: nil)
    let error = try await rig.passingPauses { try rig.error("tasks.refresh") }
    #expect(error["data"]?["kind"] == "unavailable" && error["data"]?["retryable"] == true)
    #expect((error["data"]?["retryAfter"]?.double ?? 0) == 0)
    #expect(rig.control.requests.count == 3)
    rig.control.clearFaults()
    try rig.refresh()
    #expect(try rig.events().map { $0["type"] } == ["poll-failed", "poll-recovered"])
    try await rig.stop()
  }

  @Test func moreThanADayIsADay() async throws {
    let rig = try await AgentRig(isOnTestClock: true)
    try rig.refresh()
    try rig.inject(.status(503, retryAfter: .text("600000")), on: Self.listing)
    #expect(try rig.error("tasks.refresh")["data"]?["retryAfter"] == 86_400)
    try await rig.stop()
  }

  @Test func aFewSecondsAreWaitedOutByPollsAndDecisionsAlike() async throws {
    let rig = try await AgentRig(isOnTestClock: true)
    let task = try rig.readyTask()
    try rig.inject(.status(429, retryAfter: .text("5")), on: Self.listing)
    let (poller, decider) = (try rig.client(), try rig.client())
    let poll = try poller.ask("tasks.refresh")
    while !rig.control.requests.contains(where: { $0.status == 429 }) { await Task.yield() }
    let decision = try decider.ask("tasks.approve", ["task": task.id])
    let answers = try await rig.passingPauses { [try poller.response(to: poll), try decider.response(to: decision)] }
    #expect(answers.allSatisfy { $0["error"] == nil }, "\(answers)")
    #expect(rig.control.completions(of: task.key) == 1)
    #expect(try rig.events().map { $0["type"] } == ["task-ready", "approval-done"])
    try await rig.stop()
  }

  @Test func aLoginServerThatWantsPeaceGetsIt() async throws {
    let rig = try await AgentRig(.cf, isOnTestClock: true)
    let clock = try #require(rig.clock)
    try rig.refresh()
    rig.control.revokeTokens()
    rig.control.clearRequests()
    try rig.inject(.status(429, retryAfter: .text("3600")), on: "POST /oauth/token")
    let error = try await rig.passingPauses { try rig.error("tasks.refresh") }
    #expect(error["code"] == -32006 && error["data"]?["retryAfter"] == 3600)
    #expect(rig.control.requests.map(\.status) == [401, 429])
    try await onLoop { clock.advance(by: .seconds(3580)) }
    #expect(try rig.error("sap.task.list")["data"]?["retryAfter"] == 20)
    #expect(rig.control.requests.count == 2)
    try await onLoop { clock.advance(by: .seconds(20)) }
    try rig.refresh()
    #expect(try rig.events().map { $0["type"] } == ["poll-failed", "poll-recovered"])
    try await rig.stop()
  }

  @Test func aDecisionAnsweredByAWishForPeaceIsSettledAfterIt() async throws {
    let rig = try await AgentRig(poll: "10m", isOnTestClock: true)
    let (clock, task) = (try #require(rig.clock), try rig.readyTask())
    let watcher = try rig.client()
    try watcher.call("events.subscribe", ["types": ["approval-done"]])
    rig.control.clearRequests()
    try rig.inject(.status(429, retryAfter: .text("3600"), applied: true), on: "PATCH /v1/task-instances/*")
    let error = try await rig.passingPauses { try rig.error("tasks.approve", ["task": task.id]) }
    #expect(error["code"] == -32008 && error["data"]?["kind"] == "outcome-unknown")
    #expect(error["data"]?["retryable"] == false)
    #expect(error["data"]?["cause"]?["data"]?["retryAfter"] == 3600)
    #expect(try rig.error("tasks.approve", ["task": task.id])["code"] == -32008)
    #expect(rig.control.requests.map(\.request.method) == ["GET", "PATCH"])
    _ = try rig.error("tasks.refresh")
    try await onLoop { clock.advance(by: .seconds(3600)) }
    let event = try watcher.notification("approval-done")["event"]
    #expect(event?["subject"] == task.id && event?["data"]?["via"] == "agent")
    #expect(event?["data"]?["outcome"] == "approved")
    #expect(try rig.call("tasks.approve", ["task": task.id])["already"] == true)
    #expect(rig.control.completions(of: task.key) == 1)
    #expect(try rig.events("approval-done").count == 1)
    try await rig.stop()
  }

  @Test func aClockSetBackMakesTheRestNoLonger() async throws {
    let rig = try await AgentRig(poll: "10m", isOnTestClock: true)
    let clock = try #require(rig.clock)
    try rig.refresh()
    let watcher = try rig.client()
    try watcher.call("events.subscribe", ["types": ["poll-recovered"]])
    try rig.inject(.status(429, retryAfter: .text("3600")), on: Self.listing)
    _ = try rig.error("tasks.refresh")
    rig.control.clearRequests()
    try await onLoop {
      clock.set(to: clock.now - .seconds(86_400))
      clock.advance(by: .seconds(3500))
    }
    let left = try #require(rig.error("tasks.refresh")["data"]?["retryAfter"]?.double)
    #expect((100...160).contains(left))
    #expect(rig.control.requests.isEmpty)
    try await onLoop { clock.advance(by: .seconds(160)) }
    _ = try watcher.notification("poll-recovered")
    try await rig.stop()
  }

  @Test(arguments: backendClocks) func aTokenIsRenewedInTimeWhateverTheBackendsClockShows(
    _ backendClock: String
  ) async throws {
    let rig = try await AgentRig(.cf, isOnTestClock: true, backendClock: Timestamp(rfc3339: backendClock))
    let clock = try #require(rig.clock)
    try rig.refresh()
    for hours in [11, 1] {
      rig.control.advanceClock(by: .seconds(hours * 3600))
      try await onLoop { clock.advance(by: .seconds(hours * 3600)) }
      try rig.refresh()
    }
    #expect(rig.control.requests.allSatisfy { $0.status == 200 })
    #expect(rig.control.requests.filter { $0.request.path == "/oauth/token" }.count == 2)
    try await rig.stop()
  }
}
