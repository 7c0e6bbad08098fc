import EventLoop
import HTTP
import HTTPServer
import JSON
import JSONRPC
import RingiKit
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// Pages, polls, and limits of the rate.
@Suite struct ServiceNowListTests {
  private static let approvals = "GET /api/now/table/sysapproval_approver"

  // MARK: Polls

  @Test func aPollFindsWhatWaitsForTheUserAndNothingElse() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let mine = try rig.makeApprovals(3)
      _ = try rig.makeApprovals(2) { $0.approvers = ["taro"] }
      _ = try rig.makeApprovals(1) { $0.state = "not requested" }
      let poll = try await rig.poll()
      #expect(poll.isComplete && poll.items.map(\.id.key) == mine)
    }
  }

  @Test func aTaskTellsWhatTheApprovalIsAbout() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let id = try rig.makeApproval {
        $0.title = "Replace the disks"
        $0.description = "All of rack 4"
        $0.requester = "taro"
        $0.dueDate = Timestamp(milliseconds: 1_796_000_000_000)
      }
      let task = try required(try await rig.poll().items.first).task()
      #expect(task.id.description == "now/\(id)")
      #expect(task.title == "CHG0030001 Replace the disks")
      #expect(task.requester == "Taro Suzuki" && task.assignees == ["hanako"])
      #expect(task.status == .ready && task.actions == [.approve, .reject])
      #expect(task.createdAt == Timestamp(milliseconds: 1_795_996_800_000))
      #expect(task.dueAt == Timestamp(milliseconds: 1_796_000_000_000))
    }
  }

  @Test func anotherDescriptionIsAnotherRevisionAndANewStampIsNot() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let id = try rig.makeApproval()
      let task = try required(rig.sandbox.with { $0.fields("sysapproval_approver", id)?["sysapproval"] })
      let first = try required(try await rig.poll().items.first).task()
      try rig.sandbox.with { state throws(ControlError) in
        try state.changeRecord("sysapproval_approver", id, ["due_date": ""])
        try state.changeRecord("task", task, ["work_notes": "a note"])
      }
      #expect(try required(try await rig.poll().items.first).task().revision == first.revision)
      try rig.sandbox.with { state throws(ControlError) in
        try state.changeRecord("task", task, ["description": "For 90000 instead of 100"])
      }
      #expect(try required(try await rig.poll().items.first).task().revision != first.revision)
    }
  }

  @Test func thoseWhoDelegatedAreAskedForToo() async throws {
    try await onLoop { () async throws in
      var taro: String?
      let found = try ServiceNowRig {
        $0.users[2].delegates = ["hanako"]
        taro = $0.users[2].sysID
      }
      let his = try found.makeApproval { $0.approvers = ["taro"] }
      #expect(try await found.poll().items.isEmpty)
      let rig = try ServiceNowRig(
        settings: ["url": .init(found.sandbox.url), "delegators": [.init(try required(taro))]])
      #expect(try await rig.poll().items.map(\.id.key) == [his])
      #expect(try await rig.decide(.approve, his).outcome == .approved)
      #expect(found.state(of: his) == "approved")
    }
  }

  // MARK: Pages

  /// Pitfall 7, BR-092.
  @Test func aListOfManyPagesIsReadToItsEnd() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let ids = try rig.makeApprovals(2500)
      let poll = try await rig.poll()
      #expect(poll.isComplete && poll.items.map(\.id.key) == ids)
      #expect(rig.count(Self.approvals) == 3)
    }
  }

  /// Pitfall 8: without an order pages repeat some rows and skip others.
  @Test func everyListIsAskedForInAnOrder() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      _ = try rig.makeApprovals(2500)
      let all = try await rig.call("table.list", ["table": "task", "limit": 50_000, "fields": ["number"]])
      let numbers = all["records"]?.array?.compactMap { $0["number"]?.string } ?? []
      #expect(Set(numbers).count == 2500 && numbers.count == 2500 && all["complete"] == true)
    }
  }

  /// Pitfall 14: rows are taken out of a page after it was cut.
  @Test func aPageWithFewerRowsOrNoneIsNotTheLast() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let ids = try rig.makeApprovals(3500)
      rig.sandbox.with { $0.hidden = Set(ids[400..<2500]) }
      let poll = try await rig.poll()
      #expect(poll.isComplete && poll.items.map(\.id.key) == Array(ids[..<400] + ids[2500...]))
    }
  }

  /// BR-092: part of a list is never taken for the whole, and a login's page is no part of it.
  @Test(arguments: [Fault.Kind.status(503), .loginPage, .truncatedBody(), .malformedJSON])
  func aPageThatCannotBeHadFailsThePoll(_ fault: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      _ = try rig.makeApprovals(1200)
      try rig.inject(fault, on: Self.approvals, skip: 1, count: 3)
      await #expect(throws: RPCError.self) { _ = try await rig.poll() }
      rig.sandbox.with { $0.faults.clear() }
      #expect(try await rig.poll().items.count == 1200)
    }
  }

  /// BR-092: a row that leaves moves all that follow it.
  @Test func whenRowsMoveUnderTheReadingNoneIsMissed() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let ids = try rig.makeApprovals(2500)
      // Somebody decides the first one between the first page and the second.
      let server = try MovingServer(rig.sandbox) { state in
        try? state.changeRecord("sysapproval_approver", ids[0], ["state": "approved"], by: "admin")
      }
      let other = try ServiceNowRig(settings: ["url": .init(server.url)])
      let poll = try await other.poll()
      #expect(poll.isComplete && poll.items.map(\.id.key) == Array(ids[1...]))
    }
  }

  /// Pitfall 5: a long list outlives its token.
  @Test func aTokenThatEndsBetweenTwoPagesIsRenewedUnnoticed() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let ids = try rig.makeApprovals(1200)
      let server = try MovingServer(rig.sandbox) { $0.revokeTokens() }
      let other = try ServiceNowRig(settings: ["url": .init(server.url)])
      let poll = try await other.poll()
      #expect(poll.isComplete && poll.items.map(\.id.key) == ids)
    }
  }

  /// BR-120.
  @Test func aNextPageThatIsAlwaysTheSameEndsTheListAsCutShort() async throws {
    let requests = RequestCount()
    let server = try LoopbackServer { _ in
      requests.add()
      return ServerResponse(
        status: 200,
        headers: [
          "Content-Type": "application/json",
          "Link": #"<https://elsewhere.example/api/now/table/incident?sysparm_offset=10>;rel="next""#,
        ], text: #"{"result":[{"sys_id":"1"},{"sys_id":"2"}]}"#)
    }
    try await onLoop { () async throws in
      let rig = try ServiceNowRig("basic", settings: ["url": .init(server.url)])
      let list = try await rig.call("table.list", ["table": "incident"])
      #expect(list["complete"] == false && list["records"]?.array?.count == 2)
      #expect(rig.logged.contains { $0.contains("does not come to an end") })
    }
    #expect(requests.value == 2)
  }

  /// It must not pass for the link of a last page.
  @Test func aLinkThatCannotBeReadCutsTheListShort() async throws {
    let link = #"<https://a.example/b?sysparm_query=a>5&sysparm_offset=2>;rel="next""#
    let server = try ScriptedServer { _, _ in .data(#"{"result":[{"sys_id":"1"}]}"#, headers: ["Link": link]) }
    try await onLoop { () async throws in
      let rig = try ServiceNowRig("basic", settings: ["url": .init(server.url)])
      #expect(try await rig.call("table.list", ["table": "incident"])["complete"] == false)
    }
  }

  /// The instance writes its own name into its links; of those only the offset counts.
  @Test func aLinkToAnotherHostIsNotFollowed() async throws {
    let stranger = RequestCount()
    let other = try LoopbackServer { _ in
      stranger.add()
      return ServerResponse(status: 200)
    }
    try await onLoop { () async throws in
      let rig = try ServiceNowRig { $0.ownURL = other.url }
      _ = try rig.makeApprovals(1500)
      #expect(try await rig.poll().items.count == 1500)
      let offsets = rig.entries.compactMap { entry in
        entry.request.query.first { $0.name == "sysparm_offset" }?.value
      }
      #expect(offsets.contains("999"))
    }
    #expect(stranger.value == 0)
  }

  @Test func aLimitCutsAListAndSaysSo() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      _ = try rig.makeApprovals(3)
      for (limit, complete) in [(2, false), (3, true), (4, true)] {
        let list = try await rig.call("approvals.list", ["limit": .init(limit)])
        #expect(list["complete"] == .init(complete))
        #expect(list["approvals"]?.array?.count == min(limit, 3))
      }
    }
  }

  // MARK: Answers that are not what they seem

  /// Pitfall 11: what the service does not understand of a query it leaves out, and answers with more.
  @Test func aServiceThatIgnoresTheWholeQueryGivesNobodyElsesApprovals() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let mine = try rig.makeApprovals(1)
      _ = try rig.makeApprovals(1) { $0.approvers = ["taro"] }
      _ = try rig.makeApprovals(1) { $0.state = "approved" }
      let server = try ForgetfulServer(rig.sandbox)
      let other = try ServiceNowRig(settings: ["url": .init(server.url)])
      let poll = try await other.poll()
      #expect(poll.items.map(\.id.key) == mine)
      #expect(other.logged.contains { $0.contains("2 approvals that do not fit") })
    }
  }

  @Test func rowsThatShowNoStateFailThePoll() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      _ = try rig.makeApproval()
      rig.sandbox.with { $0.unreadable = ["sysapproval_approver.state"] }
      await #expect(throws: RPCError.self) { _ = try await rig.poll() }
    }
  }

  /// Pitfall 10: half a result, and then an error.
  @Test func anAnswerThatEndsInAnErrorCountsForNothingAndSmallerPagesAreTried() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let ids = try rig.makeApprovals(600)
      rig.set { $0.rowsPerTransaction = 300 }
      let poll = try await rig.poll()
      #expect(poll.isComplete && poll.items.map(\.id.key) == ids)
      rig.set { $0.rowsPerTransaction = 10 }
      await #expect(throws: RPCError.self) { _ = try await rig.poll() }
    }
  }

  @Test(arguments: [Fault.Kind.malformedJSON, .truncatedBody(), .status(502), .status(202)])
  func anAnswerThatIsNoneFailsThePoll(_ fault: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      _ = try rig.makeApproval()
      try rig.inject(fault, on: Self.approvals, count: 3)
      await #expect(throws: RPCError.self) { _ = try await rig.poll() }
    }
  }

  // MARK: Rates

  /// BR-079.
  @Test func aLimitOfTheRateIsWaitedOut() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig("basic") { $0.switches.rateLimit = 3 }
      for _ in 0..<3 { try await rig.call("table.get", Self.anyUser(rig)) }
      // What was counted comes into force within half a minute.
      rig.pass(.seconds(30))
      let error = try await rig.failure("table.list", ["table": "sys_user"])
      #expect(error.kind == "unavailable" && error.details["rateLimit"] == "3")
      let wait = try required(error.retryAfter)
      #expect(wait > 600 && wait <= 3600)
      let sent = rig.requests.count
      #expect(try await rig.failure("table.list", ["table": "sys_user"]).kind == "unavailable")
      #expect(rig.requests.count == sent)
      rig.pass(.seconds(Int64(wait) + 1))
      #expect(try await rig.call("table.list", ["table": "sys_user"])["complete"] == true)
    }
  }

  private static func anyUser(_ rig: ServiceNowRig) -> JSONValue {
    ["table": "sys_user", "id": .init(rig.sandbox.with { $0.users["hanako"]?.sysID ?? "" })]
  }

  /// BR-079.
  @Test(arguments: [0, 600, -600])
  func withoutRetryAfterTheResetCountsFromTheServersClock(_ skew: Int64) async throws {
    let now: Int64 = 1_796_000_000
    let server = try LoopbackServer { _ in
      ServerResponse(
        status: 429,
        headers: [
          "Content-Type": "application/json", "X-RateLimit-Reset": "\(now + skew + 120)",
          "Date": Timestamp(seconds: now + skew).httpDate,
        ], text: "{}")
    }
    try await onLoop { () async throws in
      let rig = try ServiceNowRig("basic", settings: ["url": .init(server.url)])
      #expect(try await rig.failure("table.list", ["table": "sys_user"]).retryAfter == 120)
    }
  }

  /// A full queue sends no headers of a rule.
  @Test func anOverloadWithoutHeadersIsTriedAgainAfterAPause() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      _ = try rig.makeApproval()
      try rig.inject(.status(429), on: Self.approvals, count: 2)
      #expect(try await rig.poll().items.count == 1)
    }
  }
}

/// A way to a sandbox on which something happens after the first page.
private final class MovingServer: Sendable {
  private let server: LoopbackServer
  var url: String { server.url }

  init(_ sandbox: ServiceNowSandbox, between: @escaping @Sendable (inout ServiceNowState) -> Void) throws {
    let pages = RequestCount()
    server = try LoopbackServer { request in
      sandbox.with { state in
        let answer = state.process(request)
        if request.path == "/api/now/table/sysapproval_approver" {
          pages.add()
          if pages.value == 1 { between(&state) }
        }
        return answer
      }
    }
  }
}

/// A way to a sandbox that loses the queries for approvals.
private final class ForgetfulServer: Sendable {
  private let server: LoopbackServer
  var url: String { server.url }

  init(_ sandbox: ServiceNowSandbox) throws {
    server = try LoopbackServer { request in
      let isList = request.path == "/api/now/table/sysapproval_approver"
      let target = isList ? request.target.replacing("sysparm_query", with: "sysparm_nothing") : request.target
      return sandbox.with { state in
        ServerRequest(method: request.method, target: target, headers: request.headers, body: request.body)
          .map { state.process($0) } ?? ServerResponse(status: 400)
      }
    }
  }
}
