import Foundation
import JSON
import RingiClient
import Testing

@Suite struct WatchCommandTests {
  private static func notification(_ type: String, _ sequence: Int, _ data: JSONValue) -> String {
    let event: JSONValue = [
      "type": JSONValue(type), "sequence": JSONValue(sequence), "time": "2026-11-29T05:09:00.5Z", "subject": "sap/1",
      "data": data,
    ]
    let message: JSONValue = [
      "jsonrpc": "2.0", "method": JSONValue(type), "params": ["subscription": "1", "event": event],
    ]
    return message.description
  }

  private static let subscribed = #"{"jsonrpc":"2.0","id":1,"result":{"subscription":"1","sequence":0}}"#
  private static let lines = [
    subscribed, notification("task-ready", 1, ["task": ["id": "sap/1", "title": "承認\u{1B}[2J"]]),
    notification(
      "approval-done", 2,
      [
        "task": ["id": "sap/1", "title": "承認"], "outcome": "approved", "by": "P2000", "via": "backend",
        "comment": "fine\nso",
      ]),
    notification("poll-failed", 3, ["provider": "sap", "message": "no route"]),
    notification("plugin-down", 3, ["plugin": "jira", "state": "backoff", "error": "exit status 3"]),
    notification("plugin-up", 3, ["plugin": "jira", "state": "running"]),
    #"{"jsonrpc":"2.0","method":"events-lost","params":{"subscription":"1","from":4,"to":9}}"#,
  ]

  @Test func eventsAreLinesUntilTheAgentGoesAway() throws {
    let run = try Ringi.run("watch") { _, _ in .farewell(Self.lines) }
    #expect(run.code == .agentUnreachable)
    #expect(
      run.output == """
        2026-11-29 14:09:00  task-ready      承認␛[2J (sap/1)
        2026-11-29 14:09:00  approval-done   承認 (sap/1): approved by P2000 via the backend – fine␊so
        2026-11-29 14:09:00  poll-failed     sap/1: no route
        2026-11-29 14:09:00  plugin-down     jira is down (backoff): exit status 3
        2026-11-29 14:09:00  plugin-up       jira runs
        -                    events-lost     events 4 to 9 did not arrive; `ringi events --since 3` shows what is missing, if they are still kept

        """)
    #expect(run.errors.contains("The agent closed the connection."))
  }

  @Test func asJSONEachEventIsOneLine() throws {
    let run = try Ringi.run("watch", "--json", columns: 80) { _, _ in .farewell(Self.lines) }
    let events = try run.lines.map { try JSONValue(parsing: $0) }
    #expect(
      events.map { $0["type"]?.string } == [
        "task-ready", "approval-done", "poll-failed", "plugin-down", "plugin-up", "events-lost",
      ])
    #expect(events.last?["to"] == 9)
  }

  @Test func filtersReachTheAgent() throws {
    let run = try Ringi.run(
      "watch", "--type", "task-ready,task-gone", "--type", "x", "--where", "provider=sap", "--where",
      "task.priority=high",
      "--since", "41"
    ) { _, _ in .farewell([]) }
    #expect(
      run.requests.map(\.params) == [
        [
          "types": ["task-ready", "task-gone", "x"], "where": ["provider": "sap", "task.priority": "high"],
          "since": 41,
        ]
      ])
  }

  @Test func beingInterruptedIsSuccess() throws {
    let interruption = Pipe()
    let run = try Ringi.run(
      "watch", interruption: interruption.fileHandleForReading.fileDescriptor,
      script: { _, _ in .lines(Array(Self.lines.prefix(2))) },
      onOutput: { _ in try? interruption.fileHandleForWriting.close() })
    #expect(run.code == .success)
    #expect(run.lines.count == 1)
    #expect(run.errors.isEmpty)
  }

  @Test func eventsThatCameBeforeTheAnswerAreShownToo() throws {
    let run = try Ringi.run("watch", "--json") { _, _ in .farewell([Self.lines[1], Self.lines[0], Self.lines[2]]) }
    #expect(run.lines.count == 2)
  }
}
