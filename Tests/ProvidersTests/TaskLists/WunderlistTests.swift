import EventLoop
import HTTPServer
import JSON
import JSONRPC
import RingiKit
import RingiModel
import RingiTestSupport
import Sandbox
import Testing
import Timing

@Suite struct WunderlistTests {
  private typealias Rig = ListRig<WunderlistState>

  @Loop private func make(
    _ rig: Rig, _ title: String = "稟議 #4711 承認", due: String? = "2026-11-30", list: Int64? = nil
  ) -> Int64 {
    rig.sandbox.with { state in
      let list = list ?? state.lists.first?.id ?? state.makeList("Inbox")
      return state.makeTask(title, list: list, due: due)
    }
  }

  // MARK: Polling

  @Test func overdueAndTodaysTasksWaitAndOthersWhenTheSettingSaysSo() async throws {
    try await onLoop { () async throws in
      for (settings, expected) in [
        ([:], ["overdue", "today"]), (["dueInDays": 7], ["overdue", "today", "soon"]),
        (["withoutDate": true], ["overdue", "today", "some day"]),
      ] as [(JSONValue, [String])] {
        let rig = try Rig(settings: settings)
        for (title, due) in [
          ("overdue", "2026-11-01"), ("today", "2026-11-30"), ("soon", "2026-12-07"), ("later", "2026-12-08"),
          ("some day", nil),
        ] as [(String, String?)] { _ = make(rig, title, due: due) }
        #expect(try await rig.items().map(\.title) == expected)
      }
    }
  }

