import JSON
import RingiClient
import Testing

@Suite struct DecisionCommandsTests {
  private static func decided(_ outcome: String, _ more: JSONValue = [:]) -> FakeAgent.Script {
    { _, _ in
      let task: JSONValue = [
        "id": "sap/1", "title": "Approve order 300280", "status": "done", "outcome": JSONValue(outcome),
      ]
      let result: JSONValue = ["task": task, "event": ["id": "01J"]]
      return .result(result.merging(more))
    }
  }

  @Test(arguments: [
    ("approve", "approved", "Approved"), ("reject", "rejected", "Rejected"), ("complete", "completed", "Completed"),
  ])
  func aDecisionNamesTheTask(command: String, outcome: String, word: String) throws {
    let run = try Ringi.run(command, "newest", script: Self.decided(outcome))
    #expect(run.code == .success)
    #expect(run.requests.map(\.method) == ["tasks.\(command)"])
    #expect(run.requests.map(\.params) == [["task": "newest"]])
    #expect(run.output == "\(word): Approve order 300280 (sap/1)\n")
  }

  @Test func whatWasDoneAlreadyIsSaid() throws {
    let run = try Ringi.run("approve", "sap/1", script: Self.decided("approved", ["already": true]))
    #expect(run.output == "Already approved: Approve order 300280 (sap/1)\n")
  }

  @Test func everyOptionReachesTheAgent() throws {
    let run = try Ringi.run(
      "complete", "sap/1…", "--decision", "escalate", "--comment", "ok", "--context", #"{"a":1}"#, "--seen", "r1",
      "--idempotency-key", "k", script: Self.decided("completed"))
    let params: JSONValue = [
      "task": "sap/1", "decision": "escalate", "comment": "ok", "context": ["a": 1], "seen": "r1",
      "idempotencyKey": "k",
    ]
    #expect(run.requests.map(\.params) == [params])
  }

  @Test func aDryRunShowsWhatWouldBeSent() throws {
    let run = try Ringi.run("approve", "sap/1", "--dry-run") { _, _ in
      .result(["task": ["id": "sap/1", "title": "T"], "dryRun": true, "request": ["method": "PATCH"]])
    }
    #expect(run.requests.map(\.params) == [["task": "sap/1", "dryRun": true]])
    #expect(run.output == "T (sap/1): nothing was sent; this would be:\n{\"method\":\"PATCH\"}\n")
  }

  @Test func aConflictIsToldWithTheAgentsWords() throws {
    let run = try Ringi.run("approve", "sap/1") { _, _ in
      .error(["code": -32005, "message": "It was rejected already.", "data": ["kind": "conflict", "retryable": false]])
    }
    #expect(run.code == .conflict)
    #expect(run.errors == "ringi: It was rejected already.\n")
  }

  @Test(arguments: [("claim", "Claimed"), ("release", "Released")])
  func claimsNameTheTask(command: String, word: String) throws {
    let run = try Ringi.run(command, "sap/1", script: Self.decided("x"))
    #expect(run.requests.map(\.method) == ["tasks.\(command)"])
    #expect(run.output == "\(word): Approve order 300280 (sap/1)\n")
  }
}
