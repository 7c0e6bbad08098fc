import Foundation
import Glibc
import JSON
import JSONRPC
import RingiTestSupport
import Testing

/// Plugins that are programs, with all the faults that programs have.
@Suite(.enabled(if: PluginWorld.isPossible), .serialized)
struct PluginTests {
  // MARK: What it can do

  @Test("The documentation's first plugin works as it says")
  func tutorial() throws {
    let page = URL(filePath: #filePath).appending(path: "../../../docs/plugins.md").standardized
    let text = try String(contentsOf: page, encoding: .utf8)
    let script = try #require(text.components(separatedBy: "```python\n").last?.components(separatedBy: "```").first)
    let folder = try AgentFolder([
      "plugins.d/todo.json": #"{"command": ["/usr/bin/python3", "todo.py"], "poll": {"every": "10s"}}"#,
      "plugins.d/todo.py": script,
    ])
    let agent = try folder.startAgent()
    let client = try folder.client()
    try client.call("tasks.refresh")
    #expect(try Program.run("ringi", ["--socket", folder.socket, "approve", "todo/1"]).status == 0)
    #expect(try client.call("tasks.get", ["task": "todo/1"])["outcome"] == "approved")
    #expect(try client.call("todo.add", ["title": "Feed the cat"]) == "3")
    #expect(try client.refusal("todo.add", [:])?["code"] == -32602)
    agent.send(SIGTERM)
    #expect(agent.wait(seconds: 20) == 0)
  }

  @Test("A program's methods are the agent's, with their schemas checked by the agent")
  func methods() throws {
    let world = try PluginWorld()
    let client = try world.start()
    #expect(try client.call("p.echo", ["a": [1, 2.5]]) == ["a": [1, 2.5]])
    #expect(try client.call("p.strict", [7]) == 7)
    #expect(try client.refusal("p.strict", ["n": "x"])?["code"] == -32602)
    let document = try client.call("rpc.discover")
    let strict = document["methods"]?.array?.first { $0["name"] == "p.strict" }
    #expect(strict?["params"]?[0]?["schema"] == ["type": "integer"])
    let row = try client.call("plugins.get", ["plugin": "p"])
    #expect(row["kind"] == "process" && row["restarts"] == 0 && row["lastError"] == .null)
    #expect(row["calls"] == 2 && row["inFlight"] == 0)
  }

  @Test("Numbers go through a program and back as they are, and no params by position are none by name: BR-014, BR-038")
  func values() throws {
    let world = try PluginWorld()
    let client = try world.start()
    let values: JSONValue = try JSONValue(
      parsing: Array("[68.32,0.1,1.0,1,true,false,9007199254740993,-9223372036854775808,1e22,5e-324]".utf8))
    let echoed = try client.call("p.echo", ["values": values])["values"]
    #expect(echoed?.description == values.description)
    #expect(try client.call("p.echo", []) == [:])
  }

  @Test("Params with line breaks reach a program as one message, and never as one of their own")
  func lineBreaks() throws {
    let world = try PluginWorld()
    _ = try world.start()
    let client = try TestClient(world.folder.socket, framing: .contentLength)
    let forged = #"{"jsonrpc":"2.0","method":"event","params":{"type":"forged"}}"#
    for (id, lineBreak) in ["\n", "\r", "\r\n"].enumerated() {
      let params = "{\(lineBreak)\"a\":\(lineBreak)\(forged)\(lineBreak)}"
      try client.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"p.echo","params":\#(params)}"#)
      #expect(try client.response(to: id)["result"]?["a"]?["method"] == "event")
    }
    #expect(try client.call("plugins.get", ["plugin": "p"])["calls"] == 3)
    #expect(try client.call("plugins.logs", ["plugin": "p"])["lines"]?.array?.count == 1)
  }

  @Test("Calls run side by side, and one that is cancelled takes nobody with it: BR-040")
  func cancelling() throws {
    let world = try PluginWorld()
    let client = try world.start()
    let pid = try world.pid(client)
    let first = try client.ask("p.sleep", ["ms": 20_000])
    let second = try client.ask("p.sleep", ["ms": 300])
    #expect(try client.call("p.echo", ["quick": true]) == ["quick": true])
    try client.notify("$/cancelRequest", ["id": JSONValue(first)])
    #expect(try client.response(to: first)["error"]?["code"] == -32800)
    #expect(try client.response(to: second)["result"] == "slept")
    #expect(try client.call("p.seen")[0]?["method"] == "$/cancelRequest")
    #expect(try world.pid(client) == pid)
  }

  @Test("Progress goes both ways")
  func progress() throws {
    let world = try PluginWorld(["allow": ["p.*"]])
    let client = try world.start()
    let id = try client.ask(
      "p.progress",
      ["progressToken": "t", "call": ["method": "p.progress", "params": ["progressToken": "inner"]]])
    #expect(try client.notification("$/progress") == ["token": "t", "value": 1])
    #expect(try client.response(to: id)["result"]?["result"] == .null)
    let seen = try client.call("p.seen")
    #expect(seen.array?.contains { $0["params"] == ["token": "inner", "value": 1] } == true)
  }

  @Test("A program publishes events under its instance's name, and none of the agent's own types")
  func events() throws {
    let world = try PluginWorld()
    let client = try world.start()
    try client.call("events.subscribe", ["types": ["p-event"]])
    try client.call("p.event", ["count": 2])
    let event = try client.notification("p-event")["event"]
    #expect(event?["data"] == ["n": 0])
    #expect(event?["source"]?.string?.hasSuffix("/p") == true)
    let answer = try client.call("p.ask", ["method": "event", "params": ["type": "task-ready"]])
    #expect(answer["error"]?["code"] == -32602)
  }

  @Test("A hook and a plugin that set each other off are cut short")
  func loop() throws {
    let world = try PluginWorld(files: [
      "hooks.d/again.json": #"{"on": ["p-event"], "call": {"method": "p.event", "params": {"count": 1}}, "retries": 0}"#
    ])
    let client = try world.start()
    try client.call("p.event", ["count": 1])
    let agent = try #require(world.agent)
    #expect(agent.waitFor(seconds: 20) { $0.errorText.contains("caused each other") })
    let count = try client.call("events.list", ["types": ["p-event"]])["events"]?.array?.count ?? 0
    #expect(count == 9)
    usleep(200_000)
    #expect(try client.call("events.list", ["types": ["p-event"]])["events"]?.array?.count == count)
  }

  @Test("A program calls what it may: its own, events.publish, and tasks.* of its own tasks: BR-116")
  func access() throws {
    let world = try PluginWorld(arguments: ["tasks"])
    let client = try world.start()
    func ask(_ method: String, _ params: JSONValue) throws -> JSONValue {
      try client.call("p.ask", ["method": "agent.call", "params": ["method": JSONValue(method), "params": params]])
    }
    #expect(try ask("p.echo", ["x": 1])["result"] == ["x": 1])
    #expect(try ask("events.publish", ["type": "mine"])["result"]?["event"]?["type"] == "mine")
    #expect(try ask("tasks.refresh", [:])["result"]?["polled"] == ["p"])
    #expect(try ask("tasks.get", ["task": "p/1"])["result"]?["title"] == "First")
    #expect(try ask("tasks.get", ["task": "newest"])["error"]?["code"] == -32001)
    #expect(try ask("agent.shutdown", [:])["error"]?["code"] == -32001)
  }

  @Test("What a program keeps is there after a restart of both")
  func state() throws {
    let world = try PluginWorld()
    let client = try world.start()
    #expect(try client.call("p.ask", ["method": "state.get", "params": ["key": "k"]])["result"] == .null)
    let set = try client.call("p.ask", ["method": "state.set", "params": ["key": "k", "value": ["n": 1]]])
    #expect(set["result"] == .null && set["error"] == nil)
    #expect(try client.call("p.ask", ["method": "state.get", "params": [:]])["error"]?["code"] == -32602)
    world.agent?.send(SIGTERM)
    #expect(world.agent?.wait() == 0)
    let next = try world.start()
    #expect(
      try next.call("p.ask", ["method": "state.get", "params": ["key": "k"]])["result"] == ["n": 1])
  }

