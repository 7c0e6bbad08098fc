import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

/// `ringi plugin check`, with plugins that each do one thing wrong.
@Suite(.enabled(if: PluginWorld.isPossible))
struct PluginCheckTests {
  /// A change to ``script``, and what is found then.
  struct Case: Sendable, CustomTestStringConvertible {
    let fault: String
    let change: String
    let step: String
    let got: String
    var timeout = "30s"
    var testDescription: String { fault }
  }

  private static let cases = [
    Case(
      fault: "never answers initialize", change: "calls['initialize'] = lambda p: time.sleep(1000)",
      step: "initialize", got: "none", timeout: "300ms"),
    Case(
      fault: "ends at once", change: "print('no such table', file=sys.stderr); sys.exit(3)", step: "initialize",
      got: "its end: It ended with exit status 3. Its last words: no such table"),
    Case(
      fault: "ends once it has started", change: "calls['tasks.list'] = lambda p: os._exit(0)", step: "tasks.list",
      got: "its end: It ended with exit status 0."),
    Case(
      fault: "closes its output", change: "def unknown(id): os.close(1); time.sleep(1000)", step: "unknown method",
      got: "its end: It closed its standard output."),
    Case(fault: "refuses to start", change: "calls.pop('initialize')", step: "initialize", got: "unknown"),
    Case(
      fault: "offers what is no object", change: "manifest = [1]", step: "initialize",
      got: "it takes an object, got array"),
    Case(
      fault: "has a schema that is none", change: "manifest['methods'] = [{'name': 'a', 'params': {'type': 'text'}}]",
      step: "initialize", got: "/methods/0/params/type: this keyword takes a type"),
    Case(
      fault: "takes a word of the protocol", change: "manifest['methods'] = [{'name': 'tasks.list'}]",
      step: "initialize", got: "is a word of the protocol"),
    Case(
      fault: "writes what is no JSON", change: "say('Welcome to P!')", step: "standard output", got: "Welcome to P!"),
    Case(
      fault: "answers with other ids", change: "def respond(id, **a): send(id=id + 1000, **a); sys.exit()",
      step: "standard output", got: "answered a call that was never made"),
    Case(
      fault: "answers twice", change: "respond = lambda id, **a: (send(id=id, **a), send(id=id, **a))",
      step: "standard output", got: "answered a call a second time"),
    Case(
      fault: "answers with strings for ids", change: "respond = lambda id, **a: send(id=str(id), **a)",
      step: "initialize", got: "none; what it wrote instead is told below", timeout: "10s"),
    Case(
      fault: "leaves jsonrpc out", change: "respond = lambda id, **a: say(json.dumps({'id': id, **a}))",
      step: "initialize", got: "no \"jsonrpc\": \"2.0\""),
    Case(
      fault: "answers with a result and an error", change: "def unknown(id): respond(id, result=1, error={'code': 1})",
      step: "unknown method", got: "both result and error"),
    Case(
      fault: "passes over what it doesn't know", change: "def unknown(id): pass", step: "unknown method", got: "none",
      timeout: "10s"),
    Case(
      fault: "answers what it doesn't know", change: "def unknown(id): respond(id, result=None)",
      step: "unknown method", got: "the result null"),
    Case(
      fault: "refuses what it doesn't know in its own way",
      change: "def unknown(id): respond(id, error={'code': -1, 'message': 'What?'})", step: "unknown method",
      got: "error -1: What?"),
    Case(
      fault: "ends over a notification", change: "def cancelled(): raise KeyError('id')", step: "cancellation",
      got: "Its last words: KeyError: 'id'"),
    Case(
      fault: "answers a notification", change: "def cancelled(): respond(None, result=None)", step: "standard output",
      got: "no JSON-RPC 2.0 message"),
    Case(
      fault: "lists something else", change: "calls['tasks.list'] = lambda p: {'items': tasks}", step: "tasks.list",
      got: "{\"items\""),
    Case(
      fault: "lists a task without an id", change: "tasks.append({'title': 'Second'})", step: "tasks.list",
      got: "a task has no id"),
    Case(
      fault: "lists a task that can't be", change: "tasks.append({'id': '2', 'priority': 'huge'})",
      step: "tasks.list", got: "priority takes one of low, medium, high, urgent, got \"huge\""),
    Case(
      fault: "lists a task twice", change: "tasks.append(tasks[0])", step: "tasks.list", got: "the task 1 twice"),
    Case(
      fault: "lists a decided task", change: "tasks.append({'id': '2', 'title': 'x', 'outcome': 'approved'})",
      step: "tasks.list", got: "the task 2, which is done"),
    Case(
      fault: "answers about another task", change: "calls['tasks.get'] = lambda p: {'id': '9', 'title': 'x'}",
      step: "tasks.get", got: "the task 9"),
    Case(
      fault: "knows a task that there is not", change: "calls['tasks.get'] = lambda p: {'id': p['task']}",
      step: "tasks.get of no task", got: "the result {\"id\":\"ringi-check-no-such-task\"}"),
    Case(
      fault: "fails over the context", change: "manifest['taskContext'] = True", step: "tasks.context",
      got: "error -32601: unknown"),
    Case(
      fault: "publishes an event of the agent's", change: "send(method='event', params={'type': 'task-ready'})",
      step: "its own requests", got: "event: type: task-ready is the agent's own"),
    Case(
      fault: "asks for what there is not", change: "send(id='a', method='agent.status')", step: "its own requests",
      got: "The agent takes agent.call"),
    Case(
      fault: "calls what its file doesn't allow",
      change: "send(id='a', method='agent.call', params={'method': 'agent.shutdown'})", step: "its own requests",
      got: "may not call agent.shutdown"),
    Case(
      fault: "doesn't end with its input", change: "def end(): time.sleep(1000)", step: "end",
      got: "SIGTERM had to end it"),
    Case(
      fault: "doesn't end at all",
      change: "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ndef end(): time.sleep(1000)", step: "end",
      got: "SIGTERM and SIGKILL had to end it"),
    Case(
      fault: "leaves a process behind",
      change: "subprocess.Popen(['sleep', '1000'], start_new_session=True, stdout=2)", step: "end",
      got: "which ran on"),
  ]

