import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

/// What people read of a plugin: its log.
@Suite(.enabled(if: PluginWorld.isPossible), .serialized)
struct PluginLogTests {
  /// Writes to its standard error at its start and its end, and to the log when it is told to.
  private static let script = #"""
    import json, sys

    def say(words):
        print(words, file=sys.stderr, flush=True)

    say("first words")
    for line in sys.stdin:
        message = json.loads(line)
        if message["method"] == "initialize":
            result = {"name": "p", "methods": [{"name": "say"}, {"name": "die"}],
                      "settingsSchema": {"type": "object", "properties": {"token": {"x-secret": True}}}}
        elif message["method"] == "die":
            say("last words")
            sys.exit(3)
        elif message["method"] == "shutdown":
            break
        else:
            print(json.dumps({"jsonrpc": "2.0", "method": "log", "params": message["params"]}))
            result = None
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
    """#

  private static func log(
    _ client: TestClient, _ params: JSONValue = [:]
  ) throws -> [(number: Int64, text: String)] {
    let plugin: JSONValue = ["plugin": "p"]
    return try client.call("plugins.logs", plugin.merging(params))["lines"]?.array?.map { line in
      (line["number"]?.int ?? 0, "\(line["level"]?.string ?? "") \(line["message"]?.string ?? "")")
    } ?? []
  }

  /// Waits until the log has a line.
  private static func wait(_ client: TestClient, for text: String) throws {
    let end = Date(timeIntervalSinceNow: 40)
    while try !log(client).contains(where: { $0.text.contains(text) }) {
      guard Date() < end else { throw AgentFolder.AgentError(text: "\(try log(client))") }
      usleep(5000)
    }
  }

  @Test("The log has a program's standard error, what it logs, and what the agent says of it, oldest first")
  func content() throws {
    let world = try PluginWorld(script: Self.script)
    let client = try world.start()
    let pid = try world.pid(client)
    try client.call("p.say", ["level": "warning", "message": "it is late"])
    try Self.wait(client, for: "it is late")
    _ = try client.refusal("p.die")
    try Self.wait(client, for: "started again")
    let lines = try Self.log(client)
    #expect(lines.map(\.number) == Array(1...Int64(lines.count)))
    let texts = lines.map(\.text)
    #expect(
      texts.filter { !["info first words", "info last words"].contains($0) } == [
        "info the plugin runs as process \(pid)", "warning it is late",
        "error the plugin is down, and is started again in 1s: It ended with exit status 3; its last words: last words",
      ])
    #expect(texts.first == "info first words" && texts.contains("info last words"))
    // The same numbers, whatever part is asked for.
    #expect(try Self.log(client, ["limit": 2]).map(\.number) == lines.suffix(2).map(\.number))
    #expect(try Self.log(client, ["since": 1, "limit": 2]).map(\.number) == [2, 3])
    #expect(try Self.log(client, ["since": JSONValue(lines.count)]).isEmpty)
    #expect(try client.refusal("plugins.logs", ["plugin": "q"])?["data"]?["kind"] == "not-found")
  }

  @Test("A secret is in the log as little as in the agent's own")
  func secrets() throws {
    let world = try PluginWorld(["settings": ["token": ["env": "P_TOKEN"]]], script: Self.script)
    let client = try world.start(environment: ["P_TOKEN": "hunter22"])
    try client.call("p.say", ["message": "it is hunter22"])
    try Self.wait(client, for: "it is •••")
    #expect(try !Self.log(client).contains { $0.text.contains("hunter22") })
  }

  @Test("The log outlives a restart and a reload, and numbers go on")
  func lasting() throws {
    let world = try PluginWorld(script: Self.script)
    let client = try world.start()
    try client.call("plugins.restart", ["plugin": "p"])
    try world.writePlugin(["env": ["CHANGED": "1"]])
    try client.call("agent.reload")
    try world.wait(client) { $0["state"] == "running" }
    let lines = try Self.log(client)
    let texts = lines.map(\.text)
    #expect(texts.filter { $0.hasPrefix("info the plugin runs") }.count == 3)
    #expect(texts.contains("info the plugin is stopped: a restart was asked for"))
    #expect(texts.contains("info the plugin is stopped: its file was changed"))
    #expect(lines.map(\.number) == Array(1...Int64(lines.count)))
  }

  @Test("ringi plugins logs shows it, and with --follow what comes, each line once, until it is told to end")
  func commandLine() throws {
    let world = try PluginWorld(script: Self.script)
    let client = try world.start()
    let arguments = ["--socket", world.folder.socket, "plugins", "logs", "p"]
    try Self.wait(client, for: "the plugin runs")
    let shown = try Program.run("ringi", arguments)
    #expect(shown.status == 0 && shown.output.contains("  info     first words\n"), "\(shown)")
    let follower = try Program("ringi", arguments + ["--follow", "--limit", "1", "--json"])
    #expect(follower.waitFor { $0.outputText.contains("the plugin runs") })
    for number in 1...3 { try client.call("p.say", ["message": "line \(JSONValue(number))"]) }
    #expect(follower.waitFor { $0.outputText.contains("line 3") }, "\(follower.errorText)")
    follower.send(SIGINT)
    #expect(follower.wait() == 0)
    let numbers = try follower.outputText.split(separator: "\n").map {
      try JSONValue(parsing: String($0))["number"]?.int
    }
    #expect(numbers == [2, 3, 4, 5])
  }
}
