import JSON
import RingiClient
import Testing

@Suite struct TaskCommandTests {
  private static let task: JSONValue = [
    "id": "sap/1", "provider": "sap", "title": "Approve\u{1B}[2J", "status": "ready", "outcome": nil,
    "requester": "P2000", "assignees": ["A", "B"], "priority": "urgent", "createdAt": "2026-11-29T05:09:00Z",
    "dueAt": nil, "url": nil, "actions": ["approve", "reject"], "revision": "r1",
    "context": ["amount": 68.32, "lines": [["item": "x"]]],
    "history": [["time": "2026-11-29T05:09:00Z", "what": "ready"]], "raw": ["secret": 1],
  ]

  @Test func aTaskIsShownFieldByField() throws {
    let run = try Ringi.run("task", "sap/1…") { _, _ in .result(Self.task) }
    #expect(run.requests.map(\.params) == [["task": "sap/1"]])
    #expect(
      run.output == """
        Approve␛[2J
          id         sap/1
          provider   sap
          status     ready
          requester  P2000
          assignees  A, B
          priority   urgent
          created    2026-11-29 14:09:00 (1 min ago)
          actions    approve, reject
          revision   r1

        Context
          amount        68.32
          lines.1.item  x

        History
          2026-11-29 14:09:00  ready

        """)
  }
}
