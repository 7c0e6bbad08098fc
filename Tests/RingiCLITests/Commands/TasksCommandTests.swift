import JSON
import RingiClient
import Testing
import Text

@Suite struct TasksCommandTests {
  private static func task(_ id: String, _ title: String, _ more: JSONValue = [:]) -> JSONValue {
    let task: JSONValue = [
      "id": JSONValue(id), "provider": "sap", "title": JSONValue(title), "status": "ready", "requester": "P2000123456",
      "priority": "medium", "createdAt": "2026-11-29T03:10:00Z", "dueAt": nil,
    ]
    return task.merging(more)
  }

  private static let result: JSONValue = [
    "tasks": [
      task("sap/4005b254-f789-11ef-9cea-eeee0a80bb17", "Approve order 300280", ["priority": "high"]),
      task("sap/77a0c1d2-f789-11ef-9cea-eeee0a80bb17", "発注300280の承認", ["dueAt": "2026-11-28T05:10:00Z"]),
      task(
        "sap/9", "a\u{0}b\nc \u{1B}]0;x\u{07}", ["requester": nil, "createdAt": nil, "dueAt": "2026-11-30T06:10:00Z"]),
    ],
    "sequence": 7, "stale": [],
  ]

  @Test func aPipeGetsEverythingUncutAndPlain() throws {
    let run = try Ringi.run("tasks") { _, _ in .result(Self.result) }
    #expect(run.code == .success)
    #expect(
      run.output == """
        ID                                        TITLE                 REQUESTER    PRIORITY  AGE      DUE
        sap/4005b254-f789-11ef-9cea-eeee0a80bb17  Approve order 300280  P2000123456  high      2 h ago  -
        sap/77a0c1d2-f789-11ef-9cea-eeee0a80bb17  発注300280の承認      P2000123456  medium    2 h ago  1 d ago
        sap/9                                     a␀b␊c ␛]0;x␇          -            medium    -        in 1 d

        """)
    #expect(run.errors.isEmpty)
  }

  @Test(arguments: [40, 60, 80, 100])
  func aTerminalGetsLinesThatFit(columns: Int) throws {
    let run = try Ringi.run("tasks", "--color=never", columns: columns) { _, _ in .result(Self.result) }
    #expect(run.lines.count == 4)
    for line in run.lines { #expect(displayWidth(of: line) <= columns) }
    #expect(run.lines[1].hasPrefix("sap/4005b254…  Approve"))
  }

  @Test func aWideTerminalGetsWholeIds() throws {
    let run = try Ringi.run("tasks", "--color=never", columns: 140) { _, _ in .result(Self.result) }
    #expect(run.output.contains("sap/4005b254-f789-11ef-9cea-eeee0a80bb17 "))
  }

  @Test func decidedTasksShowTheirState() throws {
    let done = Self.task("sap/1", "T", ["status": "done", "outcome": "approved"])
    let run = try Ringi.run("tasks", "--status", "done") { _, _ in .result(["tasks": [done], "stale": []]) }
    #expect(run.output.contains("STATUS") && run.output.contains("done: approved"))
  }

  @Test func filtersReachTheAgent() throws {
    let run = try Ringi.run(
      "tasks", "--provider", "sap", "--status", "claimed", "--query", "300280", "--limit", "5"
    ) { _, _ in .result(["tasks": [], "stale": []]) }
    #expect(run.requests.map(\.method) == ["tasks.list"])
    #expect(run.requests.map(\.params) == [["provider": "sap", "status": "claimed", "query": "300280", "limit": 5]])
    #expect(run.output == "No task fits. `ringi tasks` without options shows all that wait for you.\n")
  }

  @Test func allPagesAreFetchedUnlessLimited() throws {
    let pages: FakeAgent.Script = { _, params in
      let page = params["cursor"]?.string
      let task = Self.task("sap/\(page ?? "0")", "T")
      return .result(["tasks": [task], "stale": [], "nextCursor": page == nil ? "1" : page == "1" ? "2" : nil])
    }
    let all = try Ringi.run("tasks", "--json", script: pages)
    let ids = try JSONValue(parsing: all.output)["tasks"]?.array?.compactMap { $0["id"]?.string }
    #expect(ids == ["sap/0", "sap/1", "sap/2"])
    #expect(try Ringi.run("tasks", "--limit", "1", script: pages).requests.count == 1)
  }

  @Test func anEmptyInboxIsGoodNews() throws {
    let run = try Ringi.run("tasks") { _, _ in .result(["tasks": [], "sequence": 0, "stale": []]) }
    #expect(run.code == .success)
    #expect(run.output == "Nothing waits for you. `ringi watch` tells when something does.\n")
  }

  @Test func whereOneProviderIsAskedForTheOthersAreNotNamed() throws {
    func warning(_ provider: String) throws -> String {
      try Ringi.run("tasks", "--provider", provider) { _, _ in .result(Self.result.setting("stale", to: ["now"])) }
        .errors
    }
    #expect(try warning("sap").isEmpty)
    #expect(try warning("now").contains("the last poll of now failed"))
  }

  @Test func staleProvidersAreNamedBesideTheTable() throws {
    let run = try Ringi.run("tasks") { _, _ in .result(Self.result.setting("stale", to: ["sap", "now"])) }
    #expect(run.errors.contains("the last poll of sap, now failed"))
    #expect(run.lines.count == 4)
    #expect(run.code == .success)
  }

  @Test func jsonIsTheResultItself() throws {
    let run = try Ringi.run("tasks", "--json") { _, _ in .result(Self.result) }
    #expect(try JSONValue(parsing: run.output) == Self.result)
    #expect(run.lines.count == 1)
  }
}
