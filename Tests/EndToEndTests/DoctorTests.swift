import Foundation
import Glibc
import JSON
import RingiTestSupport
import Sandbox
import Testing

/// `ringi doctor` as a person runs it, beside real agents.
@Suite(.timeLimit(.minutes(4)), .serialized) struct DoctorTests {
  private func doctor(_ folder: AgentFolder, _ words: String...) throws -> (
    status: Int32?, output: String, errors: String
  ) {
    try Program.run("ringi", ["--socket", folder.socket, "doctor"] + words)
  }

  private func end(_ agent: Program) {
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  @Test func whatIsWellEndsWithZeroAndWhatIsNotWithOne() throws {
    let world = try SAPWorld()
    let agent = try world.launch()
    let client = try world.client(of: agent)
    let well = try doctor(world.folder)
    #expect(well.status == 0, "\(well)")
    #expect(well.output.contains("Agent\n") && well.output.contains("\nsap\n"))
    #expect(well.output.contains("  ok       credentials    the service lets them in"))
    world.sandbox.stop()
    _ = try client.refusal("tasks.refresh")
    let ill = try doctor(world.folder, "--json")
    #expect(ill.status == 1)
    let checks = try JSONValue(parsing: ill.output)["checks"]?.array.map(Array.init) ?? []
    #expect(checks.contains { $0["check"] == "reachability" && $0["status"] == "problem" && $0["plugin"] == "sap" })
    #expect(try doctor(world.folder, "sup").status == 66)
    end(agent)
    // The file that it leaves behind is an agent's that is gone.
    let gone = try doctor(world.folder)
    #expect(gone.status == 69 && gone.output.contains("there is no \(world.folder.socket)"), "\(gone)")
  }

  @Test func aSocketThatAKilledAgentLeftIsToldApart() throws {
    let folder = try AgentFolder()
    let agent = try folder.startAgent()
    agent.send(SIGKILL)
    #expect(agent.wait() == -SIGKILL)
    let result = try doctor(folder)
    #expect(result.status == 69 && result.output.contains("left by an agent that is gone"), "\(result)")
  }

  @Test func onATerminalThereAreMarksAndColours() throws {
    let world = try SAPWorld()
    let agent = try world.launch()
    _ = try world.client(of: agent)
    let ringi = Program.folder.appendingPathComponent("ringi").path
    let result = try Program.run(
      "script", ["-qec", "stty cols 60; '\(ringi)' --socket '\(world.folder.socket)' doctor", "/dev/null"],
      environment: ["TERM": "xterm", "NO_COLOR": ""])
    #expect(result.status == 0)
    #expect(result.output.contains("✓") && result.output.contains("\u{1B}["))
    end(agent)
  }

  @Test func aBackendThatHangsKeepsNoOtherFromBeingTold() throws {
    let world = try SAPWorld(files: ["ringi.json": #"{"limits": {"requestTimeout": "6s"}}"#])
    let hung = try SAPWorkflowSandbox.started()
    defer { hung.stop() }
    let settings: JSONValue = [
      "environment": "neo", "url": .init(hung.baseURL), "user": "P1000009", "password": ["env": "SAP_PASSWORD"],
    ]
    let plugin: JSONValue = ["provider": "sap-workflow", "poll": ["every": "1d"], "settings": settings]
    try world.folder.write("plugins.d/hung.json", plugin.description)
    let agent = try world.launch()
    let client = try world.client(of: agent)
    try client.call("tasks.refresh")
    hung.control.inject(try #require(Fault(.hang(applied: false), on: "GET /v1/task-instances", count: nil)))
    let id = try client.ask("agent.doctor", ["progressToken": "t"])
    let order = try (0..<3).map { _ in try client.notification("$/progress")["value"]?["plugin"]?.string ?? "agent" }
    #expect(order.last == "hung" && Set(order) == ["agent", "hung", "sap"])
    let checks = try client.response(to: id)["result"]?["checks"]?.array.map(Array.init) ?? []
    let found = checks.first { $0["plugin"] == "hung" && $0["check"] == "reachability" }
    #expect(
      found?["status"] == "problem" && found?["message"]?.string?.contains("no whole answer") == true, "\(checks)")
    end(agent)
  }

  @Test(.enabled(if: PluginWorld.isPossible), arguments: [[:], ["stateless": true]] as [JSONValue])
  func aServerOfTheModelContextProtocolIsPinged(_ traits: JSONValue) throws {
    let world = try PluginWorld.mcp(traits)
    let client = try world.start()
    let checks = try client.call("agent.doctor", ["plugins": ["p"]])["checks"]?.array.map(Array.init) ?? []
    #expect(checks.contains { $0["check"] == "reachability" && $0["status"] == "ok" }, "\(checks)")
    #expect(checks.contains { $0["check"] == "program" && $0["message"] == "/usr/bin/python3" }, "\(checks)")
    kill(try world.pid(client), SIGSTOP)
    defer { (try? world.pid(client)).map { _ = kill($0, SIGCONT) } }
    try world.folder.write("ringi.json", #"{"limits": {"requestTimeout": "2s"}}"#)
    try client.call("agent.reload")
    let hung = try client.call("agent.doctor", ["plugins": ["p"]])["checks"]?.array.map(Array.init) ?? []
    #expect(hung.contains { $0["check"] == "reachability" && $0["status"] == "problem" }, "\(hung)")
  }
}

extension SAPWorkflowSandbox {
  /// A backend that answers at once.
  fileprivate static func started() throws -> SAPWorkflowSandbox {
    var configuration = SAPWorkflowConfiguration(.neo)
    configuration.switches.latency = .after(.zero)
    let sandbox = SAPWorkflowSandbox(configuration)
    try sandbox.start()
    return sandbox
  }
}
