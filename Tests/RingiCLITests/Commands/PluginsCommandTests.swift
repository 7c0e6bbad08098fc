import Foundation
import JSON
import RingiClient
import Testing
import Text

@Suite struct PluginsCommandTests {
  private static let plugin: JSONValue = [
    "name": "todo", "kind": "process", "provider": "./todo.py", "state": "running", "since": "2026-11-29T03:10:00Z",
    "uptime": 7200, "methods": ["todo.add", "todo.list"], "restarts": 3, "lastError": nil, "pid": 71,
    "memory": 12_897_484, "calls": 1204, "inFlight": 1, "errors": 2, "latency": ["median": 0.214, "p95": 12.6],
  ]
  private static let failed: JSONValue = [
    "name": "sap", "kind": "builtin", "provider": "sap-workflow", "state": "failed", "since": "2026-11-29T05:09:00Z",
    "uptime": nil, "methods": [], "restarts": 0, "lastError": ["message": "The settings don't fit: there is no url."],
    "pid": nil, "memory": nil, "calls": 0, "inFlight": 0, "errors": 0, "latency": nil,
  ]

  @Test func theTableShowsHowTheyAreAndWhatTheyCost() throws {
    let run = try Ringi.run("plugins") { _, _ in .result(["plugins": [Self.failed, Self.plugin]]) }
    #expect(
      run.output == """
        NAME  STATE    SINCE      KIND     CALLS  IN FLIGHT  ERRORS   MEDIAN    P95    MEMORY  RESTARTS  LAST ERROR
        sap   failed   1 min ago  builtin      0          0       0        -      -         -         0  The settings don't fit: there is no url.
        todo  running  2 h ago    process   1204          1       2  0.21 ms  13 ms  12.2 MiB         3  -

        """)
  }

  @Test func atATerminalTheTableFits() throws {
    let run = try Ringi.run("plugins", "--color", "never", columns: 80) { _, _ in
      .result(["plugins": [Self.failed, Self.plugin]])
    }
    #expect(run.lines.allSatisfy { displayWidth(of: $0) <= 80 }, "\(run.output)")
    #expect(run.lines[0].contains("CALLS") && run.lines[0].contains("MEDIAN") && run.lines[0].contains("LAST ERROR"))
  }

  @Test(arguments: [["plugins", "todo"], ["plugins", "get", "todo"]])
  func allOfOneIsAListOfFields(arguments: [String]) throws {
    let run = try Ringi.run(arguments) { _, _ in .result(Self.plugin) }
    #expect(run.requests.map(\.method) == ["plugins.get"] && run.requests.map(\.params) == [["plugin": "todo"]])
    #expect(
      run.output == """
          name        todo
          kind        process
          provider    ./todo.py
          state       running
          since       2026-11-29 12:10:00
          uptime      2h
          restarts    3
          pid         71
          memory      12.2 MiB
          calls       1204
          in flight   1
          errors      2
          median      0.21 ms
          p95         13 ms
          methods     todo.add
                      todo.list
          last error  -

        """)
  }

  @Test func oneCanBeRestarted() throws {
    let run = try Ringi.run("plugins", "restart", "sap") { _, _ in .result(["name": "sap", "state": "starting"]) }
    #expect(run.requests.map(\.method) == ["plugins.restart"] && run.requests.map(\.params) == [["plugin": "sap"]])
    #expect(run.output == "sap: starting\n")
  }

  @Test(arguments: [["a", "b"], ["restart", "a", "b"], ["--follow"], ["restart", "a", "--limit", "1"]])
  func whatMakesNoSenseIsRefused(arguments: [String]) throws {
    #expect(try Ringi.run(["plugins"] + arguments).code == .usage)
  }

  @Test(arguments: ["get", "logs", "restart"])
  func aNameThatIsMissingIsAskedFor(word: String) throws {
    let run = try Ringi.run("plugins", word)
    #expect(run.code == .usage)
    #expect(run.errors.hasPrefix("ringi: ringi plugins \(word) needs the name of a plugin.\n"))
  }

  // MARK: The log

  private static func line(_ number: Int, _ level: String, _ message: String) -> JSONValue {
    [
      "number": JSONValue(number), "time": "2026-11-29T05:09:00.123Z", "level": JSONValue(level),
      "message": JSONValue(message),
    ]
  }

  @Test func theLogIsLines() throws {
    let run = try Ringi.run("plugins", "logs", "todo", "--limit", "2") { _, _ in
      .result(["lines": [Self.line(1, "info", "承認\u{1B}[2J"), Self.line(2, "warning", "late")]])
    }
    #expect(run.requests.map(\.params) == [["plugin": "todo", "limit": 2]])
    #expect(
      run.output == """
        2026-11-29 14:09:00  info     承認␛[2J
        2026-11-29 14:09:00  warning  late

        """)
    #expect(
      try Ringi.run("plugins", "logs", "todo") { _, _ in .result(["lines": []]) }.output == "Nothing was logged.\n")
  }

  @Test func followingShowsEachLineOnceAndTellsOfGaps() throws {
    let interruption = Pipe()
    let run = try Ringi.run(
      ["plugins", "logs", "todo", "--follow", "--json"],
      interruption: interruption.fileHandleForReading.fileDescriptor,
      script: { _, params in
        switch params["since"]?.int {
        case nil: .result(["lines": [Self.line(7, "info", "a")]])
        case 7: .result(["lines": [Self.line(8, "info", "b"), Self.line(9, "info", "c")]])
        default: .result(["lines": [Self.line(12, "error", "d")]])
        }
      },
      onOutput: { if $0.contains("\"d\"") { try? interruption.fileHandleForWriting.close() } })
    #expect(run.code == .success)
    #expect(run.requests.map { $0.params["since"]?.int } == [nil, 7, 9])
    #expect(try run.lines.map { try JSONValue(parsing: $0)["number"]?.int } == [7, 8, 9, 12])
    #expect(run.errors == "ringi: 2 lines came too fast, and are gone.\n")
  }
}
