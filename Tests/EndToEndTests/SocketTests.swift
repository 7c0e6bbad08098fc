import Foundation
import Glibc
import Testing

@Suite struct SocketTests {
  @Test func netcatAndAShellSpeakToTheSocket() throws {
    let folder = try AgentFolder()
    let agent = try folder.startAgent()
    let result = try Program.run(
      "sh",
      [
        "-c", #"for n in 1 2 3; do printf '{"jsonrpc":"2.0","id":%d,"method":"agent.ping"}\n' $n; done | nc -NU "$0""#,
        folder.socket,
      ])
    let answers = (1...3).map { "{\"jsonrpc\":\"2.0\",\"id\":\($0),\"result\":\"pong\"}\n" }.joined()
    #expect(result.output == answers)
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
    #expect(!FileManager.default.fileExists(atPath: folder.socket))
  }

  @Test func theSocketIsTheOwnersAlone() throws {
    let folder = try AgentFolder()
    let agent = try folder.startAgent()
    let mode = try FileManager.default.attributesOfItem(atPath: folder.socket)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  @Test func aDeadAgentsSocketIsReplacedAndALiveOnesRefused() throws {
    let folder = try AgentFolder()
    let first = try folder.startAgent()
    let other = try AgentFolder()
    let refused = try Program.run("ringid", other.arguments + ["--socket", folder.socket])
    #expect(refused.status == 69)
    #expect(refused.errors.contains(folder.socket))
    first.send(SIGKILL)
    _ = first.wait()
    #expect(FileManager.default.fileExists(atPath: folder.socket))
    let second = try Program("ringid", other.arguments + ["--socket", folder.socket])
    #expect(second.waitFor { _ in (try? folder.call("agent.ping").output.contains("pong")) == true })
    second.send(SIGINT)
    #expect(second.wait() == 0)
  }

  @Test func oneStateDirectoryHasOneAgent() throws {
    let folder = try AgentFolder()
    let first = try folder.startAgent()
    let second = try Program.run("ringid", folder.arguments + ["--socket", folder.path("other.sock")])
    #expect(second.status == 69)
    #expect(second.errors.contains("\(first.pid)"))
    first.send(SIGKILL)
    _ = first.wait()
    let third = try folder.startAgent()
    third.send(SIGTERM)
    #expect(third.wait() == 0)
  }

  @Test func subscribersHearOfTheEndBeforeItComes() throws {
    let folder = try AgentFolder()
    let agent = try folder.startAgent()
    let watch = try Program("ringi", ["--socket", folder.socket, "watch", "--json"])
    #expect(watch.waitFor { _ in (try? folder.call("agent.status").output.contains("\"connections\"")) == true })
    #expect(
      watch.waitFor { watch in
        _ = try? folder.call("events.publish", #"{"type":"are-you-there"}"#)
        return watch.outputText.contains("are-you-there")
      })
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
    _ = watch.wait()
    #expect(watch.outputText.contains("agent-stopping"))
  }
}
