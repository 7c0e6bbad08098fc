import EventLoop
import JSON
import JSONRPC
import Providers
import RingiCore
import RingiKit
import RingiModel
import RingiTestSupport
import Sandbox
import Testing

/// Closes whose answers are lost, and changes whose record can't be read afterwards.
@Suite struct TodoistCloseTests {
  private typealias Rig = ListRig<TodoistState>

  @Loop private func rig(store: Store? = nil) throws -> Rig {
    let configuration = TodoistConfiguration()
    return try Rig(Todoist.self, configuration, settings: ["token": .init(configuration.token)], store: store)
  }

  @Loop private func make(_ rig: Rig, _ content: String = "PO 4711") -> String {
    rig.sandbox.with { $0.makeTask(content, due: "2026-11-30") }
  }

  /// BR-101: the first one may have done it, whatever becomes of those that follow.
  @Test(arguments: [401, 403, 404]) func aRefusalOfTheSecondAttemptSaysNothingOfTheFirst(_ status: Int) async throws {
    try await onLoop { () async throws in
      let rig = try rig()
      let task = try await rig.item(make(rig))
      try rig.inject(.reset(applied: true), on: "POST /sync")
      try rig.inject(.status(status), on: "POST /sync")
      await #expect(throws: UnclearOutcome.self) { try await rig.decide(.approve, task) }
      // What is sent later is the same command.
      _ = try? await rig.decide(.approve, task)
      #expect(rig.sandbox.with { $0.closings } == [task.id.key.split(separator: "@").first.map(String.init) ?? "": 1])
    }
  }

  @Test func closesOfTwoTasksAtOnceAreBothKept() async throws {
    try await onLoop { () async throws in
      let log = Log(level: .error, clock: TestClock(), redactor: Redactor())
      let store = try Store(inMemoryFor: TestClock(), log: log)
      let rig = try rig(store: store)
      let tasks = [try await rig.item(make(rig, "a")), try await rig.item(make(rig, "b"))]
      try rig.inject(.reset(applied: true), on: "POST /sync", count: nil)
      let decisions = tasks.map { task in Loop.task { try await rig.decide(.approve, task) } }
      for decision in decisions { await #expect(throws: UnclearOutcome.self) { try await decision.value } }
      let kept = try await PluginState(of: "todo", in: store).get("closes")
      #expect(Set(kept?.object?.keys ?? []) == Set(tasks.map(\.id.key)))
    }
  }

  /// The caller must not take it for a failure and send it again.
  @Test(arguments: ["task.complete", "task.reopen"])
  func aChangeWhoseRecordCannotBeReadIsNotCalledAFailure(_ method: String) async throws {
    try await onLoop { () async throws in
      let rig = try rig()
      let id = make(rig)
      if method == "task.reopen" { _ = try await rig.call("task.complete", ["id": .init(id)]) }
      try rig.inject(.status(503), on: "GET /tasks/*", skip: method == "task.complete" ? 1 : 0, count: nil)
      let error = try await rig.failure(method, ["id": .init(id)])
      #expect(error.kind == "outcome-unknown" && !error.isRetryable && error.message.contains("the change was made"))
    }
  }

  @Test func completedTasksAreThoseOfTheProjectAndTheLabel() async throws {
    try await onLoop { () async throws in
      let rig = try rig()
      rig.sandbox.with { state in
        let project = state.makeProject("Purchases")
        for task in [
          state.makeTask("both", project: project, labels: ["urgent"]), state.makeTask("label", labels: ["urgent"]),
          state.makeTask("project", project: project),
        ] { try? state.closeElsewhere(task) }
      }
      let project = try await rig.call("project.list")["projects"]?.array?.last?["id"] ?? .null
      let time: JSONValue = ["completed": true, "since": "2026-11-01T00:00:00Z", "until": "2026-12-30T00:00:00Z"]
      func contents(_ filter: JSONValue) async throws -> [String?]? {
        try await rig.call("task.list", time.merging(filter))["tasks"]?.array?.map { $0["content"]?.string }.sorted {
          ($0 ?? "") < ($1 ?? "")
        }
      }
      #expect(try await contents([:]) == ["both", "label", "project"])
      #expect(try await contents(["project_id": project]) == ["both", "project"])
      #expect(try await contents(["label": "urgent", "project_id": project]) == ["both"])
    }
  }
}
