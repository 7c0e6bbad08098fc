import JSON
import RingiModel
import Testing
import Timing

@Suite struct TaskItemTests {
  private static let id = TaskItem.ID(provider: "sap", key: "4005b254")

  // MARK: Ids

  @Test func anIDIsTheInstanceAndTheBackendsOwnIDWithItsSlashes() {
    #expect(Self.id.description == "sap/4005b254")
    #expect(TaskItem.ID("sap/4005b254") == Self.id)
    #expect(TaskItem.ID("web/a/b") == TaskItem.ID(provider: "web", key: "a/b"))
  }

  @Test(arguments: ["", "sap", "/x", "sap/", "/"])
  func whatLacksASideIsNoID(text: String) {
    #expect(TaskItem.ID(text) == nil)
  }

  // MARK: JSON

  @Test func theJSONHasEveryMemberOfTheContract() {
    let task = TaskItem(
      id: Self.id, title: "Approve order 300280", requester: "P2000123456", assignees: ["A"], priority: .high,
      createdAt: Timestamp(rfc3339: "2026-11-30T05:09:00Z"), raw: ["n": 1])
    let expected: JSONValue = [
      "id": "sap/4005b254", "provider": "sap", "title": "Approve order 300280", "status": "ready", "outcome": .null,
      "requester": "P2000123456", "assignees": ["A"], "priority": "high", "createdAt": "2026-11-30T05:09:00Z",
      "dueAt": .null, "url": .null, "actions": ["approve", "reject"], "revision": JSONValue(task.revision),
      "raw": ["n": 1],
    ]
    #expect(task.json() == expected)
    #expect(task.json(raw: false) == expected.setting("raw", to: nil))
  }

  // MARK: Revisions

  @Test func whatAPersonDecidesOnIsInTheRevision() {
    func revision(
      title: String = "t", requester: String? = nil, priority: TaskItem.Priority = .medium, due: Int64? = nil,
      decisive: JSONValue = .null
    ) -> String {
      TaskItem(
        id: Self.id, title: title, requester: requester, priority: priority,
        dueAt: due.map { Timestamp(milliseconds: $0) }, decisive: decisive
      ).revision
    }
    let revisions = [
      revision(), revision(title: "u"), revision(requester: "r"), revision(priority: .high), revision(due: 1),
      revision(decisive: ["amount": 100]), revision(decisive: ["amount": 90000]),
    ]
    #expect(Set(revisions).count == revisions.count)
  }

  @Test func whatADecisionDoesNotRestOnIsNotInTheRevision() {
    let one = TaskItem(id: Self.id, title: "t", raw: ["changedAt": 1])
    let other = TaskItem(
      id: Self.id, title: "t", status: .claimed, assignees: ["A"], createdAt: Timestamp(milliseconds: 7),
      url: "https://sap.example/x", actions: [], raw: ["changedAt": 2])
    #expect(one.revision == other.revision)
  }

  @Test func theOrderOfMembersIsNotInTheRevision() throws {
    func revision(_ decisive: String) throws -> String {
      TaskItem(id: Self.id, title: "t", decisive: try JSONValue(parsing: decisive)).revision
    }
    #expect(try revision(#"{"a":1,"b":[{"x":1,"y":2}]}"#) == revision(#"{"b":[{"y":2,"x":1}],"a":1}"#))
    #expect(try revision(#"[1,2]"#) != revision(#"[2,1]"#))
    #expect(try revision("1") != revision("\"1\""))
  }

  @Test func aRevisionIsTheSameInEveryRunOnEveryMachine() {
    #expect(TaskItem(id: Self.id, title: "t", decisive: ["amount": 100]).revision == "b78732a9d734eb2f")
  }
}
