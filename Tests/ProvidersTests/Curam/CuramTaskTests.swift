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

/// Tasks of a site's own resource.
@Suite struct CuramTaskTests {
  /// 2^53 + 1; the sandbox has 2^53, too, which is the same as a double.
  private static let exact = "9007199254740993"

  @Loop private func rig(
    _ tasks: JSONValue = [:], at server: ScriptedServer? = nil,
    _ switches: (inout CuramSwitches) -> Void = { _ in }
  ) throws -> CuramRig {
    let path: JSONValue = ["path": "acme/tasks"]
    let settings: JSONValue = ["tasks": path.merging(tasks)]
    return try CuramRig(
      settings: server.map { settings.setting("url", to: .init($0.url + "/Rest")) } ?? settings, switches: switches)
  }

  @Loop private func exact(_ rig: CuramRig) async throws -> TaskItem {
    try required(try await rig.items().first { $0.id.key == Self.exact })
  }

  @Test func openTasksWaitAndTellWhatTheSiteTells() async throws {
    try await onLoop {
      let rig = try rig()
      rig.sandbox.with {
        $0.makeTask("Call back", deadline: "2026-12-01T17:00:00.000+09:00", reservedBy: "caseworker2")
        try? $0.closeElsewhere("9007199254740992")
      }
      let tasks = try await rig.items()
      #expect(tasks.map(\.title) == ["Verify address evidence", "Call back"])
      #expect(tasks.map(\.status) == [.ready, .claimed] && tasks[1].assignees == ["caseworker2"])
      #expect(tasks[1].dueAt == Timestamp(rfc3339: "2026-12-01T08:00:00Z"))
      #expect(tasks[0].id.description == "curam/\(Self.exact)" && tasks[0].actions == [.approve, .complete])
    }
  }

  /// K21: read through a double, the neighbour would be closed.
  @Test(arguments: [false, true]) func theTaskThatIsDecidedIsClosedAndNotItsNeighbour(_ numeric: Bool) async throws {
    try await onLoop {
      let rig = try rig { ($0.numericIDs, $0.extraFields, $0.csrf) = (numeric, true, true) }
      let task = try await exact(rig)
      let decided = try await rig.decide(.approve, task)
      #expect(decided.status == .done && decided.outcome == .approved)
      #expect(rig.sandbox.with { $0.closings } == [Self.exact: 1])
      #expect(try await rig.items().map(\.id.key) == ["9007199254740992"])
    }
  }

  @Test func aTaskClosedElsewhereIsAlreadyDecided() async throws {
    try await onLoop {
      let rig = try rig()
      let task = try await exact(rig)
      try rig.sandbox.with { state throws in try state.closeElsewhere(Self.exact) }
      let error = await #expect(throws: AlreadyDecided.self) { try await rig.decide(.complete, task) }
      #expect(error?.task.outcome == .completed)
      #expect(rig.sandbox.with { $0.closings }.isEmpty)
    }
  }

  @Test func aRefusalOfATaskThatIsOpenIsTheServicesOwn() async throws {
    try await onLoop {
      let rig = try rig()
      let task = try await exact(rig)
      try rig.inject(.status(400), on: "POST /v1/acme/tasks/*/close")
      let error = await #expect(throws: RPCError.self) { try await rig.decide(.complete, task) }
      #expect(error?.kind == "backend-error" && error?.details["status"] == 400)
      _ = try await rig.decide(.complete, task)
    }
  }

  /// The closing takes effect and its answer is lost: it is not sent again.
  @Test(arguments: [.reset(applied: true), .status(502, applied: true), .status(503)] as [Fault.Kind])
  func aClosingWhoseAnswerIsLostIsUnclear(_ fault: Fault.Kind) async throws {
    try await onLoop {
      let rig = try rig()
      let task = try await exact(rig)
      try rig.inject(fault, on: "POST /v1/acme/tasks/*/close")
      await #expect(throws: UnclearOutcome.self) { try await rig.decide(.complete, task) }
      #expect(rig.lines.count { $0.hasPrefix("POST /v1/") } == 1)
    }
  }

