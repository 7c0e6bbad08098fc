import EventLoop
import HTTPServer
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiModel
import RingiTestSupport
import Sandbox
import Testing
import Timing

@Suite struct TodoistTests {
  private typealias Rig = ListRig<TodoistState>

  @Loop private func make(
    _ rig: Rig, _ content: String = "PO 4711 を承認", due: String? = "2026-11-30", every: String? = nil
  ) -> String {
    rig.sandbox.with { $0.makeTask(content, due: due, every: every) }
  }

  // MARK: Polling

  /// B5: a day, a time of nobody's zone, and a moment.
  @Test func eachKindOfDateMeansItsOwnDay() async throws {
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["timezone": "Asia/Tokyo"])
      for due in [
        "2026-11-30", "2026-12-01", "2026-11-30T23:30:00.000000", "2026-12-01T00:30:00.000000",
        "2026-11-30T14:30:00.000000Z", "2026-11-30T15:30:00.000000Z",
      ] { _ = make(rig, due, due: due) }
      let found = try await rig.items()
      #expect(found.map(\.title) == ["2026-11-30", "2026-11-30T23:30:00.000000", "2026-11-30T14:30:00.000000Z"])
      #expect(
        found.map(\.dueAt)
          == ["2026-11-30T14:59:59Z", "2026-11-30T14:30:00Z", "2026-11-30T14:30:00Z"].map {
            Timestamp(rfc3339: $0)
          })
    }
  }

  @Test func fourIsTheMostUrgent() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      for priority in 1...4 {
        rig.sandbox.with { _ = $0.makeTask("\(priority)", due: "2026-11-30", priority: priority) }
      }
      #expect(try await rig.items().map(\.priority) == [.low, .medium, .high, .urgent])
    }
  }

  /// Pitfall B10/1 and BR-092.
  @Test func allPagesAreReadAndOneThatFailsFailsThePoll() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      rig.sandbox.with { state in for number in 0..<450 { state.makeTask("\(number)", due: "2026-11-30") } }
      let snapshot = try await rig.poll()
      #expect(snapshot.items.count == 450 && snapshot.isComplete && rig.count("GET /tasks") == 3)
      try rig.inject(.status(500), on: "GET /tasks", skip: 2, count: nil)
      await #expect(throws: RPCError.self) { try await rig.poll() }
    }
  }

  /// BR-120 in the shape of this service.
  @Test func aCursorThatComesBackCutsTheListShort() async throws {
    let server = try LoopbackServer { _ in
      ServerResponse(
        status: 200, headers: ["Content-Type": "application/json"],
        text:
          #"{"results": [{"id": "6X7rM8997g3RQmvh", "content": "a", "due": {"date": "2026-11-30"}}], "next_cursor": "x"}"#
      )
    }
    defer { server.stop() }
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["url": .init(server.url)])
      let snapshot = try await rig.poll()
      #expect(snapshot.items.count == 1 && !snapshot.isComplete)
      #expect(rig.run.logged.count { $0.contains("cut short") } == 1)
    }
  }

  @Test(arguments: ["123", #"{"a": 1}"#, "true", #"["x"]"#])
  func aCursorThatIsNoTextIsNoEnd(_ cursor: String) async throws {
    let server = try ScriptedServer { _, _ in .data(#"{"results": [{"id": "a"}], "next_cursor": \#(cursor)}"#) }
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["url": .init(server.url)])
      #expect(try await rig.failure("task.list").kind == "backend-error")
      await #expect(throws: RPCError.self) { try await rig.poll() }
    }
  }

  /// Pitfall B10/9: a list that is a plain array, as in older versions.
  @Test(arguments: [#"[{"id": "a"}]"#, #"{"results": 7}"#, #"{"results": [{"id": 7}], "next_cursor": null}"#])
  func aListThatMakesNoSenseIsNoList(_ text: String) async throws {
    let server = try LoopbackServer { _ in
      ServerResponse(status: 200, headers: ["Content-Type": "application/json"], text: text)
    }
    defer { server.stop() }
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["url": .init(server.url)])
      let error = await #expect(throws: RPCError.self) { try await rig.poll() }
      #expect(error?.kind == "backend-error")
    }
  }

  @Test func onlyTheProjectsOfTheSettingsArePolled() async throws {
    try await onLoop { () async throws in
      let first = try Rig()
      let (mine, other) = first.sandbox.with { ($0.makeProject("mine"), $0.makeProject("other")) }
      for (title, project) in [("mine", mine), ("not mine", other)] {
        let due: JSONValue = ["content": .init(title), "project_id": .init(project), "due_date": "2026-11-30"]
        try await first.call("task.create", due)
      }
      func titles(_ projects: JSONValue) async throws -> [String] {
        let settings: JSONValue = ["url": .init(first.sandbox.baseURL), "projects": projects]
        return try await Rig(settings: settings).items().map(\.title)
      }
      #expect(try await titles([.init(mine)]) == ["mine"])
      #expect(try await titles([.init(mine), .init(other)]) == ["mine", "not mine"])
      // One that is not there is no empty list.
      let error = await #expect(throws: RPCError.self) { try await titles(["nowhere"]) }
      #expect(error?.kind == "not-found")
    }
  }

  // MARK: Deciding

  @Test func anApprovalClosesTheTaskByACommandOfItsOwn() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = make(rig)
      let decided = try await rig.decide(.approve, rig.item(id))
      #expect(decided.status == .done && decided.outcome == .approved)
      #expect(rig.sandbox.with { $0.closings } == [id: 1] && rig.count("POST /sync") == 1)
      #expect(try await rig.item(id).status == .done)
    }
  }

  /// B9: the one thing that is sent twice, because the service carries it out once.
  @Test(arguments: [
    Fault.Kind.reset(applied: true), .reset(applied: false), .status(502, applied: true), .status(500, applied: false),
  ])
  func aCloseWhoseAnswerWasLostIsSentAgainAndDoneOnce(_ kind: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["dueInDays": 30])
      let id = make(rig, every: "every week")
      try rig.inject(kind, on: "POST /sync")
      let task = try required(try await rig.items().first)
      #expect(try await rig.decide(.approve, task).status == .done)
      #expect(rig.sandbox.with { $0.closings } == [id: 1] && rig.count("POST /sync") == 2)
      #expect(rig.sandbox.with { $0.task(id)?.due?.date } == "2026-12-07")
    }
  }

  @Test func aCloseIsTheSameCommandAfterACrashAndNewAfterAReopening() async throws {
    try await onLoop { () async throws in
      let log = Log(level: .error, clock: TestClock(), redactor: Redactor())
      let store = try Store(inMemoryFor: TestClock(), log: log)
      let rig = try Rig(store: store)
      let id = make(rig)
      let task = try await rig.item(id)
      try rig.inject(.reset(applied: false), on: "POST /sync", count: 3)
      try rig.inject(.reset(applied: true), on: "POST /sync", count: 1)
      await #expect(throws: UnclearOutcome.self) { try await rig.decide(.approve, task) }
      #expect(rig.sandbox.with { $0.closings } == [id: 1])
      // What an agent that begins anew would send changes nothing more.
      try await rig.decide(.approve, task)
      #expect(rig.sandbox.with { $0.closings } == [id: 1])
      // Left over from a lost answer, but the task was opened again since.
      _ = try await rig.call("task.reopen", ["id": .init(id)])
      try await rig.decide(.approve, rig.item(id))
      #expect(rig.sandbox.with { $0.closings } == [id: 2])
      #expect(rig.sandbox.with { $0.task(id)?.isChecked } == true)
    }
  }

  @Test func aCommandThatFailsInA200IsAnError() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = make(rig)
      let task = try await rig.item(id)
      try rig.sandbox.with { try $0.removeTask(id) }
      let error = await #expect(throws: RPCError.self) { try await rig.decide(.approve, task) }
      #expect(error?.kind == "not-found")
    }
  }

  /// The service's trouble with a command says nothing of whether it was carried out.
  @Test(arguments: [408, 425, 429, 500, 503])
  func aCommandThatMetTroubleInA200IsUnclearAndStays(_ code: Int) async throws {
    let task = #"{"id": "6XOwn", "content": "a", "checked": false}"#
    let server = try ScriptedServer { request, _ in
      let commands = try? JSONValue(parsing: request.body)["commands"]
      guard let command = commands?[0]?["uuid"]?.string else { return .data(task) }
      return .data(#"{"sync_status": {"\#(command)": {"error": "busy", "http_code": \#(code)}}}"#)
    }
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["url": .init(server.url)])
      let task = try await rig.item("6XOwn")
      for _ in 0..<2 {
        let error = await #expect(throws: UnclearOutcome.self) { try await rig.decide(.approve, task) }
        #expect(error?.cause.kind == "unavailable")
      }
      let sent = try server.requests.filter { $0.method == "POST" }.map {
        try JSONValue(parsing: $0.body)["commands"]?[0]?["uuid"]?.string
      }
      #expect(sent.count == 8 && Set(sent).count == 1)
    }
  }

  @Test func aCommandWhoseStatusIsNoneThatIsKnownIsUnclear() async throws {
    let server = try ScriptedServer { request, _ in
      let commands = try? JSONValue(parsing: request.body)["commands"]
      guard let command = commands?[0]?["uuid"]?.string else { return .data(#"{"id": "6XOwn", "content": "a"}"#) }
      return .data(#"{"sync_status": {"\#(command)": "queued"}}"#)
    }
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["url": .init(server.url)])
      let task = try await rig.item("6XOwn")
      await #expect(throws: UnclearOutcome.self) { try await rig.decide(.approve, task) }
    }
  }

  /// Pitfall B10/7.
  @Test func anOccurrenceIsDoneWhenItsDateHasMovedOn() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = make(rig, every: "every day")
      let key = "\(id)@2026-11-30"
      #expect(try await rig.keys() == [key])
      try rig.sandbox.with { try $0.closeElsewhere(id) }
      #expect(try await rig.item(key).status == .done)
      #expect(try await rig.keys() == [])
      rig.advance(.seconds(86_400))
      #expect(try await rig.keys() == ["\(id)@2026-12-01"])
    }
  }

  @Test func aPostponedTaskDoesNotWaitAnyMore() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = make(rig)
      try rig.sandbox.with { try $0.editTask(id, due: "2027-01-01") }
      #expect(try await rig.keys() == [])
      #expect(try await rig.item(id).status == .gone)
    }
  }

  // MARK: Trouble

  /// Pitfall B10/2.
  @Test func aVersionThatIsGoneIsNoMatterOfTheLogin() async throws {
    try await onLoop { () async throws in
      let first = try Rig()
      let rig = try Rig(settings: ["url": .init(first.sandbox.url + "/rest/v2")])
      let error = try await rig.failure("user.get")
      #expect(error.kind == "backend-error" && error.details["status"] == 410)
      #expect(error.message.contains("version"))
    }
  }

  /// Pitfall B10/4, and BR-079 with the wish in the body alone.
  @Test(arguments: [TodoistSwitches.LimitStyle.json, .bodyOnly])
  func theWishToBeLeftAloneIsReadFromHeaderOrBody(_ style: TodoistSwitches.LimitStyle) async throws {
    try await onLoop { () async throws in
      let rig = try Rig {
        $0.switches.rateLimit = 0
        $0.switches.limitStyle = style
      }
      let error = try await rig.failure("user.get")
      #expect(error.kind == "unavailable" && error.retryAfter == 900)
      let sent = rig.requests.count
      #expect(try await rig.failure("user.get").retryAfter == 900)
      #expect(rig.requests.count == sent)
    }
  }

  /// BR-092: a page of a login or of an outage is no list, and no answer to a write.
  @Test func aPageInPlaceOfDataIsNone() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      try rig.inject(.loginPage, on: "GET /**", count: nil)
      await #expect(throws: RPCError.self) { try await rig.poll() }
      #expect(try await rig.failure("user.get").kind == "unavailable")
      try rig.inject(.loginPage, on: "POST /**", count: nil)
      #expect(try await rig.failure("task.create", ["content": "a"]).kind == "outcome-unknown")
    }
  }

  /// Pitfall B10/5.
  @Test func aPlain429IsUnavailable() async throws {
    try await onLoop { () async throws in
      let rig = try Rig {
        $0.switches.rateLimit = 0
        $0.switches.limitStyle = .plain
      }
      let error = try await rig.failure("user.get")
      #expect(error.kind == "unavailable" && error.retryAfter == nil)
    }
  }

  @Test func aTokenThatMayNotIsNoMatterOfTheLogin() async throws {
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["token": ["env": "TOKEN"]], secrets: ["TOKEN": "none"])
      #expect(try await rig.failure("user.get").kind == "login-required")
      let other = try Rig()
      let token = other.sandbox.with { $0.makeToken(scopes: ["data:read"]) }
      let narrow = try Rig(settings: ["url": .init(other.sandbox.baseURL), "token": .init(token)])
      let error = try await narrow.failure("task.create", ["content": "a"])
      #expect(error.kind == "backend-error" && error.details["code"] == "AUTH_INSUFFICIENT_TOKEN_SCOPE")
    }
  }

  /// Pitfall B10/12.
  @Test func aWarningOfTheServiceIsLoggedOnce() async throws {
    try await onLoop { () async throws in
      let warning = "119 - \"Deprecated API version. Will be removed on 2022-11-01\""
      let rig = try Rig { $0.switches.warning = warning }
      for _ in 0..<3 { try await rig.call("user.get") }
      #expect(rig.run.logged.count { $0.contains("Deprecated") } == 1)
    }
  }

  // MARK: Methods

  @Test func aTaskIsMadeChangedCompletedReopenedAndDeleted() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let project = rig.sandbox.with { $0.makeProject("Orders") }
      let projects = try await rig.call("project.list")["projects"]?.array?.map { $0["name"]?.string }
      #expect(projects == ["Inbox", "Orders"])
      let made = try await rig.call(
        "task.create", ["content": "Order", "project_id": .init(project), "due_date": "2026-12-01", "priority": 4])
      let id = made["id"] ?? .null
      #expect(made["due"]?["date"] == "2026-12-01" && made["priority"] == 4)
      #expect(try await rig.call("task.update", ["id": id, "content": "Order 2"])["content"] == "Order 2")
      let open = try await rig.call("task.list", ["project_id": .init(project)])
      #expect(open["tasks"]?.array?.count == 1 && open["complete"] == true)
      #expect(try await rig.call("task.complete", ["id": id])["checked"] == true)
      #expect(try await rig.failure("task.complete", ["id": id]).kind == "conflict")
      let completed = try await rig.call(
        "task.list", ["completed": true, "since": "2026-11-01T00:00:00Z", "until": "2026-12-31T00:00:00Z"])
      #expect(completed["tasks"]?.array?.count == 1)
      #expect(try await rig.call("task.reopen", ["id": id])["checked"] == false)
      #expect(try await rig.call("task.delete", ["id": id]) == .null)
      #expect(try await rig.failure("task.get", ["id": id]).kind == "not-found")
    }
  }

  /// B6 and B8: more than three months are refused before they are sent.
  @Test func completedTasksNeedATimeThatIsNotTooLong() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      for params in [
        ["completed": true], ["completed": true, "since": "2026-01-01T00:00:00Z", "until": "2026-12-31T00:00:00Z"],
      ] as [JSONValue] {
        #expect(try await rig.failure("task.list", params).kind == "invalid-params")
      }
      #expect(rig.requests.isEmpty)
    }
  }

  /// Pitfall B10/8.
  @Test func aDateAloneDoesNotEndARecurrence() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = make(rig, every: "every week")
      let error = try await rig.failure("task.update", ["id": .init(id), "due_date": "2026-12-24"])
      #expect(error.kind == "invalid-params" && error.message.contains("due_string"))
      let moved = try await rig.call(
        "task.update", ["id": .init(id), "due_string": "every week starting 2026-12-24"])
      #expect(moved["due"]?["is_recurring"] == true && moved["due"]?["date"] == "2026-12-24")
    }
  }

  /// Pitfall B10/10.
  @Test func aTimeGoesByTheMemberThatTakesTimes() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let made = try await rig.call("task.create", ["content": "a", "due_datetime": "2026-11-30T12:00:00Z"])
      #expect(made["due"]?["date"] == "2026-11-30T12:00:00Z")
    }
  }

  /// Pitfall B10/11.
  @Test func aTaskWhoseMakingWasNotAnsweredIsNotMadeTwice() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      try rig.inject(.reset(applied: true), on: "POST /tasks")
      let error = try await rig.failure("task.create", ["content": "a"])
      #expect(error.kind == "outcome-unknown" && error.details["candidates"]?.array?.count == 1)
      #expect(rig.count("POST /tasks") == 1)
    }
  }

  @Test func everyWriteHasAnIdOfThirtySixBytes() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      for _ in 0..<2 { try await rig.call("task.create", ["content": "a"]) }
      let ids = rig.sandbox.with { $0.log.entries }.compactMap { $0.request.headers["X-Request-Id"] }
      #expect(ids.count == 2 && Set(ids).count == 2 && ids.allSatisfy { $0.utf8.count == 36 })
    }
  }
}