  @Test func aTaskTellsWhatTheServiceTells() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = make(rig)
      let task = try required(try await rig.items().first)
      #expect(task.id.description == "todo/\(id)" && task.title == "稟議 #4711 承認")
      #expect(task.status == .ready && task.actions == [.approve, .complete] && task.requester == "7")
      #expect(task.dueAt == Timestamp(rfc3339: "2026-11-30T23:59:59Z"))
      #expect(task.raw["completed"] == nil)
    }
  }

  @Test func onlyTheListsOfTheSettingsArePolled() async throws {
    try await onLoop { () async throws in
      // Ids are given in order.
      let rig = try Rig(settings: ["lists": [409_233_671]])
      let (first, second) = rig.sandbox.with { ($0.makeList("a"), $0.makeList("b")) }
      _ = make(rig, "not mine", list: first)
      _ = make(rig, "mine", list: second)
      #expect(second == 409_233_671)
      #expect(try await rig.items().map(\.title) == ["mine"])
    }
  }

  @Test func nothingIsReadAgainWhileTheRootStandsStill() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      _ = make(rig)
      _ = try await rig.poll()
      rig.advance(.seconds(60))
      _ = try await rig.poll()
      let before = rig.requests.count
      #expect(try await rig.poll().items.count == 1)
      #expect(rig.requests.count == before + 1 && rig.requests.last == "GET /root")
    }
  }

  @Test func onlyTheChangedListIsReadAgain() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let (first, second) = rig.sandbox.with { ($0.makeList("a"), $0.makeList("b")) }
      _ = make(rig, "a", list: first)
      _ = try await rig.poll()
      let before = rig.count("GET /tasks")
      _ = make(rig, "b", list: second)
      #expect(try await rig.items().map(\.title) == ["a", "b"])
      #expect(rig.count("GET /tasks") == before + 1)
    }
  }

  /// BR-102: an error while one list is read.
  @Test func theRootCountsOnlyWhenAllBelowItWasRead() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      for name in ["a", "b", "c"] {
        let list = rig.sandbox.with { $0.makeList(name) }
        _ = make(rig, name, list: list)
      }
      try rig.inject(.status(503), on: "GET /tasks", skip: 1, count: 3)
      let error = await #expect(throws: RPCError.self) { try await rig.poll() }
      #expect(error?.kind == "unavailable")
      #expect(try await rig.items().map(\.title) == ["a", "b", "c"])
    }
  }

  /// Pitfall A7/1: list and root follow a change late.
  @Test func aChangeThatHasNotRisenToTheRootYetIsSeenLater() async throws {
    try await onLoop { () async throws in
      let rig = try Rig { $0.switches.bubbleDelay = .after(.seconds(5)) }
      let first = make(rig, "first")
      rig.advance(.seconds(10))
      _ = try await rig.poll()
      _ = make(rig, "second", list: rig.sandbox.with { $0.lists[0].id })
      #expect(try await rig.items().map(\.title) == ["first"])
      rig.advance(.seconds(5))
      #expect(try await rig.items().map(\.title) == ["first", "second"])
      // The own write hides nothing, although the root does not show it yet.
      rig.advance(.seconds(60))
      _ = try await rig.poll()
      _ = try await rig.poll()
      try await rig.decide(.approve, rig.item("\(first)"))
      #expect(try await rig.items().map(\.title) == ["second"])
    }
  }

  @Test func fiveThousandTasksComeInOneArray() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let list = rig.sandbox.with { $0.makeList("big") }
      rig.sandbox.with { state in for number in 0..<5000 { state.makeTask("\(number)", list: list, due: "2026-11-30") }
      }
      let snapshot = try await rig.poll()
      #expect(snapshot.items.count == 5000 && snapshot.isComplete)
    }
  }

  // MARK: Deciding

  @Test(arguments: [Decision.Kind.approve, .complete])
  func anApprovalCompletesTheTask(_ kind: Decision.Kind) async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = make(rig)
      let decided = try await rig.decide(kind, rig.item("\(id)"))
      #expect(decided.status == .done && decided.outcome == kind.outcome && decided.actions.isEmpty)
      #expect(rig.sandbox.with { $0.completions } == [id: 1])
      let later = try await rig.item("\(id)")
      #expect(later.status == .done && later.outcome == .completed && later.decidedBy == "6234958")
    }
  }

  @Test func aRejectionIsRefusedBeforeAnythingIsSent() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let task = try await rig.item("\(make(rig))")
      let sent = rig.requests.count
      let error = await #expect(throws: RPCError.self) { try await rig.decide(.reject, task) }
      #expect(error?.kind == "invalid-params" && rig.requests.count == sent)
    }
  }

  /// BR-102: the revision rises by itself between our read and our write.
  @Test func aRevisionThatMovedByItselfIsReadAgainOnce() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = make(rig)
      let task = try await rig.item("\(id)")
      try rig.sandbox.with { try $0.editTask(id) }
      #expect(try await rig.decide(.approve, task).status == .done)
      #expect(rig.count("PATCH /tasks/\(id)") == 2)
      #expect(rig.sandbox.with { $0.completions } == [id: 1])
    }
  }

  /// BR-102: somebody else was first.
  @Test func aTaskCompletedMeanwhileIsAlreadyDecided() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = make(rig)
      let task = try await rig.item("\(id)")
      try rig.sandbox.with { try $0.completeElsewhere(id, by: 42) }
      let error = await #expect(throws: AlreadyDecided.self) { try await rig.decide(.approve, task) }
      #expect(error?.task.status == .done && error?.task.decidedBy == "42")
      #expect(rig.sandbox.with { $0.completions }.isEmpty)
    }
  }

  /// BR-102 and BR-104: what the person saw is not there any more.
  @Test func aTaskChangedMeanwhileIsAConflictThatNamesTheField() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = make(rig, "Pay 100")
      let task = try await rig.item("\(id)")
      try rig.sandbox.with { try $0.editTask(id, title: "Pay 90000") }
      let error = await #expect(throws: RPCError.self) { try await rig.decide(.approve, task) }
      #expect(error?.kind == "conflict" && error?.message.contains("title") == true)
      #expect(error?.details["changes"]?["title"] == ["from": "Pay 100", "to": "Pay 90000"])
      #expect(rig.sandbox.with { $0.completions }.isEmpty)
    }
  }

  @Test func aRevisionThatNeverHoldsStillEndsInAConflict() async throws {
    let conflict = #"{"error":{"type":"conflict","message":"There is a conflict","revision_conflict":true}}"#
    let task = #"{"id":1,"list_id":2,"revision":3,"title":"a","due_date":"2026-11-30"}"#
    let patches = Counter()
    let server = try LoopbackServer { request in
      let isPatch = request.method == "PATCH"
      if isPatch { patches.add() }
      return ServerResponse(
        status: isPatch ? 409 : 200, headers: ["Content-Type": "application/json"], text: isPatch ? conflict : task)
    }
    defer { server.stop() }
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["url": .init(server.url)])
      let error = await #expect(throws: RPCError.self) { try await rig.decide(.approve, rig.item("1")) }
      #expect(error?.kind == "conflict" && patches.value == 2)
    }
  }

  /// BR-101.
  @Test(arguments: [
    Fault.Kind.reset(applied: true), .status(503, applied: true), .status(408, applied: true), .hang(applied: true),
  ])
  func aLostAnswerIsUnclearAndNothingIsSentTwice(_ kind: Fault.Kind) async throws {
    try await onLoop { () async throws in
      // Only an answer that never comes waits for it.
      let rig = try Rig(settings: ["timeouts": ["total": "5s"]])
      let id = make(rig)
      let task = try await rig.item("\(id)")
      try rig.inject(kind, on: "PATCH /tasks/*")
      await #expect(throws: UnclearOutcome.self) { try await rig.decide(.approve, task) }
      #expect(rig.count("PATCH /tasks/\(id)") == 1)
      #expect(try await rig.item("\(id)").status == .done)
    }
  }

  @Test(arguments: [
    (#"{"id":1,"list_id":2,"revision":4,"title":"a","completed":false}"#), (""), (#"{"error":"read only mode"}"#),
    ("[]"), (#"{"id":9,"list_id":2,"revision":4,"title":"a","completed":true}"#),
  ])
  func aCompletionIsDoneOnlyWhenTheAnswerShowsIt(_ answer: String) async throws {
    let task = #"{"id":1,"list_id":2,"revision":3,"title":"a","due_date":"2026-11-30"}"#
    let server = try ScriptedServer { request, _ in .data(request.method == "PATCH" ? answer : task) }
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["url": .init(server.url)])
      let task = try await rig.item("1")
      await #expect(throws: UnclearOutcome.self) { try await rig.decide(.approve, task) }
      let error = try await rig.failure("task.complete", ["id": 1])
      #expect(error.kind == "outcome-unknown", "\(error.message)")
      #expect(server.requests.count { $0.method == "PATCH" } == 2)
    }
  }

  @Test func aCompletionThatTheAnswerDoesNotShowIsReadBack() async throws {
    let patches = Counter()
    let server = try ScriptedServer { request, _ in
      if request.method == "PATCH" {
        patches.add()
        return .data("")
      }
      return .data(#"{"id":1,"list_id":2,"revision":3,"title":"a","completed":\#(patches.value > 0)}"#)
    }
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["url": .init(server.url)])
      #expect(try await rig.call("task.complete", ["id": 1])["completed"] == true && patches.value == 1)
    }
  }

  /// Pitfall A7/14.
  @Test(arguments: WunderlistSwitches.Recurrence.allCases)
  func anOccurrenceOfARecurringTaskIsATaskOfItsOwn(_ recurrence: WunderlistSwitches.Recurrence) async throws {
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["dueInDays": 30]) { $0.switches.recurrence = recurrence }
      let list = rig.sandbox.with { $0.makeList("a") }
      let id = rig.sandbox.with {
        $0.makeTask("weekly", list: list, due: "2026-11-30", recurrence: (type: "week", count: 1))
      }
      let key = "\(id)@2026-11-30"
      #expect(try await rig.keys() == [key])
      try await rig.decide(.approve, rig.item(key))
      let next = try required(try await rig.keys().first)
      #expect(next.hasSuffix("@2026-12-07") && next.hasPrefix("\(id)@") == (recurrence == .reopen))
      #expect(try await rig.item(key).status == .done)
      #expect(try await rig.item(next).status == .ready)
    }
  }

  // MARK: Trouble

  @Test func aMissingOrWrongTokenIsLoginRequired() async throws {
    try await onLoop { () async throws in
      for settings in [["accessToken": "wrong"], ["clientId": "wrong"], ["accessToken": ["env": "NOT_THERE"]]]
        as [JSONValue]
      {
        let rig = try Rig(settings: settings)
        #expect(try await rig.failure("user.get").kind == "login-required")
      }
    }
  }

  /// Pitfall A7/6: missing headers are answered with 500.
  @Test func aFiveHundredAboutAuthenticationIsLoginRequired() async throws {
    let server = try LoopbackServer { _ in
      ServerResponse(
        status: 500, headers: ["Content-Type": "application/json"],
        text:
          #"{"error":{"type":"server_error","message":"An unknown server error occurred","authentication":["missing"]}}"#
      )
    }
    defer { server.stop() }
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["url": .init(server.url)])
      #expect(try await rig.failure("user.get").kind == "login-required")
      #expect(try await rig.failure("task.create", ["list_id": 1, "title": "a"]).kind == "login-required")
    }
  }

  /// Pitfall A7/8: tokens do not expire; a new one is found where it is kept.
  @Test func aTokenRenewedWhereItIsKeptIsUsedAfterA401() async throws {
    let folder = try TemporaryFolder()
    try folder.write("token", "old")
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["accessToken": ["file": .init("\(folder.path)/token")]])
      #expect(try await rig.failure("user.get").kind == "login-required")
      try folder.write("token", WunderlistConfiguration().token)
      #expect(try await rig.call("user.get")["name"] == "Ada")
    }
  }

  /// Pitfall A7/10.
  @Test(arguments: [404, 502, 503])
  func aPageInPlaceOfDataIsAnOutage(_ status: Int) async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = make(rig)
      try rig.inject(.status(status), on: "GET /**", count: nil)
      let error = try await rig.failure("task.get", ["id": .init(id)])
      #expect(error.kind == "unavailable")
      await #expect(throws: RPCError.self) { try await rig.poll() }
    }
  }

  /// BR-092: a login's page is no list, and no answer to a write.
  @Test func aPageWithASuccessIsNoData() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = make(rig)
      try rig.inject(.loginPage, on: "GET /**", count: nil)
      await #expect(throws: RPCError.self) { try await rig.poll() }
      #expect(try await rig.failure("task.get", ["id": .init(id)]).kind == "unavailable")
    }
  }

  /// BR-079.
  @Test(arguments: [Fault.RetryAfter.text("3600"), .date(.seconds(3600))])
  func aServiceThatAsksForPeaceIsLeftAlone(_ wait: Fault.RetryAfter) async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      try rig.inject(.status(429, retryAfter: wait), on: "GET /**")
      #expect(try await rig.failure("user.get").retryAfter == 3600)
      let sent = rig.requests.count
      await #expect(throws: RPCError.self) { try await rig.poll() }
      #expect(try await rig.failure("user.get").kind == "unavailable")
      #expect(rig.requests.count == sent)
      rig.advance(.seconds(3601))
      try await rig.call("user.get")
    }
  }

  /// Pitfall A7/12.
  @Test func anErrorThatIsABareTextIsRead() async throws {
    let server = try LoopbackServer { _ in
      ServerResponse(status: 400, headers: ["Content-Type": "application/json"], text: #"{"error":"bad_request"}"#)
    }
    defer { server.stop() }
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["url": .init(server.url)])
      let error = try await rig.failure("user.get")
      #expect(error.kind == "backend-error" && error.details["code"] == "bad_request")
    }
  }

  // MARK: Methods

  /// Pitfall A7/4: the sandbox takes numbers as numbers alone.
  @Test func aTaskIsMadeChangedMovedAndDeleted() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let list = try await rig.call("list.create", ["title": "Orders"])["id"] ?? .null
      let other = try await rig.call("list.create", ["title": "Others"])["id"] ?? .null
      let made = try await rig.call(
        "task.create", ["list_id": list, "title": "Order", "due_date": "2026-12-01", "starred": true])
      let id = made["id"] ?? .null
      let changed = try await rig.call(
        "task.update", ["id": id, "title": "Order 2", "due_date": nil, "list_id": other])
      #expect(changed["title"] == "Order 2" && changed["due_date"] == nil && changed["list_id"] == other)
      #expect(try await rig.call("task.list", ["list_id": list])["tasks"] == [])
      #expect(try await rig.call("task.complete", ["id": .init("todo/\(id)")])["completed"] == true)
      #expect(try await rig.call("task.list", ["list_id": other])["tasks"] == [])
      let completed = try await rig.call("task.list", ["list_id": other, "completed": true])["tasks"]
      #expect(completed?.array?.count == 1)
      #expect(try await rig.call("task.delete", ["id": id]) == .null)
      #expect(try await rig.failure("task.get", ["id": id]).kind == "not-found")
      #expect(try await rig.call("list.update", ["id": list, "title": "Mine"])["title"] == "Mine")
      _ = try await rig.call("list.delete", ["id": list])
      #expect(try await rig.call("list.list")["lists"]?.array?.map { $0["title"]?.string } == ["Others"])
    }
  }

  /// Pitfall A7/15 and 11.
  @Test func anUpdateOnAnOldRevisionIsAConflictAndChangesNothing() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = make(rig)
      for revision in [0, 999_999] {
        let error = try await rig.failure("task.update", ["id": .init(id), "revision": .init(revision), "title": "b"])
        #expect(error.kind == "conflict" && error.details["current"]?["id"] == .init(id))
      }
      #expect(rig.sandbox.with { $0.task(id)?.title } == "稟議 #4711 承認")
    }
  }

  /// A task that somebody else changes between the first reading and the first writing.
  private func changing(_ member: String, _ values: (before: String, after: String)) throws -> ScriptedServer {
    let patches = Counter()
    return try ScriptedServer { request, _ in
      let isPatch = request.method == "PATCH"
      if isPatch { patches.add() }
      if isPatch, patches.value == 1 {
        return .data(#"{"error":{"type":"conflict","revision_conflict":true}}"#, status: 409)
      }
      let (revision, value) = patches.value == 0 ? (3, values.before) : (4, values.after)
      let title = isPatch ? #","title":"mine""# : member == "title" ? "" : #","title":"a""#
      return .data(#"{"id":1,"list_id":2,"revision":\#(revision),"\#(member)":"\#(value)"\#(title)}"#)
    }
  }

  @Test func anUpdateGoesOnWhenSomebodyChangedAnotherField() async throws {
    let server = try changing("due_date", ("2026-11-30", "2026-12-24"))
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["url": .init(server.url)])
      let changed = try await rig.call("task.update", ["id": 1, "title": "mine"])
      #expect(changed["due_date"] == "2026-12-24" && changed["title"] == "mine")
      let bodies = try server.requests.filter { $0.method == "PATCH" }.map { try JSONValue(parsing: $0.body) }
      #expect(bodies == [["revision": 3, "title": "mine"], ["revision": 4, "title": "mine"]])
    }
  }

  @Test func anUpdateOfAFieldThatSomebodyElseChangedIsAConflictThatNamesIt() async throws {
    let server = try changing("title", ("a", "theirs"))
    try await onLoop { () async throws in
      let rig = try Rig(settings: ["url": .init(server.url)])
      let error = try await rig.failure("task.update", ["id": 1, "title": "mine"])
      #expect(error.kind == "conflict" && error.details["changes"] == ["title": ["from": "a", "to": "theirs"]])
      #expect(server.requests.count { $0.method == "PATCH" } == 1)
    }
  }

  /// Pitfall A7/16: characters count, not bytes.
  @Test func aTitleOf255CharactersIsTakenAndALongerOneRefusedBeforeItIsSent() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let list = rig.sandbox.with { $0.makeList("a") }
      let title = String(repeating: "稟", count: 255)
      #expect(
        try await rig.call("task.create", ["list_id": .init(list), "title": .init(title)])["title"] == .init(title))
      let sent = rig.requests.count
      let error = try await rig.failure("task.create", ["list_id": .init(list), "title": .init(title + "議")])
      #expect(error.kind == "invalid-params" && rig.requests.count == sent)
    }
  }

  @Test func aTaskWhoseMakingWasNotAnsweredIsFoundByItsRequest() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let list = rig.sandbox.with { $0.makeList("a") }
      rig.sandbox.with { $0.makeTask("twin", list: list) }
      try rig.inject(.reset(applied: true), on: "POST /tasks")
      let made = try await rig.call("task.create", ["list_id": .init(list), "title": "twin"])
      #expect(made["created_by_id"] == 6_234_958 && rig.count("POST /tasks") == 1)
      #expect(rig.sandbox.with { $0.tasks.count } == 2)
      try rig.inject(.reset(applied: false), on: "POST /tasks")
      #expect(try await rig.failure("task.create", ["list_id": .init(list), "title": "no"]).kind == "outcome-unknown")
    }
  }

  @Test func aDeletionWhoseAnswerWasLostIsFoundOut() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = make(rig)
      try rig.inject(.reset(applied: true), on: "DELETE /tasks/*")
      #expect(try await rig.call("task.delete", ["id": .init(id)]) == .null)
      #expect(rig.count("DELETE /tasks/\(id)") == 1)
    }
  }

  /// A5: reasons stand beside the message.
  @Test func aRefusalNamesTheFields() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = make(rig)
      let error = try await rig.failure("task.update", ["id": .init(id), "recurrence_type": "week"])
      #expect(error.kind == "backend-error" && error.details["status"] == 422)
      #expect(error.message.contains("recurrence_type") && error.details["fields"]?["recurrence_type"] != nil)
    }
  }
}
