import Foundation
import Glibc
import JSON
import RingiTestSupport

/// An agent in front of plugins that are real programs.
final class PluginWorld {
  let folder: AgentFolder
  private(set) var agent: Program?

  /// Writes a configuration with the plugin `p`.
  ///
  /// - Parameters:
  ///   - plugin: Members of p.json beside its command.
  ///   - script: The program.
  ///   - arguments: Words for the program.
  ///   - files: Further files of the configuration.
  /// - Throws: What keeps them from being written.
  init(
    _ plugin: JSONValue = [:], script: String = PluginWorld.script, arguments: [String] = [],
    files: [String: String] = [:]
  ) throws {
    folder = try AgentFolder(files)
    try folder.write("plugins.d/p.py", script)
    try writePlugin(plugin, arguments: arguments)
  }

  func writePlugin(_ plugin: JSONValue = [:], arguments: [String] = []) throws {
    let command = ["/usr/bin/python3", "p.py"] + arguments
    let file: JSONValue = ["command": JSONValue(array: command.map { JSONValue($0) })]
    try folder.write("plugins.d/p.json", file.merging(plugin).description)
  }

  /// Starts the agent and waits until the plugin is as it should be.
  ///
  /// - Parameters:
  ///   - state: The plugin's state.
  ///   - environment: Variables for the agent.
  /// - Returns: A client.
  /// - Throws: What keeps the agent from starting.
  func start(until state: String? = "running", environment: [String: String] = [:]) throws -> TestClient {
    let agent = try Program("ringid", folder.arguments + ["--socket", folder.socket], environment: environment)
    self.agent = agent
    let client = try agent.connect(folder.socket)
    if let state { try wait(client) { $0["state"]?.string == state } }
    return client
  }

  /// Waits until the plugin's row fulfils a condition.
  @discardableResult
  func wait(
    _ client: TestClient, for plugin: String = "p", seconds: Double = 40, _ condition: (JSONValue) -> Bool
  ) throws -> JSONValue {
    let end = Date(timeIntervalSinceNow: seconds)
    while true {
      let row = try client.call("plugins.get", ["plugin": JSONValue(plugin)])
      if condition(row) { return row }
      guard Date() < end else { throw AgentFolder.AgentError(text: "\(row)\n\(agent?.errorText ?? "")") }
      usleep(5000)
    }
  }

  func pid(_ client: TestClient) throws -> Int32 {
    Int32(try client.call("plugins.get", ["plugin": "p"])["pid"]?.int ?? 0)
  }

  /// The processes whose parent is the agent, zombies too.
  var children: [Int32] { agent.map { Self.children(of: $0.pid) } ?? [] }

  static func children(of process: Int32) -> [Int32] {
    let text = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
    return text?.split(separator: " ").compactMap { Int32($0) } ?? []
  }

