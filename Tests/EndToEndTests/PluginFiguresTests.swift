import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

/// What is told of a plugin in numbers, and by events.
@Suite(.enabled(if: PluginWorld.isPossible), .serialized)
struct PluginFiguresTests {
  @Test("A program's row has its calls, errors, times and memory")
  func process() throws {
    let world = try PluginWorld(arguments: ["tasks"])
    let client = try world.start()
    #expect(try world.wait(client) { $0["calls"] == 1 && $0["inFlight"] == 0 }["errors"] == 0)  // The first poll.
    for _ in 1...3 { try client.call("p.echo") }
    _ = try client.refusal("p.refuse", ["code": 1, "message": "No."])
    // The agent refuses it, so it is no call of the plugin's.
    _ = try client.refusal("p.strict", ["n": "x"])
    let slow = try client.ask("p.sleep", ["ms": 20_000])
    let busy = try world.wait(client) { $0["inFlight"] == 1 }
    #expect(busy["calls"] == 6 && busy["errors"] == 1)
    #expect(busy["memory"]?.int ?? 0 > 1_000_000)
    #expect(busy["uptime"]?.int ?? -1 >= 0)
    let (median, p95) = (busy["latency"]?["median"]?.double ?? 0, busy["latency"]?["p95"]?.double ?? 0)
    #expect(median > 0 && p95 >= median)
    // Who gives up makes no error of the plugin's.
    try client.notify("$/cancelRequest", ["id": JSONValue(slow)])
    _ = try client.response(to: slow)
    let row = try client.call("plugins.get", ["plugin": "p"])
    #expect(row["calls"] == 6 && row["inFlight"] == 0 && row["errors"] == 1)
  }

  @Test("A plugin inside the agent has the same figures, and no process of its own")
  func builtin() throws {
    let world = try SAPWorld()
    let agent = try world.launch()
    let client = try world.client(of: agent)
    try client.call("tasks.refresh")
    let row = try client.call("plugins.get", ["plugin": "sap"])
    #expect(row["kind"] == "builtin" && row["pid"] == .null && row["memory"] == .null)
    #expect(row["calls"]?.int ?? 0 >= 1 && row["errors"] == 0 && row["latency"]?["median"] != nil)
    #expect(row["uptime"]?.int ?? -1 >= 0)
  }

