import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CommandLineTests {
  @Test(arguments: [["--socke", "x"], ["--socket"], ["--config", ""], ["extra"], ["--state="]])
  func whatItDoesNotTakeIsAUsageError(_ words: [String]) throws {
    let result = try Program.run("ringid", words)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix("ringid: ") && result.errors.hasSuffix("\n"))
  }

  @Test func versionAndHelpGoToStandardOutput() throws {
    let version = try Program.run("ringid", ["--version"])
    #expect(version.status == 0)
    #expect(version.output.wholeMatch(of: /ringid \d+\.\d+\.\d+\S*\n/) != nil)
    let help = try Program.run("ringid", ["--help"])
    #expect(help.status == 0)
    for flag in ["--config", "--state", "--socket", "--stdio", "--check", "--version"] {
      #expect(help.output.contains(flag))
    }
    for line in help.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
  }

  // MARK: - Checking

  @Test func aRightConfigurationIsCheckedWithZero() throws {
    let folder = try AgentFolder(["jobs.d/j.json": #"{"call": "agent.ping", "every": "1h"}"#])
    let result = try Program.run("ringid", ["--check", "--config", folder.config])
    #expect(result.status == 0)
    #expect(result.output.contains("j: next 2"))
    // Nothing is made, not even the state directory.
    #expect(!FileManager.default.fileExists(atPath: folder.state))
  }

  @Test func everyProblemOfEveryFileIsPrinted() throws {
    let folder = try AgentFolder([
      "ringi.json": "{\n  \"limit\": {},\n  \"log\": {\"level\": 3}\n}",
      "plugins.d/a.json": #"{"provider": "sap-workflo"}"#,
      "jobs.d/b.json": #"{"call": "agent.pin", "every": "1h"}"#,
      "hooks.d/c.json": #"{"on": ["x"], "run": ["true"], "on": ["y"]}"#,
    ])
    let result = try Program.run("ringid", ["--check", "--config", folder.config])
    #expect(result.status == 78)
    let lines = result.output.split(separator: "\n").map(String.init)
    for place in [
      "ringi.json:2:3: ", "ringi.json:3:20: ", "plugins.d/a.json:1:14: ", "jobs.d/b.json:1:10: ", "hooks.d/c.json:1:",
    ] {
      #expect(lines.contains { $0.hasPrefix("\(folder.config)/\(place)") }, "\(place) in \(result.output)")
    }
    #expect(result.output.contains("limits") && result.output.contains("sap-workflow"), "suggestions")
  }

  // MARK: - Where things are

  @Test func theVariablesSayWhereThingsAre() throws {
    let folder = try AgentFolder()
    let agent = try Program(
      "ringid", [],
      environment: ["RINGI_CONFIG": folder.config, "RINGI_STATE": folder.state, "RINGI_SOCKET": folder.socket])
    let client = try folder.client(of: agent)
    let status = try client.call("agent.status")
    #expect(status["config"]?.string == folder.config)
    #expect(status["state"]?.string == folder.state)
    #expect(status["listeners"]?[0]?["socket"]?.string == folder.socket)
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  @Test func theBaseDirectoriesAreTheNextChoice() throws {
    let folder = try AgentFolder()
    let home = folder.path("")
    let agent = try Program(
      "ringid", [],
      environment: [
        "RINGI_CONFIG": "", "RINGI_STATE": "", "RINGI_SOCKET": "", "HOME": home, "XDG_CONFIG_HOME": "\(home)c",
        "XDG_STATE_HOME": "\(home)s", "XDG_RUNTIME_DIR": "\(home)r",
      ])
    let socket = "\(home)r/ringi/agent.sock"
    let status = try agent.connect(socket).call("agent.status")
    #expect(status["config"]?.string == "\(home)c/ringi")
    #expect(status["state"]?.string == "\(home)s/ringi")
    let mode = try FileManager.default.attributesOfItem(atPath: "\(home)r/ringi")[.posixPermissions] as? Int
    #expect(mode == 0o700)
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  @Test(arguments: [String(repeating: "x", count: 120), String(repeating: "稟", count: 40)])
  func aSocketPathThatIsTooLongIsRefusedInWordsAndFoundByCheck(name: String) throws {
    let folder = try AgentFolder()
    let path = folder.path(name)
    let result = try Program.run("ringid", folder.arguments + ["--socket", path])
    #expect(result.status == 69)
    #expect(result.errors.contains("107"))
    let check = try Program.run("ringid", folder.arguments + ["--socket", path, "--check"])
    #expect(check.status == 78)
    #expect(check.output.contains("\(path.utf8.count) bytes"))
    #expect(!check.output.contains("is right"))
  }

  @Test func aFolderThatIsNamedAndNotThereIsNoRightConfiguration() throws {
    let folder = try AgentFolder()
    let result = try Program.run("ringid", ["--check", "--config", folder.path("typo")])
    #expect(result.status == 78)
    #expect(result.output.contains(folder.path("typo")))
    #expect(!result.output.contains("is right"))
  }
}