  @Test(arguments: CuramSwitches.Expired.allCases)
  func anExpiredLoginIsRenewedAndTheTaskClosedOnce(_ expired: CuramSwitches.Expired) async throws {
    try await onLoop {
      let rig = try rig { $0.expired = expired }
      let task = try await exact(rig)
      rig.sandbox.with { $0.expireLogins() }
      _ = try await rig.decide(.complete, task)
      #expect(rig.sandbox.with { $0.closings } == [Self.exact: 1] && rig.logins == 2)
    }
  }

  @Test(arguments: [.loginPage, .malformedJSON, .status(404)] as [Fault.Kind])
  func whatIsNoListFailsThePoll(_ fault: Fault.Kind) async throws {
    try await onLoop {
      let rig = try rig()
      try rig.inject(fault, on: "GET /v1/acme/tasks", count: 2)
      await #expect(throws: RPCError.self) { try await rig.items() }
    }
  }

  /// A service with one task of a status.
  private func server(_ status: String, id: String = "7") throws -> ScriptedServer {
    try ScriptedServer { request, _ in
      if request.path.hasSuffix("/j_security_check") {
        return ServerResponse(status: 200, headers: ["Set-Cookie": "LtpaToken2=0123456789abcdef; Path=/"])
      }
      let task = #"{"taskID":"\#(id)","status":"\#(status)"}"#
      return .data(request.path.hasSuffix("/tasks") ? #"{"data":[\#(task)]}"# : task)
    }
  }

  @Test(
    arguments: [
      ("OPEN", TaskItem.Status.ready, nil), ("CLOSED", .done, .completed), ("INPROGRESS", .gone, nil),
      ("open", .gone, nil),
    ] as [(String, TaskItem.Status, TaskItem.Outcome?)])
  func aTaskThatIsNeitherOpenNorClosedDoesNotWaitNow(
    _ word: String, _ status: TaskItem.Status, _ outcome: TaskItem.Outcome?
  ) async throws {
    let server = try server(word)
    try await onLoop {
      let rig = try rig(["closed": ["CLOSED"]], at: server)
      let source = try rig.source
      let task = try await rig.passingTime { try await source.task(TaskItem.ID(provider: "curam", key: "7")) }
      #expect(task?.status == status && task?.outcome == outcome)
      #expect(try await rig.items().count == (status == .ready ? 1 : 0))
    }
  }

  @Test func theWordsForAClosedTaskAreASetting() async throws {
    let server = try server("TRANSFERRED")
    try await onLoop {
      let rig = try rig(["closed": ["CLOSED", "TRANSFERRED"]], at: server)
      let source = try rig.source
      let task = try await rig.passingTime { try await source.task(TaskItem.ID(provider: "curam", key: "7")) }
      #expect(task?.status == .done && task?.outcome == .completed)
    }
  }

  @Test(arguments: ["", ".", ".."]) func anIDThatIsNoNameOfAResourceIsNone(_ id: String) async throws {
    let server = try server("OPEN", id: id)
    try await onLoop {
      let rig = try rig(at: server)
      let error = await #expect(throws: RPCError.self) { try await rig.items() }
      #expect(error?.kind == "backend-error")
    }
  }

  @Test func theListsQueryIsTheSites() async throws {
    try await onLoop {
      let rig = try rig(["query": ["status": "OPEN", "team": "7"]])
      _ = try await rig.items()
      #expect(rig.requests.last?.query.map(\.name) == ["status", "team"])
    }
  }

  @Test func aRejectionIsRefusedBeforeAnythingIsSent() async throws {
    try await onLoop {
      let rig = try rig()
      let task = try await exact(rig)
      let error = await #expect(throws: RPCError.self) { try await rig.decide(.reject, task) }
      #expect(error?.kind == "invalid-params" && !rig.lines.contains { $0.hasPrefix("POST /v1/") })
      let preview = try rig.source.preview(Decision(.complete), on: task)
      #expect(preview["path"] == .init("acme/tasks/\(Self.exact)/close"))
    }
  }
}