  @Test("Every row fits the schema that rpc.discover states", arguments: ["running", "failed", "disabled"])
  func schema(state: String) throws {
    let world = try PluginWorld(
      state == "disabled" ? ["enabled": false] : [:],
      arguments: state == "failed" ? ["answer", #"{"methods": 7}"#] : [])
    let client = try world.start(until: state)
    if state == "running" { try client.call("p.echo") }
    let row = try client.call("plugins.get", ["plugin": "p"])
    let methods = try client.call("rpc.discover")["methods"]?.array
    let document = try #require(methods?.first { $0["name"] == "plugins.get" }?["result"]?["schema"])
    #expect(try Schema(json: document).validate(row).map(\.description) == [])
    #expect((row["uptime"] == .null) == (state != "running"))
  }

  @Test("ringi plugins fits a terminal of 80 columns, and ringi plugins NAME has all of one")
  func commandLine() throws {
    let world = try PluginWorld()
    let client = try world.start()
    try client.call("p.echo")
    let arguments = ["--socket", world.folder.socket, "plugins"]
    let table = try Program.run("ringi", arguments)
    #expect(table.status == 0 && table.output.hasPrefix("NAME  STATE    SINCE"), "\(table)")
    let one = try Program.run("ringi", arguments + ["p"])
    #expect(one.output.contains("  kind        process\n") && one.output.contains("  calls       1\n"), "\(one)")
    #expect(try Program.run("ringi", arguments + ["get", "q"]).status == 66)
  }

  // MARK: Ups and downs

  /// What became of the plugins so far; an event may be recorded a moment after what it tells of, so it is waited for.
  private static func changes(_ client: TestClient, count: Int = 0) throws -> [JSONValue] {
    let end = Date(timeIntervalSinceNow: 40)
    while true {
      let types: JSONValue = ["plugin-down", "plugin-up"]
      let events = try client.call("events.list", ["types": types])["events"]?.array.map(Array.init) ?? []
      if events.count < count, Date() < end {
        usleep(5000)
        continue
      }
      return events.map { event in
        let data = event["data"] ?? .null
        return [event["type"] ?? .null, data["state"] ?? .null, data["planned"] ?? .null]
      }
    }
  }

  @Test("A restart that was asked for is told as planned, and what is called meanwhile gets plugin-down")
  func restart() throws {
    // It ends when the test lets it.
    let world = try PluginWorld(
      script: PluginWorld.script + #"""

        while not os.path.exists("go"):
            time.sleep(0.01)
        """#)
    let client = try world.start()
    let before = try Self.changes(client)
    let restart = try client.ask("plugins.restart", ["plugin": "p"])
    try world.wait(client) { $0["state"] == "starting" }
    #expect(try client.refusal("p.echo")?["data"]?["kind"] == "plugin-down")
    try world.folder.write("plugins.d/go", "")
    #expect(try client.response(to: restart)["result"]?["restarts"] == 1)
    try world.wait(client) { $0["state"] == "running" }
    #expect(try client.call("p.echo", ["x": 1]) == ["x": 1])
    #expect(
      try Self.changes(client, count: before.count + 2)
        == before + [["plugin-down", "starting", true], ["plugin-up", "running", nil]])
  }

  @Test("A planned restart whose program then fails is told as a failure too, and a crash as none that was planned")
  func failure() throws {
    let world = try PluginWorld()
    let client = try world.start()
    let before = try Self.changes(client)
    try world.folder.write("plugins.d/p.py", "import sys; sys.exit(7)")
    try client.call("plugins.restart", ["plugin": "p"])
    try world.wait(client) { $0["state"] == "backoff" }
    try world.folder.write("plugins.d/p.py", PluginWorld.script)
    let restarts = try world.wait(client) { $0["state"] == "running" }["restarts"]?.int ?? 0
    _ = try client.refusal("p.exit")
    try world.wait(client) { $0["state"] == "running" && $0["restarts"]?.int ?? 0 > restarts }
    let all = try Self.changes(client, count: before.count + 5).dropFirst(before.count)
    #expect(
      Array(all) == [
        ["plugin-down", "starting", true], ["plugin-down", "backoff", false], ["plugin-up", "running", nil],
        ["plugin-down", "backoff", false], ["plugin-up", "running", nil],
      ])
  }

  @Test("A reload tells of the plugins that it brings, changes, switches off and takes away")
  func reload() throws {
    let world = try PluginWorld()
    let client = try world.start()
    let before = try Self.changes(client)
    func reload(_ plugin: JSONValue, until state: String) throws {
      try world.writePlugin(plugin)
      try client.call("agent.reload")
      try world.wait(client) { $0["state"]?.string == state }
    }
    try reload(["env": ["CHANGED": "1"]], until: "running")
    try reload(["enabled": false], until: "disabled")
    try reload([:], until: "running")
    try FileManager.default.removeItem(atPath: "\(world.folder.config)/plugins.d/p.json")
    try client.call("agent.reload")
    #expect(
      try Self.changes(client) == before + [
        ["plugin-down", "starting", true], ["plugin-up", "running", nil], ["plugin-down", "disabled", true],
        ["plugin-up", "running", nil], ["plugin-down", "removed", true],
      ])
    #expect(try client.refusal("plugins.logs", ["plugin": "p"])?["data"]?["kind"] == "not-found")
  }

  @Test("A restart of a plugin inside the agent is told as well")
  func builtinRestart() throws {
    let world = try SAPWorld()
    let agent = try world.launch()
    let client = try world.client(of: agent)
    try client.call("plugins.restart", ["plugin": "sap"])
    #expect(
      try Self.changes(client, count: 2) == [["plugin-down", "starting", true], ["plugin-up", "running", nil]])
  }
}