  @Test("What a plugin does wrong is found", arguments: cases)
  func departures(_ fault: Case) throws {
    let report = try check(fault.change, timeout: fault.timeout, status: 1)
    let found = report["departures"]?.array?.contains {
      $0["step"]?.string == fault.step && $0["got"]?.string?.contains(fault.got) == true
    }
    #expect(found == true, "\(report)")
    #expect(report["isRight"] == false)
  }

  @Test("A plugin that keeps to the protocol is told so, and nothing of it is changed")
  func right() throws {
    let report = try check(
      """
      manifest["methods"] = [{"name": "wipe", "summary": "Wipes.", "mutation": True}, {"name": "look", "summary": "Looks."}]
      for name in ["wipe", "look", "tasks.complete", "tasks.claim", "tasks.release"]:
          calls[name] = lambda p: os._exit(9)
      """, status: 0)
    #expect(report["departures"] == [] && report["remarks"] == [])
    let steps = report["steps"]?.array?.compactMap { $0["step"]?.string }
    #expect(
      steps == [
        "initialize", "settings", "tasks.list", "tasks.get", "tasks.get of no task", "unknown method", "cancellation",
        "end",
      ])
  }

  @Test(
    "What works and may not be meant is remarked upon, and is no departure",
    arguments: [
      ("manifest['setingsSchema'] = {}", "did you mean \"settingsSchema\"?"),
      ("manifest.pop('name')", "gives no name"),
      ("manifest['methods'] = [{'name': 'a', 'mutations': True}]", "did you mean \"mutation\"?"),
      ("tasks[0]['asignees'] = []", "did you mean \"assignees\"?"),
      ("calls.pop('tasks.get')", "It has no tasks.get"),
      ("def get(key): return {**tasks[0], 'title': 'Other'} if key == '1' else None", "differ about the task 1"),
      ("def end(): sys.exit(4)", "ended with exit status 4"),
      ("subprocess.Popen(['sleep', '1000'], stdout=2)", "sleep, process "),
    ])
  func remarks(_ change: String, _ remark: String) throws {
    let report = try check(change, status: 0)
    let found = report["remarks"]?.array?.contains { $0["remark"]?.string?.contains(remark) == true }
    #expect(found == true, "\(report)")
  }

  @Test("What a plugin left behind doesn't outlive the check")
  func leftBehind() throws {
    let report = try check(
      "subprocess.Popen(['sleep', '1000'], start_new_session=True, stdout=2)", status: 1)
    let got = report["departures"]?[0]?["got"]?.string ?? ""
    let process = try #require(Int32(got.drop { !$0.isNumber }.prefix { $0.isNumber }), "\(report)")
    #expect(!PluginWorld.isAlive(process))
  }

  @Test("Settings are checked against the plugin's schema, secrets are handed over, and none is told")
  func settings() throws {
    let change = """
      schema = {"type": "object", "properties": {"url": {"type": "string"}, "token": {"x-secret": True}}}
      manifest["settingsSchema"] = schema
      def initialize(p):
          if p["settings"].get("token") == "hunter22":
              say("it is hunter22")
          return manifest
      calls["initialize"] = initialize
      """
    let wrong = try check(change, ["settings": ["url": 7]], status: 1)
    #expect(wrong["departures"]?[0]?["step"] == "settings")
    #expect(wrong["departures"]?[0]?["got"]?.string?.hasSuffix("takes a string, got 7") == true)
    let missing = try check(change, ["settings": ["token": ["env": "NO_SUCH_TOKEN"]]], status: 1)
    #expect(missing["departures"]?[0]?["step"] == "secrets")
    let told = try check(change, ["settings": ["token": ["env": "P_TOKEN"]]], status: 1)
    #expect(told["departures"]?[0]?["got"]?.string?.contains("it is •••") == true, "\(told)")
    #expect(!told.description.contains("hunter22"))
  }

  @Test("State is kept for a plugin while it is checked")
  func state() throws {
    let report = try check(
      """
      def read():
          return json.loads(sys.stdin.readline())
      def initialize(p):
          send(id="a", method="state.set", params={"key": "k", "value": [1]})
          read()
          send(id="b", method="state.get", params={"key": "k"})
          assert read()["result"] == [1]
          send(id="c", method="agent.call", params={"method": "tasks.refresh"})
          assert read()["error"]["data"]["kind"] == "unavailable"
          return manifest
      calls["initialize"] = initialize
      """, status: 0)
    #expect(report["departures"] == [])
  }

  // MARK: Other files

  @Test("A file that can't be used, a provider and a program that is not there are told as such")
  func files() throws {
    let folder = try AgentFolder([
      "plugins.d/broken.json": "{", "plugins.d/none.json": #"{"command": ["./none"]}"#,
      "plugins.d/sap.json":
        #"{"provider": "sap-workflow", "settings": {"environment": "neo", "url": "http://127.0.0.1:1", "user": "a", "password": "bcde"}}"#,
    ])
    for (name, got) in [("broken", "broken.json:1:2"), ("none", "was not found"), ("sap", "part of the agent")] {
      let run = try Program.run("ringid", ["--check-plugin", name, "--config", folder.config, "--json"])
      #expect(run.status == 1)
      #expect(run.output.contains(got), "\(run.output)")
    }
    let run = try Program.run("ringid", ["--check-plugin", "nine", "--config", folder.config])
    #expect(run.status == 66)
    #expect(run.errors.contains("There is no plugin nine") && run.errors.contains("Did you mean none?"))
  }

  @Test("A folder and a program in the place of the plugin's file are told as such, with the file")
  func otherFiles() throws {
    let folder = try AgentFolder([
      "plugins.d/todo.json": #"{"command": ["./todo/plugin.py"]}"#, "plugins.d/todo/plugin.py": "", "alone/a.py": "",
    ])
    let file = "\(folder.config)/plugins.d/todo.json"
    for (path, got) in [
      ("plugins.d/todo/", "is a folder; the plugin's file is \(file)."),
      ("plugins.d/todo/plugin.py", "is no plugin's file; the plugin's file is \(file)."),
      ("alone/a.py", "is no plugin's file; name the plugin, or its .json file in plugins.d."),
    ] {
      let run = try Program.run("ringid", ["--check-plugin", "\(folder.config)/\(path)"])
      #expect(run.status == 66)
      #expect(run.errors.contains(got), "\(run.errors)")
    }
  }

  @Test(
    "A server of the Model Context Protocol whose file doesn't say so is told what its file needs",
    arguments: [
      "calls['initialize'] = lambda p: {'protocolVersion': '2025-06-18', 'capabilities': {}, 'serverInfo': {'name': 'p'}}",
      "calls.pop('initialize')\ndef unknown(id): respond(id, error={'code': -32602, 'message': 'Invalid request parameters'})",
    ])
  func otherProtocol(_ change: String) throws {
    let report = try check(change, status: 1)
    #expect(report["departures"]?[0]?["got"]?.string?.contains(#""protocol": "mcp""#) == true, "\(report)")
  }

  @Test("A server of the Model Context Protocol is checked in its own way")
  func servers() throws {
    let right = try check(script: PluginWorld.server, ["protocol": "mcp"], arguments: [#"{"count": 3}"#], status: 0)
    #expect(right["departures"] == [], "\(right)")
    let strange = try check(
      script: PluginWorld.server, ["protocol": "mcp"], arguments: [#"{"revision": "2099-01-01"}"#], status: 1)
    #expect(strange["departures"]?[0]?["got"]?.string?.contains("\"2099-01-01\"") == true, "\(strange)")
  }

  @Test("What a server asks while it is checked is answered as its file has it, or refused as by the agent")
  func curiousServer() throws {
    let answer = #"{"count": 3, "nosy": {"action": "accept", "content": {"name": "Ada"}}}"#
    let right = try check(
      script: PluginWorld.server, ["protocol": "mcp", "elicitation": ["answers": ["name": "Ada"]]],
      arguments: [answer], status: 0)
    #expect(right["departures"] == [], "\(right)")
    let refused = try check(script: PluginWorld.server, ["protocol": "mcp"], arguments: [answer], status: 1)
    #expect(
      refused["departures"]?[0]?["got"]?.string?.contains("The agent answers ping and offers a server nothing else")
        == true, "\(refused)")
  }

  // MARK: Processes of somebody else

  /// Whether a test can start what it may not end: it gives up the rights of root for that.
  private static let hasRights =
    geteuid() == 0 && Program.isInstalled("setpriv") && Program.isInstalled("cc")
    && (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8))?.contains("NoNewPrivs:\t0") == true

  @Test("A process that the check may not end is told, and keeps nobody waiting", .enabled(if: hasRights))
  func unkillable() throws {
    let world = try PluginWorld(
      script: Self.script.replacingOccurrences(of: "#CHANGE", with: "subprocess.Popen(['./other'], stdout=2)"))
    try world.folder.write(
      "plugins.d/other.c", "#include <unistd.h>\nint main(void) { setuid(0); return sleep(1000); }")
    let other = "\(world.folder.config)/plugins.d/other"
    try LibraryWorld.run("/usr/bin/cc", ["-o", other, "\(other).c"])
    #expect(chmod(other, 0o4755) == 0)
    let run = try Program.run(
      "setpriv",
      [
        "--reuid=65534", "--regid=65534", "--clear-groups", Program.folder.appendingPathComponent("ringid").path,
        "--check-plugin", "\(world.folder.config)/plugins.d/p.json", "--json",
      ])
    #expect(run.status == 1, "\(run)")
    let report = try JSONValue(parsing: run.output)
    let got = report["departures"]?[0]?["got"]?.string ?? ""
    #expect(got.hasPrefix("other, process ") && got.hasSuffix("which can't be ended"), "\(report)")
    let process = try #require(Int32(got.drop { !$0.isNumber }.prefix { $0.isNumber }))
    #expect(PluginWorld.isAlive(process))
    kill(process, SIGKILL)
  }

  // MARK: Support

  private func check(
    _ change: String, _ plugin: JSONValue = [:], timeout: String = "30s", status: Int32
  ) throws -> JSONValue {
    try check(
      script: Self.script.replacingOccurrences(of: "#CHANGE", with: change), plugin, timeout: timeout, status: status)
  }

  private func check(
    script: String, _ plugin: JSONValue, arguments: [String] = [], timeout: String = "30s", status: Int32
  ) throws -> JSONValue {
    let world = try PluginWorld(plugin, script: script, arguments: arguments)
    let run = try Program.run(
      "ringi", ["plugin", "check", "\(world.folder.config)/plugins.d/p.json", "--timeout", timeout, "--json"],
      environment: ["P_TOKEN": "hunter22"])
    #expect(run.status == status, "\(run.output)\(run.errors)")
    return try JSONValue(parsing: run.output)
  }

  /// A plugin that does everything right until something is changed.
  private static let script = #"""
    import json, os, signal, subprocess, sys, time

    manifest = {"name": "p", "version": "1", "tasks": True}
    tasks = [{"id": "1", "title": "First"}]

    def say(text):
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def send(**message):
        say(json.dumps({"jsonrpc": "2.0", **message}))

    def respond(id, **answer):
        send(id=id, **answer)

    def unknown(id):
        respond(id, error={"code": -32601, "message": "unknown"})

    def get(key):
        return next((task for task in tasks if task.get("id") == key), None)

    def cancelled():
        pass

    def end():
        pass

    calls = {"initialize": lambda p: manifest, "tasks.list": lambda p: {"tasks": tasks},
             "tasks.get": lambda p: get(p["task"]), "shutdown": lambda p: None}

    #CHANGE

    for line in sys.stdin:
        message = json.loads(line)
        if "method" not in message:
            continue
        if "id" not in message:
            cancelled()
        elif message["method"] in calls:
            respond(message["id"], result=calls[message["method"]](message.get("params", {})))
        else:
            unknown(message["id"])
    end()
    """#
}