  /// How many descriptors the agent has open.
  var descriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(agent?.pid ?? 0)/fd").count) ?? 0
  }

  /// Those of the children that have ended and were not noticed; one that has just ended gets its moment.
  var zombies: [Int32] {
    for _ in 0..<500 where children.contains(where: { !Self.isAlive($0) }) { usleep(10_000) }
    return children.filter { !Self.isAlive($0) }
  }

  /// The agent's resident memory, in KiB.
  var memory: Int {
    let status = (try? String(contentsOfFile: "/proc/\(agent?.pid ?? 0)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  static func isAlive(_ process: Int32) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
    return !status.contains(") Z ")
  }

  static let isPossible = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

  /// A plugin that does what its calls tell it, a thread for each.
  static let script = #"""
    import base64, json, os, signal, subprocess, sys, threading, time, urllib.parse

    lock = threading.Lock()
    waiting = {}
    seen = []
    settings = {}
    tasks = {"1": {"id": "1", "title": "First"}, "2": {"id": "2", "title": "Second", "priority": "high"}}
    flags = sys.argv[1:]

    def put(text):
        with lock:
            os.write(1, text if isinstance(text, bytes) else (text + "\n").encode())

    def send(**message):
        put(json.dumps({"jsonrpc": "2.0", **message}))

    def ask(method, params):
        with lock:
            key = "q%d" % (len(waiting) + 1)
            waiting[key] = [threading.Event(), None]
        send(id=key, method=method, params=params)
        waiting[key][0].wait(20)
        return waiting[key][1]

    class Refusal(Exception):
        pass

    def initialize(id, params):
        global settings
        settings = params["settings"]
        if "banner" in flags:
            put("Welcome to plugin P!\n{broken\n")
        extra = json.loads(flags[flags.index("answer") + 1]) if "answer" in flags else {}
        names = ["echo", "sleep", "raw", "exit", "tell", "ask", "event", "progress", "noise", "spawn", "settings",
                 "refuse", "seen", "endless", "hundredth", "grow", "big", "hoard", "storm", "loop", "daemon",
                 "confess"]
        return {"name": "p", "version": "1", "tasks": "tasks" in flags, "methods": [
            {"name": name, "summary": "Does %s." % name} for name in names] + [
            {"name": "strict", "params": {"type": "object", "properties": {"n": {"type": "integer"}},
             "required": ["n"], "additionalProperties": False}, "result": {"type": "integer"}},
            {"name": "act", "mutation": True}], **extra}

    def sleep(id, params):
        time.sleep(params["ms"] / 1000)
        return "slept"

    def raw(id, params):
        put(params["text"].replace("$ID", str(id)) + params.get("end", "\n"))
        raise SystemExit

    def exit(id, params):
        if "half" in params:
            put(b'{"jsonrpc":"2.0","id":1')
        os._exit(params.get("code", 0))

    def tell(id, params):
        send(method=params["method"], params=params["params"])

    def event(id, params):
        for n in range(params["count"]):
            send(method="event", params={"type": "p-event", "data": {"n": n}})

    def progress(id, params):
        send(method="$/progress", params={"token": params["progressToken"], "value": 1})
        return ask("agent.call", params["call"]) if "call" in params else None

    def noise(id, params):
        for n in range(60000):
            os.write(2, b"a line of forty characters to be logged.\n")
        os.write(2, b"x" * 4000000)
        os.write(2, os.urandom(4000000))
        return "quiet"

    def endless(id, params):
        for n in range(300):
            put(b"x" * 1000)
        raise SystemExit

    def spawn(id, params):
        child = subprocess.Popen(["sleep", "1000"])
        return child.pid

    def daemon(id, params):
        child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        return child.pid

    def confess(id, params):
        token = settings["token"]
        forms = [token, base64.b64encode(token.encode()).decode(), urllib.parse.quote(token, safe="")]
        os.write(2, ("my secret is %s\n" % " or ".join(forms)).encode())
        os._exit(1)

    def hundredth(id, params):
        count[0] += 1
        return count[0] if count[0] < 100 else os._exit(100)

    def grow(id, params):
        hoard = []
        try:
            for n in range(params["mb"]):
                hoard.append(b"x" * (1 << 20))
        except MemoryError:
            os.write(2, b"out of memory\n")
            os._exit(12)
        return len(hoard)

    def hoard(id, params):
        answers = [ask("state.set", {"key": "k%d" % n, "value": n}) for n in range(params["keys"])]
        answers.append(ask("state.set", {"key": "k1", "value": "x" * params["bytes"]}))
        errors = [a["error"] for a in answers if "error" in a]
        return {"errors": len(errors), "kind": errors[-1]["data"]["kind"]}

    def storm(id, params):
        keys = ["s%d" % n for n in range(params["calls"])]
        for key in keys:
            waiting[key] = [threading.Event(), None]
            send(id=key, method="agent.call", params={"method": "agent.ping", "params": {}})
        for key in keys:
            waiting[key][0].wait(60)
        answers = [waiting[key][1] for key in keys]
        return {"results": sum("result" in a for a in answers), "kinds": sorted(set(
            a["error"]["data"]["kind"] for a in answers if "error" in a)), "answers": len(answers)}

    def loop(id, params):
        answer = ask("agent.call", {"method": "p.loop", "params": {}})
        return answer["result"] if "result" in answer else answer["error"]["data"]["kind"]

    def refuse(id, params):
        raise Refusal(params)

    def complete(id, params):
        if "lost" in flags:
            json.dump(params, open("lost.json", "a"))
            os._exit(9)
        task = tasks[params["task"]]
        if task.get("status") == "done":
            raise Refusal({"code": -32005, "message": "Too late.", "data": {"kind": "conflict"}})
        if "open" in flags:
            return task
        if "opposite" in flags:
            return task | {"status": "done", "outcome": "rejected"}
        if "marks" in flags:
            raise Refusal({"code": -32006, "message": "No.", "data": {"reason": "store-full", "since": "now"}})
        task.update(status="done", outcome={"approve": "approved", "reject": "rejected"}[params["action"]])
        return task

    count = [0]
    methods = {
        "hundredth": hundredth, "grow": grow, "hoard": hoard, "storm": storm, "loop": loop, "daemon": daemon, "confess": confess,
        "big": lambda id, params: "x" * params["bytes"], "initialize": initialize, "sleep": sleep, "raw": raw, "exit": exit, "tell": tell, "event": event,
        "progress": progress, "noise": noise, "endless": endless, "spawn": spawn, "refuse": refuse, "tasks.complete": complete,
        "echo": lambda id, params: params, "strict": lambda id, params: params["n"],
        "ask": lambda id, params: ask(params["method"], params["params"]),
        "settings": lambda id, params: {"settings": settings, "env": dict(os.environ), "cwd": os.getcwd(),
                                        "fds": os.listdir("/proc/self/fd")},
        "seen": lambda id, params: seen, "act": lambda id, params: os._exit(1),
        "tasks.list": lambda id, params: {"tasks": [t for t in tasks.values() if t.get("status") != "done"]},
        "tasks.get": lambda id, params: tasks.get(params["task"]), "shutdown": lambda id, params: None,
    }

    def work(message):
        id = message.get("id")
        try:
            result = methods[message["method"]](id, message.get("params", {}))
            if id is not None:
                send(id=id, result=result)
        except SystemExit:
            pass
        except Refusal as refusal:
            send(id=id, error=refusal.args[0])
        except KeyError as error:
            send(id=id, error={"code": -32601, "message": "no " + str(error)})

    if os.path.exists("lost.json"):
        tasks[json.load(open("lost.json"))["task"]].update(status="done", outcome="approved")
    if "stubborn" in flags:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "deaf" in flags:
        work(json.loads(sys.stdin.readline()))
        time.sleep(1000)
    for line in sys.stdin:
        message = json.loads(line)
        if "method" not in message:
            entry = waiting[message["id"]]
            entry[1] = message
            entry[0].set()
        elif message["method"].startswith("$/"):
            seen.append(message)
        else:
            threading.Thread(target=work, args=(message,), daemon=True).start()
    if "stubborn" in flags:
        time.sleep(1000)
    """#
}
