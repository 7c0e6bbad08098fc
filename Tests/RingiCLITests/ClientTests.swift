import JSON
import Testing
import Text

@testable import RingiClient

@Suite struct ClientTests {
  @Test func helpListsEveryCommand() throws {
    let run = try Ringi.run("--help")
    #expect(run.code == .success)
    for command in Command.all { #expect(run.output.contains("\n  \(command.name) ")) }
    #expect(run.errors.isEmpty)
  }

  @Test(arguments: Command.all.map(\.name))
  func everyCommandExplainsItselfWithExamples(name: String) throws {
    let run = try Ringi.run(name, "--help")
    #expect(run.code == .success)
    #expect(run.output.hasPrefix("Usage: ringi \(name)"))
    #expect(run.output.contains("Examples:\n  "))
    #expect(run.output.contains("--socket PATH"))
    #expect(try Ringi.run("help", name).output == run.output)
  }

  @Test(arguments: [80, 60, 40])
  func onATerminalHelpFits(columns: Int) throws {
    let commands = Command.all + Command.all.flatMap(\.parts)
    for arguments in [[]] + commands.map({ $0.name.split(separator: " ").map(String.init) }) {
      let run = try Ringi.run(arguments + ["--help"], columns: columns)
      let wide = run.lines.filter { displayWidth(of: $0) > columns }
      // An example that is wider can't be broken, or it could not be copied.
      #expect(wide.allSatisfy { $0.hasPrefix("  ringi") || $0.hasPrefix("  jq") }, "\(wide)")
      if columns == 80 { #expect(wide.isEmpty) }
    }
  }

  @Test func onATerminalMessagesAreBrokenAtWords() throws {
    let run = try Ringi.run(
      "tasks", columns: 40, environment: ["RINGI_SOCKET": "/nowhere/agent.sock", "NO_COLOR": "1"])
    #expect(
      run.errors == """
        ringi: No agent answers at
               /nowhere/agent.sock: No such file
               or directory.
          Start it with `ringid`, or name its
          socket with --socket PATH or
          RINGI_SOCKET.

        """)
  }

  @Test(
    arguments: [
      ([], "ringi tasks"), (["taks"], "Did you mean tasks?"), (["tasks", "--quary", "x"], "Did you mean --query?"),
      (["approve"], "needs TASK"), (["approve", "a", "b"], "there is b"), (["tasks", "--limit"], "needs a value: N"),
      (["tasks", "--json=1"], "takes no value"), (["tasks", "--limit", "-1"], "not -1"),
      (["tasks", "-x"], "no option -x"),
      (["tasks", "--limit", "1", "--limit", "2"], "twice"), (["tasks", "--color", "blue"], "auto, always or never"),
      (["tasks", "--timeout", "5"], "30s"), (["jobs", "walk"], "run, pause or resume"),
      (["call", "x", "y"], "KEY=VALUE"),
      (["approve", "x", "--context", "{"], "line 1"),
    ] as [([String], String)])
  func aSlipOnTheCommandLineIsAUsageError(arguments: [String], part: String) throws {
    let run = try Ringi.run(arguments)
    #expect(run.code == .usage)
    #expect(run.errors.hasPrefix("ringi: "))
    #expect(run.errors.contains(part))
    #expect(run.output.isEmpty)
  }

  @Test func optionsStandAnywhereAndTwoHyphensEndThem() throws {
    let run = try Ringi.run("--json", "say", "--timeout=30s", "--", "--json", "x") { _, _ in .result([:]) }
    #expect(run.requests.map(\.params) == [["text": "--json x"]])
    #expect(run.output == "{}\n")
  }

  @Test func theVersionIsOneLine() throws {
    #expect(try Ringi.run("--version").output == "ringi \(version)\n")
  }

  @Test(arguments: [
    (-32700, ExitCode.invalidParameters), (-32600, .invalidParameters), (-32602, .invalidParameters),
    (-32601, .notFound), (-32603, .internalError), (-32000, .temporary), (-32001, .notPermitted), (-32002, .refused),
    (-32003, .notPermitted), (-32004, .notFound), (-32005, .conflict), (-32006, .temporary), (-32007, .temporary),
    (-32008, .unknownOutcome), (-32800, .refused), (7, .refused),
  ])
  func eachErrorHasItsExitCode(code: Int, exit: ExitCode) throws {
    let run = try Ringi.run("status") { _, _ in .error(["code": JSONValue(code), "message": "No.\u{1B}[2J"]) }
    #expect(run.code == exit)
    #expect(run.errors.hasPrefix("ringi: No.␛[2J\n"))
    #expect(run.output.isEmpty)
  }

  @Test func theErrorsDataTellsWhatToDo() throws {
    let later = try Ringi.run("refresh") { _, _ in
      .error(["code": -32006, "message": "sap is busy.", "data": ["kind": "unavailable", "retryAfter": 29.5]])
    }
    #expect(later.errors == "ringi: sap is busy.\n  Try again in 30 s.\n")
    let which = try Ringi.run("approve", "sap/4") { _, _ in
      .error(["code": -32602, "message": "Two tasks.", "data": ["candidates": ["sap/41", "sap/42"]]])
    }
    #expect(which.errors == "ringi: Two tasks.\n  It could be: sap/41, sap/42\n")
    let changed = try Ringi.run("approve", "sap/4", "--seen", "r1") { _, _ in
      .error(["code": -32005, "message": "Changed.", "data": ["changes": ["context.amount": ["from": 5, "to": 6]]]])
    }
    #expect(changed.errors == "ringi: Changed.\n  context.amount: 5 → 6\n")
  }

  @Test func thePluginsAreReferredToOnce() throws {
    for (message, errors) in [
      ("todo is not running; plugins.list tells why.", "ringi: todo is not running; `ringi plugins` tells why.\n"),
      ("todo has ended.", "ringi: todo has ended.\n  `ringi plugins` says what became of it.\n"),
    ] {
      let run = try Ringi.run("call", "todo.add") { _, _ in .error(["code": -32007, "message": JSONValue(message)]) }
      #expect(run.errors == errors)
    }
  }

  @Test func whatBecameOfATaskIsSaidWhereThereIsOne() throws {
    let task = try Ringi.run("approve", "newest") { _, _ in
      .error(["code": -32008, "message": "Lost.", "data": ["task": "sap/1"]])
    }
    #expect(task.errors.contains("`ringi task sap/1` shows"))
    let other = try Ringi.run("call", "todo.add") { _, _ in .error(["code": -32008, "message": "Lost."]) }
    #expect(other.errors == "ringi: Lost.\n")
  }

  @Test func withoutAnAgentItSaysHowToStartOne() throws {
    let run = try Ringi.run("tasks", environment: ["RINGI_SOCKET": "/nowhere/agent.sock"])
    #expect(run.code == .agentUnreachable)
    #expect(run.errors.contains("/nowhere/agent.sock: No such file or directory.\n  Start it with `ringid`"))
  }

  @Test func anAgentThatGoesAwayIsUnreachable() throws {
    let run = try Ringi.run("tasks") { _, _ in .farewell([]) }
    #expect(run.code == .agentUnreachable)
    #expect(run.errors.contains("before it answered tasks.list"))
  }

  @Test func anAgentThatSaysNothingIsNotWaitedForLongerThanAsked() throws {
    let run = try Ringi.run("tasks", "--timeout", "20ms") { _, _ in .silence }
    #expect(run.code == .temporary)
    #expect(run.errors.contains("has not answered tasks.list in time"))
  }

  @Test func aStrangerAtTheSocketIsRecognised() throws {
    let run = try Ringi.run("tasks") { _, _ in .lines(["HTTP/1.1 400 Bad Request"]) }
    #expect(run.code == .unknownOutcome)
    #expect(run.errors.contains("does not speak JSON-RPC 2.0"))
  }

  @Test func notificationsBeforeTheAnswerDoNotDisturb() throws {
    let run = try Ringi.run("call", "agent.ping") { _, _ in
      .lines([#"{"jsonrpc":"2.0","method":"task-ready","params":{}}"#, #"{"jsonrpc":"2.0","id":1,"result":"pong"}"#])
    }
    #expect(run.output == "\"pong\"\n")
  }

  @Test(
    arguments: [
      (nil, [:], [], false), (80, [:], [], true), (80, ["NO_COLOR": "1"], [], false), (80, ["NO_COLOR": ""], [], true),
      (80, ["TERM": "dumb"], [], false), (80, [:], ["--color", "never"], false), (nil, [:], ["--color=always"], true),
      (80, ["NO_COLOR": "1"], ["--color=always"], true),
    ] as [(Int?, [String: String], [String], Bool)])
  func coloursGoToATerminalThatWantsThem(
    columns: Int?, environment: [String: String], options: [String], colored: Bool
  ) throws {
    let run = try Ringi.run(["claim", "x"] + options, columns: columns, environment: environment) { _, _ in
      .result(["task": ["id": "sap/1", "title": "T"]])
    }
    #expect(run.output.contains("\u{1B}[") == colored)
  }
}
