import JSON
import RingiClient
import Testing
import Text

@Suite struct HooksCommandTests {
  private static let error = "The program ended with exit status 3; its last words: no route to the mail server"

  private static func deliveries(of hook: String) -> JSONValue {
    let delivery: JSONValue = [
      "id": JSONValue("\(hook)/17"), "hook": JSONValue(hook), "sequence": 17, "event": "01J-0017", "type": "task-ready",
      "state": "failed", "attempts": 3, "exitStatus": 3, "signal": nil, "lastError": JSONValue(error),
      "startedAt": "2026-11-29T05:08:00.5Z", "finishedAt": "2026-11-29T05:09:00.298Z",
    ]
    let killed = delivery.merging([
      "id": JSONValue("\(hook)/18"), "state": "waiting", "exitStatus": nil, "signal": 9, "finishedAt": nil,
    ])
    return ["deliveries": [delivery, killed]]
  }

  @Test func aPipeGetsDeliveriesUncutWithTimesOfTheWall() throws {
    let run = try Ringi.run("hooks", "deliveries") { _, _ in .result(Self.deliveries(of: "a")) }
    #expect(
      run.output == """
        ID    TYPE        STATE    ATTEMPTS  EXIT      STARTED              FINISHED             LAST ERROR
        a/17  task-ready  failed          3  3         2026-11-29 14:08:00  2026-11-29 14:09:00  \(Self.error)
        a/18  task-ready  waiting         3  signal 9  2026-11-29 14:08:00  -                    \(Self.error)

        """)
  }

  @Test(arguments: [20, 40, 60, 80], ["notify", "a-rather-long-name"])
  func deliveriesFitAndTheirIdsStayWhole(columns: Int, hook: String) throws {
    let run = try Ringi.run("hooks", "deliveries", "--color=never", columns: columns) { _, _ in
      .result(Self.deliveries(of: hook))
    }
    #expect(run.lines.dropFirst().map { $0.contains("\(hook)/17") } == [true, false])
    for line in run.lines { #expect(displayWidth(of: line) <= max(columns, hook.count + 3)) }
  }

  @Test func anEmptyConditionIsAnEmptyCell() throws {
    let run = try Ringi.run("hooks") { _, _ in .result(["hooks": [["name": "a", "where": [:], "lastError": "x\u{7}"]]])
    }
    #expect(!run.output.contains("{}"))
    #expect(run.lines.last?.hasSuffix("x␇") == true)
  }

  @Test(arguments: [[], ["--json"]])
  func aTestThatFailsIsNoSuccess(options: [String]) throws {
    let result: JSONValue = ["delivered": false, "exitStatus": 3, "error": "exit status 3"]
    let run = try Ringi.run(["hooks", "test", "notify"] + options) { _, _ in .result(result) }
    #expect(run.code == .refused)
    #expect(run.output.contains("delivered"))
    #expect(run.errors == "ringi: The hook notify failed: exit status 3\n")
    let good = try Ringi.run(["hooks", "test", "notify"] + options) { _, _ in .result(["delivered": true]) }
    #expect(good.code == .success)
  }
}
