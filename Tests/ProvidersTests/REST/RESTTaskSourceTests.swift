import HTTPServer
import JSON
import JSONRPC
import RingiKit
import RingiModel
import RingiTestSupport
import Sandbox
import Testing
import Timing

@Suite struct RESTTaskSourceTests {
  @Test func pendingRecordsAreTasks() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig()
      let (open, other) =
        rig.sandbox?.with { ($0.makeApproval("3 monitors", amount: 300), $0.makeApproval("x")) } ?? (0, 0)
      try rig.sandbox?.with { state throws(ControlError) in try state.decideElsewhere(other, .approved, by: "taro") }
      let tasks = try await rig.tasks()
      #expect(tasks.map(\.id.key) == [String(open)])
      let task = try required(tasks.first)
      #expect(task.title == "3 monitors" && task.requester == "hanako" && task.status == .ready)
      #expect(task.actions == [.approve, .reject] && task.createdAt != nil && task.raw["amount"] == 300)
      let done = try await rig.item(other)
      #expect(done.status == .done && done.outcome == .approved && done.decidedBy == "taro" && done.actions.isEmpty)
    }
  }

  @Test func moreTasksThanAPageAreAllThere() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig()
      rig.sandbox?.with { state in for n in 1...120 { state.makeApproval("Order \(n)") } }
      let snapshot = try await rig.snapshot()
      #expect(snapshot.items.count == 120 && snapshot.isComplete)
      #expect(rig.requests.count == 3)
    }
  }

  /// BR-120.
  @Test func aCursorThatRepeatsIsCutOffAndTheListCountsAsCutShort() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig { $0.switches.repeatsCursor = true }
      rig.sandbox?.with { state in for n in 1...8 { state.makeApproval("Order \(n)") } }
      let snapshot = try await rig.snapshot()
      #expect(snapshot.items.count == 8 && !snapshot.isComplete)
      #expect(rig.requests.count == 2)
      #expect(rig.logged.count == 1 && rig.logged[0].hasPrefix("warning: approval.list: the list was cut off"))
    }
  }

  /// BR-092.
  @Test(arguments: [
    Fault.Kind.status(500), .status(502), .truncatedBody(), .malformedJSON, .loginPage, .status(204), .status(404),
  ])
  func aPollThatDidNotSeeAllOfTheListFails(_ kind: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig()
      rig.sandbox?.with { state in for n in 1...120 { state.makeApproval("Order \(n)") } }
      try rig.inject(kind, on: "GET /approvals", skip: 2, count: nil)
      await #expect(throws: RPCError.self) { try await rig.snapshot() }
    }
  }

  @Test(arguments: [Decision.Kind.approve, .reject])
  func aDecisionIsOneWriteWithTheVersionThatWasRead(_ kind: Decision.Kind) async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig()
      let id = rig.sandbox?.with { $0.makeApproval("3 monitors") } ?? 0
      let task = try await rig.decide(Decision(kind, comment: "いいよ"), id)
      #expect(task.status == .done && task.outcome == kind.outcome && task.decidedBy == "approver")
      let sent = rig.sandbox?.with { state in state.log.entries.filter { $0.request.method == "POST" }.map(\.request) }
      #expect(sent?.count == 1)
      let body = try JSONValue(parsing: try required(sent?.first).body)
      #expect(body == ["decision": .init(kind.rawValue), "comment": "いいよ", "version": 1])
    }
  }

  @Test func aDryRunShowsTheRequestWithoutCredentials() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig()
      let id = rig.sandbox?.with { $0.makeApproval("3 monitors") } ?? 0
      let preview = try rig.source.preview(Decision(.approve), on: try await rig.item(id))
      #expect(preview["method"] == "POST" && preview["body"] == ["decision": "approve", "version": 1])
      #expect(preview["url"]?.string?.hasSuffix("/v2/approvals/\(id)/decision") == true)
      #expect(!preview.description.contains(UsersAPIConfiguration().token))
      #expect(!rig.requests.contains { $0.hasPrefix("POST") })
    }
  }

  @Test func aVersionThatMovedWithoutMatteringIsReadAgainAndTheDecisionSentAgain() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig()
      let id = rig.sandbox?.with { $0.makeApproval("3 monitors") } ?? 0
      let (source, task) = (try rig.source, try await rig.item(id))
      try rig.sandbox?.with { state throws(ControlError) in try state.editApproval(id) }
      let done = try await rig.passingTime { try await source.decide(Decision(.approve), on: task) }
      #expect(done.outcome == .approved)
      #expect(rig.sandbox?.with { $0.approval(id)?.decisions } == 1)
    }
  }

  @Test func aRecordThatChangedInWhatMattersIsAConflict() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig()
      let id = rig.sandbox?.with { $0.makeApproval("3 monitors", amount: 100) } ?? 0
      let (source, task) = (try rig.source, try await rig.item(id))
      try rig.sandbox?.with { state throws(ControlError) in try state.editApproval(id, amount: 90_000) }
      let error = await #expect(throws: RPCError.self) {
        try await rig.passingTime { try await source.decide(Decision(.approve), on: task) }
      }
      #expect(error?.kind == "conflict" && error?.details["task"] != nil)
      #expect(rig.sandbox?.with { $0.approval(id)?.decisions } == 0)
    }
  }

  @Test func aTaskThatSomebodyElseDecidedSaysSo() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig()
      let id = rig.sandbox?.with { $0.makeApproval("3 monitors") } ?? 0
      let (source, task) = (try rig.source, try await rig.item(id))
      try rig.sandbox?.with { state throws(ControlError) in try state.decideElsewhere(id, .rejected, by: "taro") }
      let error = await #expect(throws: AlreadyDecided.self) {
        try await rig.passingTime { try await source.decide(Decision(.approve), on: task) }
      }
      #expect(error?.task.outcome == .rejected && error?.task.decidedBy == "taro")
    }
  }

  /// BR-101.
  @Test(arguments: [
    Fault.Kind.reset(applied: true), .status(408, applied: true), .status(429, applied: true),
    .status(502, applied: true), .status(504, applied: true), .truncatedBody(), .loginPage, .status(302),
  ])
  func aLostAnswerLeavesTheOutcomeUnclearAndTheWriteIsNotRepeated(_ kind: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig()
      let id = rig.sandbox?.with { $0.makeApproval("3 monitors") } ?? 0
      try rig.inject(kind, on: "POST /approvals/*/decision", count: nil)
      await #expect(throws: UnclearOutcome.self) { try await rig.decide(Decision(.approve), id) }
      #expect(rig.requests.filter { $0.hasPrefix("POST") }.count == 1)
    }
  }

  @Test func aDecisionThatIsAcceptedAndNotDoneYetIsUnclear() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig { $0.switches.decidesLater = .nextTick }
      let id = rig.sandbox?.with { $0.makeApproval("3 monitors") } ?? 0
      await #expect(throws: UnclearOutcome.self) { try await rig.decide(Decision(.approve), id) }
      rig.sandbox?.with { $0.tick() }
      #expect(try await rig.item(id).outcome == .approved)
    }
  }

  @Test(arguments: [
    (#"{"data": [{"id": 1, "state": "new"}], "meta": {}}"#, "tasks.status says nothing"),
    (#"{"data": [{"state": "pending"}], "meta": {}}"#, "no /id"), (#"{"data": {}, "meta": {}}"#, "no list"),
    (#"{"data": [{"id": 1}], "meta": {}}"#, "no /state"), (#"{"data": null}"#, "no list"), ("", "no content"),
    (#"{"status": "error", "error": {"message": "no"}}"#, "no"),
  ])
  func aListThatMakesNoSenseIsNoList(_ text: String, _ reason: String) async throws {
    let server = try ScriptedServer { _, _ in .data(text) }
    try await onLoop { () async throws in
      let rig = try RESTRig(
        settings: try RESTRig.example().merging([
          "url": .init(server.url), "auth": ["type": "bearer", "token": "t0ken"],
        ]))
      let error = await #expect(throws: RPCError.self) { try await rig.snapshot() }
      #expect(error?.kind == "backend-error" && error?.message.contains(reason) == true, "\(error as Any)")
    }
  }
}

/// Mappings beyond that of the example.
@Suite struct RESTTaskMappingTests {
  private static func settings(
    _ url: String, _ tasks: JSONValue = [:], type: String = "integer",
    list: JSONValue = ["summary": "Lists.", "method": "GET", "result": "/data"]
  ) -> JSONValue {
    let id: JSONValue = ["type": .init(type)]
    let get: JSONValue = ["summary": "Reads.", "method": "GET", "path": "/{id}", "params": ["id": id]]
    let delete: JSONValue = [
      "summary": "Refuses.", "method": "DELETE", "path": "/{id}", "params": ["id": id, "version": [:]],
    ]
    let all: JSONValue = [
      "list": ["operation": "request.list"], "get": ["operation": "request.get"], "assignees": "/owners",
      "status": ["at": "/state", "ready": ["open"]], "reject": ["operation": "request.delete"],
    ]
    return [
      "url": .init(url), "tasks": all.merging(tasks),
      "resources": ["request": ["path": "/requests", "operations": ["list": list, "get": get, "delete": delete]]],
    ]
  }

  /// Somebody else has decided it, and removed it: that is not our rejection.
  @Test func aDecisionByDeletingWhatIsGoneIsNotTaken() async throws {
    let server = try ScriptedServer { request, _ in
      request.method == "GET" && request.path == "/requests"
        ? .data(#"{"data": [{"id": 1, "state": "open"}]}"#) : .data("{}", status: 404)
    }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url))
      let (source, task) = (try rig.source, try required(try await rig.tasks().first))
      let error = await #expect(throws: RPCError.self) {
        try await rig.passingTime { try await source.decide(Decision(.reject), on: task) }
      }
      #expect(error?.kind == "not-found")
      // As a method of its own, deleting what is not there is done.
      #expect(try await rig.call("request.delete", ["id": 1]) == .null)
    }
  }

  @Test func assigneesAreTextsOrNumbers() async throws {
    let server = try ScriptedServer { _, _ in
      .data(#"{"data": [{"id": 1, "state": "open", "owners": [42, "taro"]}, {"id": 2, "state": "open", "owners": 7}]}"#)
    }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url))
      #expect(try await rig.tasks().map(\.assignees) == [["42", "taro"], ["7"]])
    }
  }

  /// A service with one record under the path `/requests/ANYTHING`.
  private static func service(_ row: String, _ record: String) throws -> ScriptedServer {
    try ScriptedServer { request, _ in
      request.path == "/requests" ? .data("{\"data\": [\(row)]}") : .data(request.method == "GET" ? record : "{}")
    }
  }

  @Test(arguments: ["007", "+7", " 7", "18446744073709551615", "x"])
  func anIdThatTheParamDoesNotTakeAsItIsIsRefusedByName(_ id: String) async throws {
    let server = try Self.service(#"{"id": "\#(id)", "state": "open"}"#, #"{"id": 7, "state": "open"}"#)
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url))
      let (source, task) = (try rig.source, try required(try await rig.tasks().first))
      #expect(task.id.key == id)
      let errors = [
        await #expect(throws: RPCError.self) { try await source.task(task.id) },
        await #expect(throws: RPCError.self) { try await source.decide(Decision(.reject), on: task) },
      ]
      for error in errors {
        #expect(error?.kind == "invalid-params" && error?.message.contains("acme/\(id)") == true, "\(error as Any)")
      }
      #expect(server.requests.count == 1)
    }
  }

  @Test(arguments: ["..", "."])
  func anIdThatIsNoNameInAPathIsRefusedByName(_ id: String) async throws {
    let server = try Self.service(#"{"id": "\#(id)", "state": "open"}"#, "{}")
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url, type: "string"))
      let (source, task) = (try rig.source, try required(try await rig.tasks().first))
      let error = await #expect(throws: RPCError.self) { try await source.task(task.id) }
      #expect(error?.kind == "invalid-params" && error?.message.contains("acme/\(id)") == true, "\(error as Any)")
    }
  }

  @Test func anotherRecordThanTheOneAskedForIsNotTaken() async throws {
    let server = try Self.service(#"{"id": 7, "state": "open"}"#, #"{"id": 9, "state": "decided"}"#)
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url))
      let (source, task) = (try rig.source, try required(try await rig.tasks().first))
      let error = await #expect(throws: RPCError.self) { try await source.task(task.id) }
      #expect(error?.kind == "backend-error" && error?.message.contains("the record \"9\"") == true, "\(error as Any)")
      await #expect(throws: UnclearOutcome.self) {
        try await rig.passingTime { try await source.decide(Decision(.reject), on: task) }
      }
    }
  }

  @Test func aRecordMayLeaveOutTheIdThatItWasAskedForBy() async throws {
    let server = try Self.service(#"{"id": 7, "state": "open"}"#, #"{"state": "open"}"#)
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url))
      let (source, task) = (try rig.source, try required(try await rig.tasks().first))
      #expect(try await source.task(task.id)?.id.key == "7")
    }
  }

  @Test(arguments: [
    (#"{"id": 18446744073709551615, "state": "open"}"#, "/id is an integer beyond 64 bits"),
    (#"{"id": 1, "state": "open", "amount": 12345678901234567890}"#, "/amount of the task acme/1 is an integer beyond"),
  ])
  func aTaskThatRestsOnANumberBeyond64BitsIsRefusedByName(_ row: String, _ says: String) async throws {
    let server = try Self.service(row, "{}")
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url, ["decisive": ["/amount"]]))
      let error = await #expect(throws: RPCError.self) { try await rig.tasks() }
      #expect(error?.kind == "backend-error" && error?.message.contains(says) == true, "\(error as Any)")
    }
  }

  @Test(arguments: ["18446744073709551615", "[1, {\"a\": -18446744073709551615}]"])
  func aNumberBeyond64BitsIsNotSentDamaged(_ version: String) async throws {
    let server = try Self.service(#"{"id": 1, "state": "open", "version": \#(version)}"#, "{}")
    try await onLoop { () async throws in
      let reject: JSONValue = ["operation": "request.delete", "from": ["version": "/version"]]
      let rig = try RESTRig(settings: Self.settings(server.url, ["reject": reject]))
      let (source, task) = (try rig.source, try required(try await rig.tasks().first))
      let error = await #expect(throws: RPCError.self) { try await source.decide(Decision(.reject), on: task) }
      #expect(error?.kind == "invalid-params" && error?.message.contains("version takes /version") == true)
      #expect(server.requests.count == 1)
    }
  }

  @Test func theIdOfTasksTellsRowsApartWhereThePagingNamesNone() async throws {
    let server = try ScriptedServer { _, n in
      .data(#"{"data": [{"id": 1, "state": "open", "seen": \#(n)}, {"id": 2, "state": "open", "seen": \#(n)}]}"#)
    }
    try await onLoop { () async throws in
      let list: JSONValue = ["method": "GET", "result": "/data", "paging": ["by": "page", "param": "p"]]
      let rig = try RESTRig(settings: Self.settings(server.url, list: list))
      let snapshot = try await rig.snapshot()
      #expect(snapshot.items.count == 2 && !snapshot.isComplete && server.requests.count == 2)
    }
  }
}