  @Test("A program's tasks are announced and decided, and one that was decided already is told as such")
  func tasks() throws {
    let world = try PluginWorld(["poll": ["every": "1d"]], arguments: ["tasks"])
    let client = try world.start()
    try client.call("tasks.refresh")
    #expect(try client.call("tasks.list")["tasks"]?.array?.compactMap { $0["id"]?.string }.sorted() == ["p/1", "p/2"])
    let dry = try client.call("tasks.reject", ["task": "p/1", "comment": "no", "dryRun": true])
    #expect(
      dry["request"] == [
        "method": "tasks.complete", "params": ["task": "1", "action": "reject", "decision": "reject", "comment": "no"],
      ])
    #expect(try client.call("tasks.approve", ["task": "p/1"])["task"]?["outcome"] == "approved")
    #expect(try client.call("tasks.approve", ["task": "p/1"])["already"] == true)
    #expect(try client.refusal("tasks.reject", ["task": "p/1"])?["code"] == -32005)
    let types = try client.call("events.list", ["types": ["task-ready", "approval-done"]])["events"]?.array?
      .compactMap { $0["type"]?.string }
    #expect(types == ["task-ready", "task-ready", "approval-done"])
  }

  @Test("An answer that shows another outcome is a conflict, and not what was asked for")
  func opposite() throws {
    let world = try PluginWorld(arguments: ["tasks", "opposite"])
    let client = try world.start()
    try client.call("tasks.refresh")
    let error = try client.refusal("tasks.approve", ["task": "p/1"])
    #expect(error?["data"]?["kind"] == "conflict" && error?["data"]?["task"]?["outcome"] == "rejected")
  }

  @Test("An answer that shows the task open leaves the outcome open")
  func open() throws {
    let world = try PluginWorld(arguments: ["tasks", "open"])
    let client = try world.start()
    try client.call("tasks.refresh")
    let error = try client.refusal("tasks.approve", ["task": "p/1"])
    #expect(error?["data"]?["kind"] == "outcome-unknown")
    #expect(try client.call("tasks.get", ["task": "p/1"])["status"] != "done")
  }

  @Test("No word of a plugin's error keeps a decision out of the audit log")
  func marks() throws {
    let world = try PluginWorld(arguments: ["tasks", "marks"])
    let client = try world.start()
    try client.call("tasks.refresh")
    let error = try client.refusal("tasks.approve", ["task": "p/1"])
    #expect(error?["data"]?["kind"] == "unavailable" && error?["data"]?["reason"] == nil)
    // It is written when there is something to write.
    let end = Date(timeIntervalSinceNow: 30)
    var entry: String?
    while entry == nil, Date() < end {
      entry = try client.call("audit.list")["entries"]?.array?.map(\.description).first { $0.contains("\"p/1\"") }
    }
    #expect(entry?.contains(#""outcome":"failed""#) == true, "\(entry ?? "none")")
  }

  @Test("What a program publishes by agent.call bears its name, too")
  func publisher() throws {
    let world = try PluginWorld()
    let client = try world.start()
    try client.call("events.subscribe", ["types": ["own"]])
    _ = try client.call(
      "p.ask", ["method": "agent.call", "params": ["method": "events.publish", "params": ["type": "own"]]])
    #expect(try client.notification("own")["event"]?["source"]?.string?.hasSuffix("/p") == true)
  }

  @Test("A decision whose program ends over it is looked up in the next one, and not made twice")
  func lostDecision() throws {
    let world = try PluginWorld(["poll": ["every": "1d"]], arguments: ["tasks", "lost"])
    let client = try world.start()
    try client.call("tasks.refresh")
    #expect(try client.call("tasks.approve", ["task": "p/1"])["task"]?["outcome"] == "approved")
    #expect(try client.call("plugins.get", ["plugin": "p"])["restarts"] == 1)
    // Appended to by each decision that arrives.
    let arrived = try String(contentsOfFile: "\(world.folder.config)/plugins.d/lost.json", encoding: .utf8)
    #expect(try JSONValue(parsing: arrived)["action"] == "approve")
  }

  @Test("Settings that don't fit the program's schema are a problem with its place in the file")
  func settings() throws {
    let schema =
      #"{"settingsSchema":{"type":"object","properties":{"url":{"type":"string"}},"additionalProperties":false}}"#
    let world = try PluginWorld(["settings": ["urll": "x"]], arguments: ["answer", schema])
    let client = try world.start(until: "failed")
    let problems = try client.call("agent.status")["problems"]?.array?.compactMap(\.string) ?? []
    let text = try String(contentsOfFile: "\(world.folder.config)/plugins.d/p.json", encoding: .utf8)
    let column = (text.range(of: "\"urll\"").map { text.distance(from: text.startIndex, to: $0.lowerBound) } ?? 0) + 1
    #expect(
      problems.contains { $0.contains("plugins.d/p.json:1:\(column): unknown key \"urll\"; did you mean \"url\"?") },
      "\(problems)")
    try world.writePlugin(["settings": ["url": "x"]], arguments: ["answer", schema])
    try client.call("agent.reload")
    try world.wait(client) { $0["state"] == "running" }
    #expect(try client.call("agent.status")["problems"] == [])
    // What would break a plugin that runs is told, and left out of force.
    let pid = try world.pid(client)
    try world.writePlugin(["settings": ["url": 7]], arguments: ["answer", schema])
    let reload = try client.call("agent.reload")
    #expect(reload["changed"] == [])
    #expect(reload["problems"]?[0]?.string?.hasSuffix("takes a string, got 7") == true)
    #expect(try world.pid(client) == pid)
  }

  @Test("A secret that the schema marks reaches the program and no log; its environment is the listed one")
  func surroundings() throws {
    let schema = #"{"settingsSchema":{"type":"object","properties":{"token":{"x-secret":true},"at":{}}}}"#
    let world = try PluginWorld(
      [
        "settings": ["token": ["env": "P_TOKEN"], "at": ["env": "P_TOKEN"]], "env": ["EXTRA": "1"],
        "limits": ["files": 64],
      ],
      arguments: ["answer", schema])
    let client = try world.start(environment: ["P_TOKEN": "hunter22", "LC_TIME": "C", "ODD": "1"])
    let seen = try client.call("p.settings")
    #expect(seen["settings"] == ["token": "hunter22", "at": ["env": "P_TOKEN"]])
    #expect(seen["env"]?["EXTRA"] == "1" && seen["env"]?["LC_TIME"] == "C" && seen["env"]?["PATH"] != nil)
    #expect(seen["env"]?["P_TOKEN"] == nil && seen["env"]?["ODD"] == nil)
    #expect(seen["cwd"]?.string?.hasSuffix("/plugins.d") == true)
    #expect(seen["fds"]?.array?.count == 4)  // The fourth is what lists them.
    try client.call("p.tell", ["method": "log", "params": ["level": "warning", "message": "it is hunter22"]])
    let agent = try #require(world.agent)
    #expect(agent.waitFor { $0.errorText.contains("warning p: it is •••") })
    #expect(!agent.errorText.contains("hunter22"))
    let limits = try String(contentsOfFile: "/proc/\(world.pid(client))/limits", encoding: .utf8)
    #expect(limits.split(separator: "\n").contains { $0.hasPrefix("Max open files") && $0.contains(" 64 ") })
  }
}
