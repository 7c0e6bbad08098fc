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

/// Which record is meant, and which one an answer is about.
@Suite struct RecordIdentityTests {
  private static let own = "11111111111111111111111111111111"
  private static let other = "99999999999999999999999999999999"

  /// A service that answers with one record whatever it is asked, and with another to a change.
  private func server(_ record: String, change: String? = nil) throws -> ScriptedServer {
    try ScriptedServer { request, _ in
      if request.path.hasSuffix("/j_security_check") {
        return ServerResponse(status: 200, headers: ["Set-Cookie": "LtpaToken2=0123456789abcdef; Path=/"])
      }
      if request.path.hasSuffix("/sys_user") { return .data(#"{"result":[{"sys_id":"u"}]}"#) }
      return .data(request.method == "GET" ? record : change ?? record, headers: ["X-CSRF-Token": "t"])
    }
  }

  private static func approval(_ id: String, _ state: String) -> String {
    #"{"result":{"sys_id":"\#(id)","state":"\#(state)","approver":"u"}}"#
  }

  // MARK: Another record

  private func expectMalformed(_ read: () async throws -> TaskItem?) async {
    let error = await #expect(throws: RPCError.self) { _ = try await read() }
    #expect(error?.kind == "backend-error" && error?.message.contains("instead of") == true)
  }

  @Test func anotherTodoistTaskIsNotTheOneThatWasAskedFor() async throws {
    let server = try server(#"{"id":"6XOther","content":"a"}"#)
    try await onLoop {
      let rig = try ListRig<TodoistState>(settings: ["url": .init(server.url)])
      await expectMalformed { try await rig.item("6XOwn") }
      let error = try await rig.failure("task.update", ["id": "6XOwn", "content": "b"])
      #expect(error.kind == "outcome-unknown")
    }
  }

  @Test func anotherWunderlistTaskIsNotTheOneThatWasAskedFor() async throws {
    let server = try server(#"{"id":9,"list_id":1,"revision":1,"title":"a"}"#)
    try await onLoop {
      let rig = try ListRig<WunderlistState>(settings: ["url": .init(server.url)])
      await expectMalformed { try await rig.item("7") }
      #expect(try await rig.failure("task.get", ["id": 7]).kind == "backend-error")
      let error = try await rig.failure("task.update", ["id": 7, "revision": 1, "title": "a"])
      #expect(error.kind == "outcome-unknown")
    }
  }

  @Test func anotherCuramTaskIsNotTheOneThatWasAskedFor() async throws {
    let server = try server(#"{"taskID":"9","status":"CLOSED"}"#)
    try await onLoop {
      let rig = try CuramRig(settings: ["url": .init(server.url + "/Rest"), "tasks": ["path": "acme/tasks"]])
      await expectMalformed {
        let source = try rig.source
        return try await rig.passingTime { try await source.task(TaskItem.ID(provider: "curam", key: "7")) }
      }
    }
  }

  @Test func anotherSAPTaskIsNotTheOneThatWasAskedFor() async throws {
    let server = try server(#"{"id":"b","status":"COMPLETED"}"#)
    try await onLoop {
      let rig = try SAPRig(settings: ["url": .init(server.url)])
      await expectMalformed { try await rig.item("a") }
      #expect(try await rig.failure("task.get", ["id": "a"]).kind == "backend-error")
      #expect(try await rig.failure("task.complete", ["id": "a"]).kind == "outcome-unknown")
    }
  }

  @Test func anotherApprovalIsNotTheOneThatWasAskedFor() async throws {
    let server = try server(Self.approval(Self.other, "requested"))
    try await onLoop {
      let rig = try ServiceNowRig("basic", settings: ["url": .init(server.url)])
      let source = try rig.source
      await expectMalformed {
        try await rig.passingTime { try await source.task(TaskItem.ID(provider: "now", key: Self.own)) }
      }
      #expect(try await rig.failure("approvals.approve", ["id": .init(Self.own)]).kind == "backend-error")
      #expect(!server.requests.contains { $0.method == "PATCH" })
    }
  }

  @Test func anAnswerToADecisionThatIsAboutAnotherApprovalIsUnclear() async throws {
    let server = try server(Self.approval(Self.own, "requested"), change: Self.approval(Self.other, "approved"))
    try await onLoop {
      let rig = try ServiceNowRig("basic", settings: ["url": .init(server.url)])
      let (source, task) = (try rig.source, TaskItem(id: TaskItem.ID(provider: "now", key: Self.own), title: "a"))
      await #expect(throws: UnclearOutcome.self) {
        _ = try await rig.passingTime { try await source.decide(Decision(.approve), on: task) }
      }
    }
  }

  // MARK: No record

  /// `DELETE /tasks/` may be for all of them, and `POST /tasks/` makes one.
  @Test func withoutAnIDNothingIsSent() async throws {
    try await onLoop {
      let todoist = try ListRig<TodoistState>()
      for id in ["todo/", "@2026-11-30", "todo/@x", "..", "todo/.@x"] {
        for name in ["task.delete", "task.reopen", "task.get", "task.complete"] {
          #expect(try await todoist.failure(name, ["id": .init(id)]).kind == "invalid-params", "\(name) \(id)")
        }
        let error = try await todoist.failure("task.update", ["id": .init(id), "content": "a"])
        #expect(error.kind == "invalid-params")
      }
      #expect(todoist.requests.isEmpty)
      let wunderlist = try ListRig<WunderlistState>()
      for name in ["task.delete", "task.complete", "task.get"] {
        #expect(try await wunderlist.failure(name, ["id": "todo/"]).kind == "invalid-params")
      }
      #expect(wunderlist.requests.isEmpty)
      let sap = try SAPRig()
      for name in ["task.get", "task.context", "task.complete", "task.claim", "task.release"] {
        for id in ["sap/", ".."] { #expect(try await sap.failure(name, ["id": .init(id)]).kind == "invalid-params") }
      }
      #expect(sap.control.requests.isEmpty)
      let now = try ServiceNowRig()
      for name in ["approvals.get", "approvals.approve", "approvals.reject"] {
        #expect(try await now.failure(name, ["id": "now/"]).kind == "invalid-params")
      }
      #expect(now.entries.isEmpty)
    }
  }
}
