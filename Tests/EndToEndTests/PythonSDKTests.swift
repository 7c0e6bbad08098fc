import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

/// Plugins written with sdk/python/ringi_plugin.py.
@Suite(.enabled(if: PluginWorld.isPossible))
struct PythonSDKTests {
  private func world(plugin: JSONValue = [:], _ script: String) throws -> PluginWorld {
    let module = URL(filePath: #filePath).appending(path: "../../../sdk/python/ringi_plugin.py").standardized
    return try PluginWorld(
      plugin, script: script, files: ["plugins.d/ringi_plugin.py": try String(contentsOf: module, encoding: .utf8)])
  }

  @Test("The documentation's plugin works as it says")
  func documentation() throws {
    let page = URL(filePath: #filePath).appending(path: "../../../docs/python.md").standardized
    let text = try String(contentsOf: page, encoding: .utf8)
    let script = try #require(text.components(separatedBy: "```python\n").last?.components(separatedBy: "```").first)
    let world = try world(plugin: ["settings": ["token": ["env": "P_TOKEN"]], "poll": ["every": "1d"]], script)
    let client = try world.start(environment: ["P_TOKEN": "hunter22"])
    #expect(try client.call("p.add", ["title": "Feed the cat"]) == "2")
    try client.call("tasks.refresh")
    #expect(try client.call("tasks.approve", ["task": "p/2"])["task"]?["outcome"] == "approved")
    #expect(try client.call("tasks.approve", ["task": "p/2"])["already"] == true)
  }

  @Test("Whatever a plugin's own code raises or returns, its call is answered and the next one works")
  func hostileCode() throws {
    let world = try world(
      """
      import sys
      from ringi_plugin import Plugin, RingiError
      plugin = Plugin("p", "1.0")

      class Shy(Exception):
          def __str__(self):
              raise RuntimeError("no")

      @plugin.method
      def shy():
          raise Shy()

      @plugin.method
      def deep():
          value = []
          for n in range(100000):
              value = [value]
          return value

      @plugin.method
      def odd():
          raise RingiError("odd", x=object())

      @plugin.method
      def closed():
          sys.stderr.close()
          raise ValueError("said to nobody")

      @plugin.method
      def fine():
          return "fine"

      plugin.run()
      """)
    let client = try world.start()
    for name in ["shy", "deep", "odd", "closed"] {
      #expect(try client.refusal("p.\(name)")?["data"]?["kind"] == "backend-error", "\(name)")
      #expect(try client.call("p.fine") == "fine")
    }
  }

  @Test("Names, summaries and schemas are those of the functions, where none are given")
  func schemas() throws {
    let world = try world(
      """
      from typing import Annotated, Any, Dict, List, Literal, Optional, Union
      from ringi_plugin import Plugin
      plugin = Plugin("p", "2.0")

      @plugin.method(mutation=True)
      def add(title: Annotated[str, {"minLength": 1}], tags: List[str] = (), how: Literal["a", "b"] = "a",
              due: Optional[int] = None, more: Dict[str, Any] = None, odd: Union[List[int], str] = "") -> str:
          '''Adds one.

          And more.'''
          return title

      @plugin.method(name="given", summary="Given.", params={"type": "object"}, result={"type": "integer"})
      def other(**params):
          return len(params)

      plugin.run()
      """)
    let client = try world.start()
    let methods = try client.call("rpc.discover")["methods"]?.array.map { Array($0) } ?? []
    let add = methods.first { $0["name"] == "p.add" }
    #expect(add?["summary"] == "Adds one." && add?["result"]?["schema"] == ["type": "string"])
    // The last is the agent's own idempotencyKey.
    let schemas = add?["params"]?.array?.dropLast().map { $0["schema"] ?? .null }
    #expect(
      schemas == [
        ["type": "string", "minLength": 1],
        ["type": "array", "items": ["type": "string"], "default": []], ["enum": ["a", "b"], "default": "a"],
        ["type": ["integer", "null"]], ["type": "object", "additionalProperties": [:]],
        ["anyOf": [["type": "array", "items": ["type": "integer"]], ["type": "string"]], "default": ""],
      ], "\(add ?? .null)")
    #expect(try client.refusal("p.add", ["title": ""])?["code"] == -32602)
    #expect(try client.refusal("p.add", ["titel": "x"])?["code"] == -32602)
    #expect(try client.call("p.add", ["x"]) == "x")
    #expect(try client.call("p.given", ["a": 1, "b": 2]) == 2)
  }

  @Test("What the plugin, its children and its imports print goes to the log, and breaks nothing")
  func prints() throws {
    let world = try world(
      """
      import os, subprocess, sys
      print("printed early")
      from ringi_plugin import Plugin
      plugin = Plugin("p")

      @plugin.method
      def noise() -> str:
          print("printed by it")
          os.write(1, b"written to the descriptor\\n")
          subprocess.run(["echo", "printed by a child"])
          return sys.stdin.read() + subprocess.run(["cat"], capture_output=True, text=True).stdout

      plugin.run()
      """)
    let client = try world.start(environment: ["PYTHONUNBUFFERED": ""])
    #expect(try client.call("p.noise") == "")
    let agent = try #require(world.agent)
    for line in ["printed early", "printed by it", "written to the descriptor", "printed by a child"] {
      #expect(agent.waitFor(seconds: 20) { $0.errorText.contains("info p: \(line)") }, "\(agent.errorText)")
    }
    #expect(!agent.errorText.contains("not JSON"))
  }

  @Test("An error of the plugin's has its kind, and a fault in it leaves open whether a write was done")
  func errors() throws {
    let world = try world(
      """
      from ringi_plugin import *
      plugin = Plugin("p")

      @plugin.method
      def fail(kind: str):
          raise {"login": LoginRequired("Log in."), "away": Unavailable("Away.", retry_after=7),
                 "backend": BackendError("No.", code="E17"), "none": NotFound("None."),
                 "params": InvalidParams("Odd.", parameter="kind"), "fault": ValueError("oops")}[kind]

      @plugin.method
      def strange():
          return object()

      @plugin.method(mutation=True)
      def write():
          raise ValueError("oops")

      plugin.run()
      """)
    let client = try world.start()
    func data(_ kind: String) throws -> JSONValue? { try client.refusal("p.fail", ["kind": JSONValue(kind)])?["data"] }
    #expect(try data("login")?["kind"] == "login-required")
    #expect(try data("away")?["kind"] == "unavailable" && data("away")?["retryAfter"] == 7)
    #expect(try data("backend")?["kind"] == "backend-error" && data("backend")?["code"] == "E17")
    #expect(try data("none")?["kind"] == "not-found")
    #expect(try data("params")?["kind"] == "invalid-params" && data("params")?["parameter"] == "kind")
    #expect(try client.refusal("p.fail", ["kind": "fault"])?["message"] == "ValueError: oops")
    #expect(try client.refusal("p.strange")?["data"]?["kind"] == "backend-error")
    #expect(try client.refusal("p.write")?["data"]?["kind"] == "outcome-unknown")
    #expect(try #require(world.agent).waitFor(seconds: 20) { $0.errorText.contains("ValueError: oops") })
  }

  @Test("A task source is decided, claimed and released; a decision that came too late is told with the task")
  func tasks() throws {
    let world = try world(
      plugin: ["poll": ["every": "1d"]],
      """
      from ringi_plugin import Conflict, Plugin
      plugin = Plugin("p")
      tasks = {key: {"id": key, "title": "T" + key, "actions": ["approve", "claim", "release"]} for key in "123"}

      @plugin.tasks.list
      def open_tasks():
          return [task for task in tasks.values() if "outcome" not in task]

      @plugin.tasks.get
      def get(task):
          return tasks.get(task)

      @plugin.tasks.context
      def context(task):
          return {"more": "about " + task}

      @plugin.tasks.complete
      def complete(task, action, comment):
          if task == "3":
              raise Conflict("Somebody was first.", task={**tasks[task], "outcome": "rejected"})
          tasks[task].update(outcome="approved", raw=[action, comment])
          return tasks[task]

      @plugin.tasks.claim
      def claim(task):
          tasks[task]["status"] = "claimed"
          return tasks[task]

      @plugin.tasks.release
      def release(task):
          del tasks[task]["status"]

      plugin.run()
      """)
    let client = try world.start()
    try client.call("tasks.refresh")
    #expect(try client.call("tasks.get", ["task": "p/1"])["context"]?["more"] == "about 1")
    let approved = try client.call("tasks.approve", ["task": "p/1", "comment": "fine"])["task"]
    #expect(approved?["outcome"] == "approved")
    #expect(try client.call("tasks.claim", ["task": "p/2"])["task"]?["status"] == "claimed")
    #expect(try client.call("tasks.release", ["task": "p/2"])["task"]?["status"] == "ready")
    #expect(try client.refusal("tasks.approve", ["task": "p/3"])?["data"]?["kind"] == "conflict")
  }

  @Test("Settings come once, with the values of secrets, and are checked against what the function takes")
  func settings() throws {
    let script = """
      from ringi_plugin import Plugin, Secret
      plugin = Plugin("p")
      starts = []

      @plugin.start
      def start(url: str, token: Secret = "", retries: int = 3):
          starts.append([url, token, retries])

      @plugin.method
      def seen():
          return [starts, plugin.instance]

      plugin.run()
      """
    let world = try world(plugin: ["settings": ["url": "u", "token": ["env": "P_TOKEN"]]], script)
    let client = try world.start(environment: ["P_TOKEN": "hunter22"])
    #expect(try client.call("p.seen").description == #"[[["u","hunter22",3]],"p"]"#)
    for (settings, fault) in [
      (["url": "u", "retrys": 1], "did you mean \"retries\"?"), (["url": 7], "takes a string, got 7"),
    ] as [(JSONValue, String)] {
      let wrong = try self.world(plugin: ["settings": settings], script)
      let row = try wrong.start(until: "failed").call("plugins.get", ["plugin": "p"])
      #expect(row["lastError"]?.string?.contains(fault) == true, "\(row)")
    }
  }

  @Test("Functions run one at a time, and another has its turn while one waits for the agent")
  func turns() throws {
    let world = try world(
      """
      import time
      from ringi_plugin import Plugin
      plugin = Plugin("p")
      running = []
      most = []

      @plugin.method
      def work():
          running.append(1)
          most.append(len(running))
          time.sleep(0.02)
          running.pop()

      @plugin.method
      def peak() -> int:
          return max(most)

      @plugin.method
      def outer():
          return plugin.call("p.inner", {"x": 1})

      @plugin.method
      def inner(x: int):
          return x + 1

      plugin.run()
      """)
    let client = try world.start()
    let calls = try (0..<5).map { _ in try client.ask("p.work") }
    for call in calls { _ = try client.response(to: call) }
    #expect(try client.call("p.peak") == 1)
    #expect(try client.call("p.outer") == 2)
  }

  @Test("Events, log lines, state, progress and cancellation find their way")
  func agent() throws {
    let world = try world(
      """
      import logging, time
      from ringi_plugin import *
      plugin = Plugin("p", concurrency=4)
      logging.getLogger().addHandler(LogHandler(plugin))
      ends = []

      @plugin.method
      def tell():
          plugin.event("p-happened", {"n": 1}, subject="s")
          plugin.log("as a warning", "warning")
          logging.error("from logging")

      @plugin.method
      def remember(value=None):
          before = plugin.state.get("k", "nothing")
          plugin.state.set("k", value)
          return before

      @plugin.method
      def steps():
          plugin.progress({"step": 1})
          heard = []
          try:
              plugin.call("p.steps2", on_progress=heard.append)
              plugin.call("agent.shutdown")
          except AgentError as error:
              return [heard, error.kind]

      @plugin.method
      def steps2():
          plugin.progress("inner")

      @plugin.method
      def wait():
          plugin.progress("waits")
          try:
              while True:
                  plugin.check_cancelled()
                  time.sleep(0.005)
          finally:
              ends.append(1)

      @plugin.method
      def ended():
          return len(ends)

      plugin.run()
      """)
    let client = try world.start()
    try client.call("events.subscribe", ["types": ["p-happened"]])
    try client.call("p.tell")
    let event = try client.notification("p-happened")["event"]
    #expect(event?["data"] == ["n": 1] && event?["subject"] == "s")
    let agent = try #require(world.agent)
    #expect(agent.waitFor(seconds: 20) { $0.errorText.contains("warning p: as a warning") })
    #expect(agent.waitFor(seconds: 20) { $0.errorText.contains("error p: from logging") })
    #expect(try client.call("p.remember", ["value": [1]]) == "nothing")
    #expect(try client.call("p.remember", ["value": JSONValue.null]) == [1])
    let id = try client.ask("p.steps", ["progressToken": "t"])
    #expect(try client.notification("$/progress") == ["token": "t", "value": ["step": 1]])
    #expect(try client.response(to: id)["result"] == [["inner"], "forbidden"])
    let waiting = try client.ask("p.wait", ["progressToken": "w"])
    #expect(try client.notification("$/progress") == ["token": "w", "value": "waits"])
    try client.notify("$/cancelRequest", ["id": JSONValue(waiting)])
    #expect(try client.response(to: waiting)["error"]?["code"] == -32800)
    let end = Date(timeIntervalSinceNow: 30)
    while try client.call("p.ended") != 1 { try #require(Date() < end) }
  }

  @Test("A plugin ends with its input, and says goodbye")
  func end() throws {
    let world = try world(
      """
      import sys
      from ringi_plugin import Plugin
      plugin = Plugin("p")

      @plugin.stop
      def stop():
          print("goodbye")

      plugin.run()
      """)
    let report = try Program.run("ringid", ["--check-plugin", "\(world.folder.config)/plugins.d/p.json", "--json"])
    #expect(report.status == 0, "\(report)")
    _ = try world.start()
    let agent = try #require(world.agent)
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
    #expect(agent.errorText.contains("info p: goodbye"))
  }
}
