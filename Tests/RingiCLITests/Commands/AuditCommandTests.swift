import JSON
import RingiClient
import Testing

@Suite struct AuditCommandTests {
  private static let entries: JSONValue = [
    [
      "number": 7, "time": "2026-11-29T05:09:00Z", "action": "approve", "task": "sap/1", "outcome": "approved",
      "actor": ["client": ["listener": "/a", "uid": 1000, "user": "ada", "name": "ringi"], "phrase": "だいじょぶだぁ"],
    ],
    ["number": 8, "time": "2026-11-29T05:09:01Z", "action": "jobs.run", "outcome": "failed", "actor": ["hook": "h"]],
  ]

  @Test("Who had what done is a table")
  func table() throws {
    let run = try Ringi.run("audit", "--task", "sap/1…", "--limit", "2") { _, _ in
      .result(["entries": Self.entries, "last": 8])
    }
    #expect(run.requests.map(\.params) == [["task": "sap/1", "limit": 2]])
    #expect(
      run.output == """
        NUMBER  TIME                 ACTION    TASK   OUTCOME   WHO
             7  2026-11-29 14:09:00  approve   sap/1  approved  ada by ringi, phrase だいじょぶだぁ
             8  2026-11-29 14:09:01  jobs.run  -      failed    hook h

        """)
  }

  @Test("A broken chain is a failure that says where")
  func broken() throws {
    let run = try Ringi.run("audit", "--verify") { _, _ in
      .result(["entries": 9, "head": "ab", "valid": false, "firstBroken": 4])
    }
    #expect(run.code == .refused)
    #expect(run.errors.contains("entry 4"))
  }

  @Test("A whole chain shows the head to be kept")
  func whole() throws {
    let run = try Ringi.run("audit", "--verify") { _, _ in .result(["entries": 9, "head": "ab", "valid": true]) }
    #expect(run.code == .success)
    #expect(run.lines.first == "Whole: 9 entries, the last with the hash")
    #expect(run.lines.contains("  ab"))
  }

  @Test("A backup is asked for by an absolute path, and its progress shown on a terminal")
  func backup() throws {
    let run = try Ringi.run("backup", "a.db", "--force", columns: 80, environment: ["NO_COLOR": "1"]) { _, params in
      .lines([
        #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":{"share":0.5}}}"#,
        #"{"jsonrpc":"2.0","id":1,"result":{"file":"/x/a.db","bytes":1572864}}"#,
      ])
    }
    #expect(run.requests.first?.params["file"]?.string?.hasPrefix("/") == true)
    #expect(run.requests.first?.params["force"] == true)
    #expect(run.errors.contains("50 %"))
    #expect(run.output == "Written: /x/a.db, 1.5 MiB\n")
  }
}
