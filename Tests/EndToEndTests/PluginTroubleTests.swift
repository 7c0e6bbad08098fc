import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

/// What a plugin's program does wrong stays its own trouble.
@Suite(.enabled(if: PluginWorld.isPossible), .serialized)
struct PluginTroubleTests {
  @Test(
    "A program that ends at once is seen at once, with its status and last words, and costs nothing: BR-039, BR-042")
  func deadAtStart() throws {
    let world = try PluginWorld(
      files: [
        "plugins.d/bad.json": #"{"command": ["./no-such-file"]}"#,
        "plugins.d/gone.json": #"{"command": ["sh", "-c", "exit 7"]}"#,
        "plugins.d/oops.json": #"{"command": ["sh", "-c", "echo oops >&2; exit 3"]}"#,
      ])
    let began = Date()
    let client = try world.start()
    #expect(try client.call("agent.ping") == "pong")
    let oops = try world.wait(client, for: "oops") { $0["state"] == "backoff" }
    #expect(oops["lastError"] == "It ended with exit status 3; its last words: oops")
    let gone = try world.wait(client, for: "gone") { $0["state"] == "backoff" }
    #expect(gone["lastError"] == "It ended with exit status 7.")
    let bad = try world.wait(client, for: "bad") { $0["state"] == "backoff" }
    #expect(bad["lastError"]?.string?.contains("./no-such-file was not found") == true)
    #expect(Date().timeIntervalSince(began) < 5)
    #expect(try client.refusal("oops.x")?["data"]?["kind"] == "plugin-down")
    #expect(try client.call("p.echo") == [:])
    let agent = try #require(world.agent)
    let before = try cpu(agent.pid)
    usleep(3_000_000)
    #expect(try cpu(agent.pid) - before < 20)
  }

