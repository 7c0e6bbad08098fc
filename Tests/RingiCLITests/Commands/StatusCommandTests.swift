import JSON
import RingiClient
import Testing
import Text

@Suite struct StatusCommandTests {
  private static let error = "The program ended with exit status 3 before it had answered; its last words: no route"

  private static let status: JSONValue = [
    "version": "1.0.0", "pid": 7, "uptime": 7300, "startedAt": "2026-11-29T03:08:20Z", "config": "/etc/ringi",
    "plugins": [
      [
        "name": "sap", "kind": "builtin", "provider": "sap-workflow", "state": "running",
        "since": "2026-11-29T05:09:00Z", "methods": ["sap.a"], "restarts": 0, "lastError": nil, "calls": 3,
        "inFlight": 0, "errors": 0, "latency": ["median": 30.2, "p95": 1234], "memory": nil,
      ]
    ],
    "jobs": [
      [
        "name": "tick", "schedule": ["every": "1m"], "upcoming": ["2026-11-29T05:20:00Z"], "last": nil,
        "lastDuration": nil, "failures": 0, "paused": false, "lastError": JSONValue(error),
      ]
    ],
    "hooks": [
      [
        "name": "notify", "on": ["task-ready"], "where": [:], "action": "program", "state": "idle", "lastSequence": 12,
        "backlog": 0, "delivered": 3, "failed": 1, "lost": 0, "lastError": JSONValue(error),
      ]
    ],
    "store": [
      "path": "/home/p2000/.local/state/ringi/ringi.db", "bytes": 4096, "events": 1, "firstSequence": 1,
      "lastSequence": 1, "lastCommit": "2026-11-29T05:09:00.123Z", "lastCommitDuration": "2ms", "waiting": 0,
      "trouble": nil,
    ],
    "problems": ["x.json:1:2: no\nway"], "counters": ["requests": 5], "pendingDecisions": 1,
  ]

  @Test func whatIsWrongComesFirstThenTheAgentThenTheTables() throws {
    let run = try Ringi.run("status") { _, _ in .result(Self.status) }
    #expect(
      run.output == """
        1 problem
          x.json:1:2: no␊way

        Agent    version 1.0.0, pid 7, up since 2026-11-29 12:08:20
        Store    1 event, 4.0 KiB, /home/p2000/.local/state/ringi/ringi.db, last commit 2026-11-29 14:09:00 in 2ms
        Pending  1 decision

        Plugins
        NAME  STATE    SINCE      KIND     CALLS  IN FLIGHT  ERRORS  MEDIAN    P95  MEMORY  RESTARTS  LAST ERROR
        sap   running  1 min ago  builtin      3          0       0   30 ms  1.2 s       -         0  -

        Jobs
        NAME  SCHEDULE  NEXT                 LAST  TOOK  FAILURES  LAST ERROR
        tick  every 1m  2026-11-29 14:20:00  -        -         0  \(Self.error)

        Hooks
        NAME    STATE  ON          WHERE  ACTION   LAST EVENT  BACKLOG  DELIVERED  FAILED  LOST  LAST ERROR
        notify  idle   task-ready  -      program          12        0          3       1     0  \(Self.error)

        """)
  }

  @Test func withoutProblemsItSaysSo() throws {
    let run = try Ringi.run("status") { _, _ in .result(Self.status.setting("problems", to: [])) }
    #expect(run.lines.first == "No problems")
  }

  @Test(arguments: [40, 60, 80])
  func everyLineFitsTheTerminal(columns: Int) throws {
    let run = try Ringi.run("status", "--color=never", columns: columns) { _, _ in .result(Self.status) }
    for line in run.lines { #expect(displayWidth(of: line) <= columns, "\(line)") }
    #expect(run.lines.contains { $0.hasPrefix("notify  idle") && !$0.hasPrefix("notify  idle…") })
  }

  @Test func theAnswerIsJSONAsItCame() throws {
    let run = try Ringi.run("status", "--json") { _, _ in .result(Self.status) }
    #expect(try JSONValue(parsing: run.output) == Self.status)
  }
}
