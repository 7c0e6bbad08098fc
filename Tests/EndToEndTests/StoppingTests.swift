import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct StoppingTests {
  /// A hook that begins, and ends only when the test says so or after a minute.
  private func folderWithSlowHook() throws -> AgentFolder {
    let folder = try AgentFolder()
    try folder.write(
      "hooks.d/slow.json",
      """
      {"on": ["go"], "timeout": "60s",
       "shell": "cd '\(folder.url.path)'; echo $$ > pid; mv pid begun; until [ -e finish ]; do sleep 0.01; done; touch ended"}
      """)
    return folder
  }

  private func has(_ folder: AgentFolder, _ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.path(name))
  }

  private func agentWithHookUnderWay() throws -> (AgentFolder, Program, TestClient) {
    let folder = try folderWithSlowHook()
    let agent = try folder.startAgent()
    let client = try folder.client()
    try client.call("events.subscribe", ["types": ["agent-stopping"]])
    try client.call("events.publish", ["type": "go"])
    #expect(agent.waitFor { _ in has(folder, "begun") })
    return (folder, agent, client)
  }

  @Test(arguments: [SIGTERM, SIGINT]) func whatIsUnderWayMayFinish(_ signal: Int32) throws {
    let (folder, agent, client) = try agentWithHookUnderWay()
    agent.send(signal)
    _ = try client.notification("agent-stopping")
    #expect(!has(folder, "agent.sock"))
    #expect(try client.refusal("agent.ping")?["data"]?["kind"] == "overloaded")
    #expect(!has(folder, "ended"))
    #expect(FileManager.default.createFile(atPath: folder.path("finish"), contents: nil))
    #expect(agent.wait() == 0)
    #expect(has(folder, "ended"))
    #expect(try client.receiveRest().isEmpty)
  }

  @Test func aSecondSignalWaitsForNothing() throws {
    let (folder, agent, client) = try agentWithHookUnderWay()
    agent.send(SIGTERM)
    _ = try client.notification("agent-stopping")
    agent.send(SIGTERM)
    #expect(agent.wait(seconds: 5) == 128 + SIGTERM)
    #expect(FileManager.default.createFile(atPath: folder.path("finish"), contents: nil))
  }

  @Test func whatNeverEndsIsEnded() throws {
    let folder = try folderWithSlowHook()
    let agent = try folder.startAgent()
    try folder.client().call("events.publish", ["type": "go"])
    #expect(agent.waitFor { _ in has(folder, "begun") })
    agent.send(SIGTERM)
    #expect(agent.wait(seconds: 40) == 0)
    let hook = try #require(Int32(String(contentsOfFile: folder.path("begun"), encoding: .utf8).dropLast()))
    #expect(agent.waitFor(seconds: 5) { _ in kill(hook, 0) != 0 })
    #expect(!has(folder, "ended"))
  }

  @Test func aShutdownIsAnsweredBeforeTheEnd() throws {
    let folder = try AgentFolder()
    let agent = try folder.startAgent()
    let client = try folder.client()
    #expect(try client.call("agent.shutdown") == .null)
    #expect(try client.receiveRest().isEmpty)
    #expect(agent.wait() == 0)
    #expect(!has(folder, "agent.sock"))
  }

  @Test func watchEndsWithUnavailableWhenTheAgentGoesAway() throws {
    let folder = try AgentFolder()
    let agent = try folder.startAgent()
    let watch = try Program("ringi", ["--socket", folder.socket, "watch", "--json"])
    #expect(
      watch.waitFor { watch in
        _ = try? folder.client().call("events.publish", ["type": "are-you-there"])
        return watch.outputText.contains("are-you-there")
      })
    agent.send(SIGKILL)
    #expect(watch.wait() == 69)
    #expect(!watch.errorText.isEmpty)
  }

  @Test func aClosedStandardInputEndsEverythingWithItsAnswersWritten() throws {
    let folder = try AgentFolder()
    let agent = try Program("ringid", folder.arguments + ["--socket", folder.socket, "--stdio"])
    let other = try folder.client(of: agent)
    try other.call("events.subscribe", ["types": ["agent-stopping"]])
    agent.write(#"{"jsonrpc":"2.0","id":1,"method":"agent.ping"}"#)
    agent.closeInput()
    #expect(agent.wait() == 0)
    #expect(agent.outputText == "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"pong\"}\n")
    #expect(try other.receiveRest().compactMap { $0["method"] } == ["agent-stopping"])
    #expect(!has(folder, "agent.sock"))
  }
}