  /// Hundredths of a second on a processor.
  private func cpu(_ process: Int32) throws -> Int {
    let fields = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).split(separator: " ")
    return (Int(fields[13]) ?? 0) + (Int(fields[14]) ?? 0)
  }

  @Test("A crash is told once, calls in flight get plugin-down, and the program comes back", arguments: [false, true])
  func crash(isHalfWay: Bool) throws {
    let world = try PluginWorld()
    let client = try world.start()
    let descriptors = world.descriptors
    try client.call("events.subscribe", ["types": ["plugin-*"]])
    let waiting = try client.ask("p.sleep", ["ms": 20_000])
    let end = try client.ask("p.exit", isHalfWay ? ["code": 3, "half": true] : ["code": 3])
    #expect(try client.response(to: end)["error"]?["data"]?["kind"] == "plugin-down")
    #expect(try client.response(to: waiting)["error"]?["data"]?["kind"] == "plugin-down")
    #expect(try client.notification("plugin-down")["event"]?["data"]?["error"] == "It ended with exit status 3.")
    #expect(try client.refusal("p.echo")?["data"]?["kind"] == "plugin-down")
    _ = try client.notification("plugin-up")
    #expect(try client.call("p.echo", ["again": 1]) == ["again": 1])
    #expect(try client.call("plugins.get", ["plugin": "p"])["restarts"] == 1)
    #expect(world.children.count == 1)
    #expect(world.descriptors == descriptors)
  }

  @Test("An odd answer fails its own call and nothing else: BR-044")
  func oddAnswers() throws {
    let world = try PluginWorld(files: ["ringi.json": #"{"limits": {"requestTimeout": "2s"}}"#])
    let client = try world.start()
    let pid = try world.pid(client)
    let odd = [
      #"{"id":$ID}"#, #"{"jsonrpc":"2.0","id":$ID}"#,
      #"{"jsonrpc":"2.0","id":$ID,"result":1,"error":{"code":1,"message":"m"}}"#,
      #"{"jsonrpc":"2.0","id":$ID,"error":7}"#,
    ]
    for text in odd {
      let error = try client.refusal("p.raw", ["text": JSONValue(text)])
      #expect(error?["data"]?["kind"] == "backend-error", "\(text)")
      #expect(error?["message"]?.string?.contains("plugin p ") == true)
    }
    let lost = try [#"{"id":1}"#, "[]", "42", "\"x\"", "null", #"{"jsonrpc":"2.0","id":999999,"result":1}"#].map {
      let id = try client.ask("p.raw", ["text": JSONValue($0)])
      #expect(try client.call("agent.ping") == "pong" && client.call("p.echo", ["x": 1]) == ["x": 1])
      return id
    }
    let twice = #"{"jsonrpc":"2.0","id":$ID,"result":1}"#
    #expect(try client.call("p.raw", ["text": JSONValue("\(twice)\n\(twice)")]) == 1)
    #expect(try client.call("p.echo", ["still": true]) == ["still": true])
    for id in lost { #expect(try client.response(to: id)["error"]?["data"]?["kind"] == "unavailable") }
    #expect(try world.pid(client) == pid)
  }

  @Test("A line that is no JSON is logged, and its call ends with its time: BR-045")
  func notJSON() throws {
    let world = try PluginWorld(
      arguments: ["banner"], files: ["ringi.json": #"{"limits": {"requestTimeout": "1s"}}"#])
    let client = try world.start()
    let began = Date()
    let error = try client.refusal("p.raw", ["text": #"{"jsonrpc":"2.0","id":$ID,"result":"say "hi""}"#])
    #expect(error?["data"]?["kind"] == "unavailable" && Date().timeIntervalSince(began) < 5)
    #expect(try client.call("p.echo") == [:])
    let log = world.agent?.errorText ?? ""
    #expect(log.contains("Welcome to plugin P!") && log.contains("say \"hi\""))
  }

  @Test("An error that is a text alone reaches the client as an error object with that text: BR-009")
  func textAsError() throws {
    let world = try PluginWorld()
    let client = try world.start()
    let error = try client.refusal("p.raw", ["text": #"{"jsonrpc":"2.0","id":$ID,"error":"boom"}"#])
    #expect(error?["code"] == -32002 && error?["message"] == "boom" && error?["data"]?["provider"] == "p")
  }

  @Test("The answer to a call that was given up is dropped: BR-012")
  func lateAnswer() throws {
    let world = try PluginWorld()
    let client = try world.start()
    let slow = try client.ask("p.sleep", ["ms": 500])
    try world.wait(client) { $0["inFlight"] == 1 }
    try client.notify("$/cancelRequest", ["id": JSONValue(slow)])
    #expect(try client.response(to: slow)["error"]?["code"] == -32800)
    #expect(try client.call("p.sleep", ["ms": 1000]) == "slept")
    client.finishSending()
    #expect(try client.receiveRest().isEmpty)
    #expect(world.agent?.errorText.contains("never made") == false)
  }

  @Test("An error that the program answers is the backend's, or one of the agent's kinds")
  func refusals() throws {
    let world = try PluginWorld()
    let client = try world.start()
    let plain = try client.refusal("p.refuse", ["code": 17, "message": "No."])
    #expect(plain?["code"] == -32002 && plain?["message"] == "No." && plain?["data"]?["code"] == "17")
    let kind = try client.refusal(
      "p.refuse", ["code": -32000, "message": "Later.", "data": ["kind": "unavailable", "retryAfter": 3]])
    #expect(kind?["code"] == -32006 && kind?["data"]?["retryAfter"] == 3 && kind?["data"]?["retryable"] == true)
  }

  @Test("Restarts and a reload of a busy plugin all answer: BR-046")
  func restartWhileBusy() throws {
    let world = try PluginWorld()
    let client = try world.start()
    let busy = try client.ask("p.sleep", ["ms": 10_000])
    #expect(try world.wait(client) { $0["inFlight"] == 1 }["state"] == "running")
    let began = Date()
    let asked = try [
      client.ask("plugins.restart", ["plugin": "p"]), client.ask("plugins.restart", ["plugin": "p"]),
      client.ask("agent.reload"),
    ]
    #expect(try client.response(to: busy)["error"]?["data"]?["kind"] == "plugin-down")
    for id in asked { #expect(try client.response(to: id)["result"] != nil) }
    #expect(Date().timeIntervalSince(began) < 12)
    #expect(try client.call("p.echo") == [:])
    #expect(world.children.count == 1)
  }

  @Test("A program that was replaced on the disk is another plugin to a reload")
  func replaced() throws {
    let world = try PluginWorld()
    let client = try world.start()
    let pid = try world.pid(client)
    #expect(try client.call("agent.reload")["changed"] == [])
    let busy = try client.ask("p.sleep", ["ms": 10_000])
    try world.folder.write("plugins.d/p.py", PluginWorld.script.replacing("\"slept\"", with: "\"dreamt\""))
    #expect(try client.call("agent.reload")["changed"] == ["plugins.d/p"])
    #expect(try client.response(to: busy)["error"]?["data"]?["kind"] == "plugin-down")
    try world.wait(client) { $0["state"] == "running" }
    #expect(try client.call("p.sleep", ["ms": 1]) == "dreamt")
    #expect(!PluginWorld.isAlive(pid))
  }

  @Test("A chatty standard error is drained, and most of it left out of the log: BR-047")
  func noise() throws {
    let world = try PluginWorld()
    let client = try world.start()
    let before = world.memory
    #expect(try client.call("p.noise") == "quiet")
    #expect(world.memory - before < 5 << 10)
    #expect(world.agent.map { $0.errorText.utf8.count < 1 << 20 } == true)
    #expect(try client.call("p.echo") == [:])
  }

  @Test("A flood of events is cut, and nobody else waits for it")
  func flood() throws {
    let world = try PluginWorld()
    let client = try world.start()
    try client.call("p.event", ["count": 20_000])
    #expect(try client.call("agent.ping") == "pong")
    try client.call("p.event", ["count": 1])
    let events = try client.call("events.list", ["types": ["p-event"], "limit": 10_000])["events"]?.array?.count ?? 0
    #expect((100...5000).contains(events), "\(events)")
  }

  @Test("A program that reads nothing has its calls refused once enough wait, and ends by the agent's hand")
  func deaf() throws {
    let world = try PluginWorld(
      arguments: ["deaf"],
      files: ["ringi.json": #"{"limits": {"requestTimeout": "2s", "outboxBytes": 200000}}"#])
    let client = try world.start()
    let text = JSONValue(String(repeating: "x", count: 100_000))
    let ids = try (0..<8).map { _ in try client.ask("p.echo", ["text": text]) }
    let kinds = try ids.map { try client.response(to: $0)["error"]?["data"]?["kind"]?.string ?? "" }
    #expect(Set(kinds) == ["unavailable", "overloaded"])
    #expect(try client.call("agent.ping") == "pong")
  }

  @Test("A line without an end is cut off with its program, which is started again")
  func endless() throws {
    let world = try PluginWorld(files: ["ringi.json": #"{"limits": {"messageBytes": 100000}}"#])
    let client = try world.start()
    #expect(try client.refusal("p.endless")?["data"]?["kind"] == "plugin-down")
    let row = try world.wait(client) { $0["restarts"] == 1 && $0["state"] == "running" }
    #expect(row["lastError"]?.string?.hasPrefix("It wrote a line of more than 100000 bytes") == true)
    #expect(try client.call("p.echo") == [:])
  }

  @Test("A program that ignores its end, and what it started, are killed with it")
  func stubborn() throws {
    let world = try PluginWorld(arguments: ["stubborn"])
    let client = try world.start()
    let child = Int32(try client.call("p.spawn").int ?? 0)
    let pid = try world.pid(client)
    #expect(PluginWorld.isAlive(child) && PluginWorld.isAlive(pid))
    let began = Date()
    world.agent?.send(SIGTERM)
    #expect(world.agent?.wait(seconds: 20) == 0)
    #expect(Date().timeIntervalSince(began) < 10)
    #expect(!PluginWorld.isAlive(pid) && !PluginWorld.isAlive(child))
  }

  @Test(
    "What a program offers has to make sense, or it is not started again",
    arguments: [
      (#"{"methods": [{"name": "a b"}]}"#, "/methods/0/name"),
      (#"{"methods": [{"name": "x"}, {"name": "x"}]}"#, "twice"),
      (#"{"methods": [{"name": "x", "params": {"type": "text"}}]}"#, "/methods/0/params"),
      (#"{"methods": 7}"#, "/methods"),
      (#"{"methods": [{"name": "shutdown"}]}"#, "word of the protocol"),
    ])
  func senseless(answer: String, complaint: String) throws {
    let world = try PluginWorld(arguments: ["answer", answer])
    let client = try world.start(until: "failed")
    let row = try client.call("plugins.get", ["plugin": "p"])
    #expect(row["lastError"]?.string?.contains(complaint) == true, "\(row)")
    #expect(row["restarts"] == 0 && world.children.isEmpty)
  }
}
