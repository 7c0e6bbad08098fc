import EventLoop
import HTTPServer
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiTestSupport
import Sandbox
import Testing

@Suite struct CuramWatchTests {
  private static let watch: JSONValue = ["watch": [["path": "persons/101"], ["path": "ua/application_form"]]]

  @Loop private func rename(_ rig: CuramRig, _ name: String) {
    rig.sandbox.with { $0.setResource("persons/101", ["concernRoleID": "101", "fullName": .init(name)]) }
  }

  @Test func anInstanceThatWatchesNothingIsNotPolled() async throws {
    try await onLoop { () async throws in #expect(try CuramRig().plugin.watch == nil) }
  }

  @Test func theFirstSightSaysNothingAndAChangeItsPatch() async throws {
    try await onLoop {
      let rig = try CuramRig(settings: Self.watch)
      rename(rig, "Ada Example")
      #expect(try await rig.poll() == ["watched": 2, "changed": 0])
      #expect(rig.published.isEmpty)
      rename(rig, "Ada Other")
      #expect(try await rig.poll() == ["watched": 2, "changed": 1])
      let event = try required(rig.published.first)
      #expect(event.type == EventType("record-changed") && event.subject == "persons/101")
      #expect(
        event.data == [
          "path": "persons/101", "patch": [["op": "replace", "path": "/fullName", "value": "Ada Other"]],
        ])
      try await rig.poll()
      #expect(rig.published.count == 1)
    }
  }

  @Test func aChangeThatIsLongerThanTheRecordIsTheRecord() async throws {
    try await onLoop {
      let rig = try CuramRig(settings: Self.watch)
      let many = JSONValue(array: (0..<500).map { JSONValue($0) })
      rig.sandbox.with { $0.setResource("persons/101", ["numbers": many]) }
      try await rig.poll()
      rig.sandbox.with { $0.setResource("persons/101", ["numbers": JSONValue(array: many.array?.reversed() ?? [])]) }
      try await rig.poll()
      let patch = try required(rig.published.first?.data["patch"]?.array)
      #expect(patch.count == 1 && patch[0]["op"] == "replace" && patch[0]["path"] == "")
      #expect(patch[0]["value"]?["numbers"]?[0] == 499)
      // One step is shorter than all.
      rig.sandbox.with { $0.setResource("persons/101", ["numbers": many]) }
      try await rig.poll()
      rig.sandbox.with { $0.setResource("persons/101", ["numbers": many, "a": 1]) }
      try await rig.poll()
      #expect(rig.published.last?.data["patch"] == [["op": "add", "path": "/a", "value": 1]])
    }
  }

  @Test func whatWasSeenOutlivesTheAgent() async throws {
    try await onLoop {
      let rig = try CuramRig(settings: Self.watch)
      rename(rig, "Ada Example")
      try await rig.poll()
      rename(rig, "Ada Married")
      let next = try CuramRig(settings: Self.watch, after: rig)
      try await next.poll()
      #expect(next.published.map(\.subject) == ["persons/101"])
    }
  }

  @Test func aQueryMakesAnotherResource() async throws {
    try await onLoop {
      let rig = try CuramRig(settings: [
        "watch": [["path": "persons/101"], ["path": "persons/101", "query": ["view": "all"]]]
      ])
      try await rig.poll()
      rename(rig, "Ada Other")
      try await rig.poll()
      #expect(rig.published.map { $0.data["query"] } == [nil, ["view": "all"]])
    }
  }

  @Test func aResourceThatIsNotWatchedAnyMoreIsForgotten() async throws {
    try await onLoop {
      let rig = try CuramRig(settings: Self.watch)
      try await rig.poll()
      let only = try CuramRig(settings: ["watch": [["path": "ua/application_form"]]], after: rig)
      try await only.poll()
      let state = PluginState(of: "curam", in: rig.store)
      #expect(try await state.get("watch")?.array?.count == 1)
      rename(rig, "Ada Other")
      let again = try CuramRig(settings: Self.watch, after: rig)
      try await again.poll()
      #expect(again.published.isEmpty)
    }
  }

  @Test func aResourceThatIsGoneConcludesNothingAndHoldsUpNoOther() async throws {
    try await onLoop {
      let rig = try CuramRig(settings: Self.watch)
      try await rig.poll()
      rig.sandbox.with {
        $0.setResource("persons/101", nil)
        $0.setResource("ua/application_form", ["data": [["id": "1"]]])
      }
      #expect(try await rig.failure { try await rig.poll() }.kind == "not-found")
      #expect(rig.published.map(\.subject) == ["ua/application_form"])
    }
  }

  /// K10 and BR-092: a login's page is no record.
  @Test(arguments: [.loginPage, .malformedJSON, .truncatedBody(), .status(404)] as [Fault.Kind])
  func whatIsNoRecordIsNoChange(_ fault: Fault.Kind) async throws {
    try await onLoop {
      let rig = try CuramRig(settings: Self.watch)
      try await rig.poll()
      // As often as it is asked for in one poll: after a new login for a page, three times for a body that ends early.
      let count =
        switch fault {
        case .loginPage: 2
        case .truncatedBody: 3
        default: 1
        }
      try rig.inject(fault, on: "GET /v1/persons/*", count: count)
      _ = try await rig.failure { try await rig.poll() }
      try await rig.poll()
      #expect(rig.published.isEmpty)
    }
  }

  @Test func aChangeThatCouldNotBeSaidIsSaidAtTheNextPoll() async throws {
    try await onLoop {
      let rig = try CuramRig(settings: Self.watch)
      try await rig.poll()
      rename(rig, "Ada Other")
      rig.isFull = true
      #expect(try await rig.failure { try await rig.poll() }.kind == "overloaded")
      rig.isFull = false
      try await rig.poll()
      #expect(rig.published.count == 1)
    }
  }

  @Test func aRecordThatIsTooLongIsRefused() async throws {
    try await onLoop {
      let rig = try CuramRig(settings: Self.watch)
      rename(rig, String(repeating: "a", count: 1_000_000))
      let error = try await rig.failure { try await rig.poll() }
      #expect(error.kind == "backend-error" && error.message.contains("persons/101"))
    }
  }
}
