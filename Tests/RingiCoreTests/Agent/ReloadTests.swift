import EventLoop
import JSON
import RingiCore
import RingiTestSupport
import Sandbox
import Testing

@Suite(.timeLimit(.minutes(5))) struct ReloadTests {
  @Test func whatDidNotChangeIsLeftAlone() async throws {
    let rig = try await AgentRig()
    _ = try rig.readyTask()
    let before = try rig.call("plugins.get", ["plugin": "sap"])
    let events = try rig.events().count
    rig.control.clearRequests()
    #expect(try rig.call("agent.reload")["changed"] == [])
    try rig.folder.write("config/hooks.d/new.json", #"{"on": ["never"], "run": ["true"]}"#)
    #expect(try rig.call("agent.reload")["changed"] == ["hooks.d/new"])
    #expect(try rig.call("plugins.get", ["plugin": "sap"]) == before)
    #expect(try rig.events().count == events)
    #expect(rig.control.requests.isEmpty)
    try await rig.stop()
  }

  @Test func aPluginThatWasAwayAnnouncesNothingAgain() async throws {
    let rig = try await AgentRig()
    let task = try rig.readyTask()
    let file = try #require(rig.folder.read("config/plugins.d/sap.json"))
    try rig.folder.write("config/plugins.d/sap.json", #"{"provider": "sap-workflow", "enabled": false}"#)
    // Without settings it is broken, and the old one goes on.
    #expect(try rig.call("agent.reload")["changed"] == [])
    #expect(try rig.call("plugins.get", ["plugin": "sap"])["state"] == "running")
    try rig.folder.write("config/plugins.d/sap.json", file.replacing(#""poll""#, with: #""enabled": false, "poll""#))
    #expect(try rig.call("agent.reload")["changed"] == ["plugins.d/sap"])
    #expect(try rig.call("plugins.get", ["plugin": "sap"])["state"] == "disabled")
    #expect(try rig.call("tasks.list")["tasks"] == [])
    #expect(
      try rig.error("tasks.approve", ["task": task.id])["code"]?.int.map { [-32007, -32004].contains($0) } == true)
    try rig.folder.write("config/plugins.d/sap.json", file)
    try rig.call("agent.reload")
    try rig.refresh()
    #expect(try rig.call("tasks.list")["tasks"]?.array?.count == 1)
    #expect(try rig.events("task-ready").count == 1)
    #expect(try rig.events("task-gone").isEmpty)
    try await rig.stop()
  }

  @Test func aFileThatIsBrokenIsNamedAndTheOldOneStays() async throws {
    let rig = try await AgentRig(files: ["hooks.d/note.json": #"{"on": ["x"], "run": ["true"]}"#])
    try rig.folder.write("config/hooks.d/note.json", "{\"on\": [\"y\"],\n \"rum\": [\"true\"]}")
    try rig.folder.write("config/plugins.d/sap.json", "{\"provider\": ")
    try rig.folder.write("config/ringi.json", #"{"limits": {"batch": "many"}}"#)
    #expect(try rig.call("agent.reload")["changed"] == [])
    let status = try rig.call("agent.status")
    let problems = try #require(status["problems"]?.array).compactMap(\.string)
    for place in ["hooks.d/note.json:2:2: ", "plugins.d/sap.json:1:", "ringi.json:1:22: "] {
      #expect(problems.contains { $0.contains("/config/\(place)") }, "\(place) in \(problems)")
    }
    #expect(problems.contains { $0.contains("run") })
    #expect(try rig.call("plugins.get", ["plugin": "sap"])["state"] == "running")
    let hooks = try rig.call("hooks.list").description
    #expect(hooks.contains(#"["x"]"#) && !hooks.contains(#"["y"]"#), "\(hooks)")
    try await rig.stop()
  }

  @Test func settingsThatOnlyTheProviderRefusesLeaveTheOldOnesInForce() async throws {
    let rig = try await AgentRig()
    let task = try rig.readyTask()
    let file = try #require(rig.folder.read("config/plugins.d/sap.json"))
    try rig.folder.write(
      "config/plugins.d/sap.json", file.replacing("http:", with: "gopher:"))
    #expect(try rig.call("agent.reload")["changed"] == [])
    let problems = try #require(rig.call("agent.status")["problems"]?.array).compactMap(\.string)
    #expect(problems.contains { $0.contains("/config/plugins.d/sap.json:1:") }, "\(problems)")
    #expect(try rig.call("tasks.approve", ["task": task.id])["task"]?["outcome"] == "approved")
    try rig.folder.write("config/plugins.d/sap.json", file)
    try rig.call("agent.reload")
    #expect(try rig.call("agent.status")["problems"] == [])
    try await rig.stop()
  }

  @Test func limitsAndPhrasesOfNewClientsAreTheNewOnes() async throws {
    let rig = try await AgentRig()
    try rig.folder.write(
      "config/ringi.json",
      #"{"limits": {"batch": 2}, "phrases": [{"say": "hello", "call": "agent.echo", "params": {"to": "you"}}]}"#)
    #expect(try rig.call("agent.reload")["changed"] == ["ringi.json"])
    let client = try rig.client()
    let ping = #"{"jsonrpc":"2.0","id":1,"method":"agent.ping"}"#
    try client.send("[\(ping),\(ping),\(ping)]")
    #expect(try client.receive()["error"]?["code"] == -32600)
    #expect(try rig.call("phrases.say", ["text": "HELLO!"])["result"] == ["to": "you"])
    try await rig.stop()
  }

  @Test func aReloadThatComesDuringAnotherSeesTheNewestFile() async throws {
    let rig = try await AgentRig()
    let client = try rig.client()
    var ids: [Int] = []
    for number in 1...5 {
      try rig.folder.write("config/hooks.d/h.json", #"{"on": ["x\#(number)"], "run": ["true"]}"#)
      ids.append(try client.ask("agent.reload"))
    }
    for id in ids { #expect(try client.response(to: id)["result"] != nil) }
    #expect(try rig.call("hooks.list").description.contains(#"["x5"]"#))
    try await rig.stop()
  }
}
