import Foundation
import Glibc
import JSON
import RingiTestSupport
import Sandbox
import Testing

/// The agent in front of an installation of Cúram.
@Suite(.timeLimit(.minutes(5))) struct CuramTests {
  private static let password = "p&ss=w+rd%41 "

  private func world(
    _ switches: (inout CuramSwitches) -> Void = { _ in }
  ) throws -> (sandbox: CuramSandbox, folder: AgentFolder) {
    var configuration = CuramConfiguration()
    switches(&configuration.switches)
    let sandbox = CuramSandbox(configuration)
    try sandbox.start(port: 0, tls: nil)
    let folder = try AgentFolder([
      "plugins.d/curam.json": """
      {"provider": "curam", "poll": {"every": "1d"},
       "settings": {"url": "\(sandbox.baseURL)", "user": "symbols", "password": {"env": "CURAM_PASSWORD"},
                    "watch": [{"path": "persons/101"}]}}
      """
    ])
    return (sandbox, folder)
  }

  private func start(_ folder: AgentFolder) throws -> (agent: Program, client: TestClient) {
    let agent = try Program(
      "ringid", folder.arguments + ["--socket", folder.socket], environment: ["CURAM_PASSWORD": Self.password])
    return (agent, try agent.connect(folder.socket))
  }

  private func end(_ agent: Program) {
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  @Test func aChangeIsAnnouncedOnceAlsoOverARestart() throws {
    let (sandbox, folder) = try world { ($0.csrf, $0.loginStyle) = (true, .redirect302) }
    defer { sandbox.stop() }
    var (agent, client) = try start(folder)
    #expect(try client.call("jobs.run", ["job": "poll:curam"])["result"]?["changed"] == 0)
    #expect(try client.call("curam.persons.relationships", ["id": "101"])["relationships"]?.array?.count == 1)
    sandbox.with { $0.setResource("persons/101", ["concernRoleID": "101"]) }
    end(agent)
    #expect(sandbox.with { $0.openSessions } == 0)

    (agent, client) = try start(folder)
    try client.call("events.subscribe", ["since": 0, "types": ["record-changed"]])
    let event = try #require(client.notification("record-changed")["event"])
    #expect(event["subject"] == "persons/101")
    #expect(event["data"]?["patch"]?.array?.allSatisfy { $0["op"] == "remove" } == true)
    try client.call("jobs.run", ["job": "poll:curam"])
    #expect(try client.call("events.list", ["types": ["record-changed"]])["events"]?.array?.count == 1)
    end(agent)
  }

  @Test func aPollThatFailsIsToldAsAnyAndTheEndOfIt() throws {
    let (sandbox, folder) = try world()
    defer { sandbox.stop() }
    let (agent, client) = try start(folder)
    try client.call("jobs.run", ["job": "poll:curam"])
    sandbox.with {
      $0.setUser(CuramUser(name: "symbols", password: "another")); $0.expireLogins()
    }
    #expect(try client.refusal("jobs.run", ["job": "poll:curam"])?["data"]?["kind"] == "login-required")
    let status = try client.call("agent.status")
    #expect(status["problems"]?.array?.contains { $0.string?.contains("curam") == true } == true)
    sandbox.with { $0.setUser(CuramUser(name: "symbols", password: Self.password)) }
    try client.call("plugins.restart", ["plugin": "curam"])
    try client.call("jobs.run", ["job": "poll:curam"])
    let types = try client.call("events.list", ["types": ["poll-failed", "login-required", "poll-recovered"]])["events"]
    #expect(types?.array?.map { $0["type"] } == ["poll-failed", "login-required", "poll-recovered"])
    for text in [agent.errorText, status.description, types?.description ?? ""] {
      #expect(!text.contains(Self.password) && !text.contains("p%26ss"))
    }
    end(agent)
  }

  @Test func theProgramServesTheSandbox() throws {
    let sandbox = try Program("ringi-sandbox", ["curam", "--set", "server=weblogic", "--set", "csrf=true"])
    #expect(sandbox.waitFor { $0.outputText.hasSuffix("\n") })
    let url = sandbox.outputText.trimmingCharacters(in: .whitespacesAndNewlines)
    let folder = try AgentFolder([
      "plugins.d/curam.json":
        #"{"provider": "curam", "settings": {"url": "\#(url)/Rest", "user": "caseworker", "password": "casework-1"}}"#
    ])
    let agent = try folder.startAgent()
    let client = try folder.client()
    #expect(try client.call("curam.persons.get", ["101"])["fullName"] == "Ada Example")
    #expect(try client.call("jobs.list")["jobs"]?.array?.isEmpty == true)
    end(agent)
    sandbox.send(SIGTERM)
    #expect(sandbox.wait() == 0)
  }
}
