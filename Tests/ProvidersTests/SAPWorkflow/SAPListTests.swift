import EventLoop
import HTTPServer
import RingiKit
import JSON
import JSONRPC
import RingiTestSupport
import Sandbox
import Testing
import Timing

@Suite struct SAPListTests {
  private func ids(_ result: JSONValue, _ name: String = "tasks") -> [String] {
    result[name]?.array?.compactMap { $0["id"]?.string } ?? []
  }

  /// P16 and BR-092.
  @Test(arguments: [0, 1, 99, 100, 101, 999, 1000, 1001, 2500])
  func everyRowIsListedOnce(_ count: Int) async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let made = try rig.control.createTasks(SAPTaskDraft(), count: count)
      let result = try await rig.call("task.list")
      #expect(ids(result) == made)
      #expect(result["complete"] == true)
    }
  }

  /// P17.
  @Test func rowsBeyondTheFiveThousandthAreReached() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(.cf)
      let made = try rig.control.createTasks(SAPTaskDraft(), count: 6200)
      let result = try await rig.call("task.list")
      #expect(ids(result) == made)
      #expect(result["complete"] == true)
      #expect(rig.control.requests.allSatisfy { $0.status == 200 })
    }
  }

  @Test func rowsOfTheSameMillisecondAreAllListed() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      var draft = SAPTaskDraft()
      draft.spacing = .zero
      let made = try rig.control.createTasks(draft, count: 2500)
      let result = try await rig.call("task.list")
      #expect(Set(ids(result)) == Set(made) && ids(result).count == made.count)
      #expect(result["complete"] == true)
    }
  }

  @Test func aListThatCannotBeReadToItsEndSaysSo() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      var draft = SAPTaskDraft()
      draft.spacing = .zero
      try rig.control.createTasks(draft, count: 5200)
      #expect(try await rig.call("task.list")["complete"] == false)
      let source = try rig.source
      #expect(try await rig.passingTime { try await source.tasks() }.isComplete == false)
    }
  }

  @Test func aLimitIsKeptAndSaid() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let made = try rig.control.createTasks(SAPTaskDraft(), count: 30)
      for (limit, complete) in [(1, false), (29, false), (30, true), (31, true)] {
        let result = try await rig.call("task.list", ["limit": .init(limit)])
        #expect(ids(result) == Array(made.prefix(limit)))
        #expect(result["complete"]?.bool == complete)
      }
    }
  }

  /// P18 and BR-092.
  @Test func rowsThatLeaveBetweenPagesHideNoOther() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let made = try rig.control.createTasks(SAPTaskDraft(), count: 2500)
      let (control, source, clock) = (rig.control, try rig.source, rig.clock)
      // The second page has to be asked for twice, and in between rows of the first go, which moves all others forward.
      try rig.inject(.status(503), on: "GET /v1/task-instances", skip: 1)
      let list = Loop.task { try await source.tasks() }
      while rig.count("GET /v1/task-instances") < 2 || clock.pending == 0 { await Task.yield() }
      for id in made.prefix(300) { try control.completeElsewhere(id, by: "P1") }
      clock.advance(by: .seconds(60))
      let found = Set(try await list.value.items.map(\.id.key))
      #expect(Set(made.dropFirst(300)).isSubset(of: found))
    }
  }

  /// BR-092.
  @Test(arguments: [
    Fault.Kind.status(500), .truncatedBody(), .malformedJSON, .reset(applied: false), .loginPage,
  ])
  func aPageThatFailsFailsTheList(_ fault: Fault.Kind) async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      try rig.control.createTasks(SAPTaskDraft(), count: 2500)
      try rig.inject(fault, on: "GET /v1/task-instances", skip: 2, count: 5)
      _ = try await rig.failure("task.list")
      rig.control.clearFaults()
      #expect(ids(try await rig.call("task.list")).count == 2500)
    }
  }

  /// P21: times in UTC.
  @Test func filtersAreSentByTheServicesNamesAndRepeated() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      try await rig.call(
        "task.list",
        [
          "status": ["READY", "RESERVED"], "recipientUsers": "P1000001", "createdFrom": "2026-11-30T09:00:00+09:00",
          "createdUpTo": "2026-11-30T00:00:00.5Z", "attributes": ["Büro": "a&b"], "containsText": "x, y",
          "expand": true,
        ])
      let query = try required(rig.control.requests.last?.request.query).map { "\($0.name)=\($0.value)" }
      #expect(
        Set(query) == [
          "status=READY", "status=RESERVED", "recipientUsers=P1000001", "createdFrom=2026-11-30T00:00:00.000Z",
          "createdUpTo=2026-11-30T00:00:00.500Z", "attributes.Büro=a&b", "containsText=x, y", "$expand=attributes",
          "$orderby=createdAt asc", "$top=1000", "$skip=0", "$inlinecount=allpages",
        ])
    }
  }

  @Test func filtersFilter() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let first = try rig.makeTask { $0.priority = .high }
      let second = try rig.makeTask { $0.subject = "Größe" }
      try await rig.call("task.claim", ["id": .init(second)])
      #expect(ids(try await rig.call("task.list", ["status": "READY"])) == [first])
      #expect(ids(try await rig.call("task.list", ["processor": "P1000009"])) == [second])
      #expect(ids(try await rig.call("task.list", ["priority": "HIGH"])) == [first])
      #expect(ids(try await rig.call("task.list", ["subject": "Größe"])) == [second])
      let instance = try required(rig.control.task(first)?.workflowInstanceID)
      #expect(ids(try await rig.call("task.list", ["workflowInstanceId": .init(instance)])) == [first])
    }
  }

  /// P19, P20 and P31.
  @Test(
    arguments: [
      ["processor": ""], ["$filter": "status eq 'READY'"], ["parentId": "x"], ["status": "DONE"], ["subject": "a,b"],
      ["createdFrom": "2026-11-30"], ["createdFrom": "yesterday"], ["limit": 0],
    ] as [JSONValue])
  func whatTheServiceWouldIgnoreOrMisreadIsRefused(_ params: JSONValue) async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      #expect(try await rig.failure("task.list", params).kind == "invalid-params")
      #expect(rig.requests.isEmpty)
    }
  }

  @Test func instancesAreListedOfTheStatusesAskedFor() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      let first = try rig.control.startInstance(of: "ringi_purchase")
      let second = try rig.control.startInstance(of: "ringi_purchase")
      try await rig.call("workflow.cancel", ["id": .init(second)])
      #expect(ids(try await rig.call("workflow.list"), "instances") == [first])
      let all = try await rig.call(
        "workflow.list", ["status": ["RUNNING", "CANCELED"], "definitionId": "ringi_purchase"])
      #expect(Set(ids(all, "instances")) == [first, second])
    }
  }
}
