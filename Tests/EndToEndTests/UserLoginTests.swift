import Foundation
import Glibc
import JSON
import RingiTestSupport
import SQLite
import Sandbox
import Testing

/// A user's login, whose refresh token changes with each use, survives whatever happens to the agent.
@Suite(.timeLimit(.minutes(4)), .serialized) struct UserLoginTests {
  private func end(_ agent: Program) {
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  private func logins(_ client: TestClient) throws -> Int? {
    try client.call("events.list", ["types": ["login-required"], "limit": 10_000])["events"]?.array?.count
  }

  @Test("A kill -9 at any moment of a renewal loses no login", arguments: UserLogin.Place.allCases)
  func kills(place: UserLogin.Place) throws {
    let login = try UserLogin(place)
    let folder = try login.agentFolder()
    var renewals = 0
    for _ in 0..<40 {
      let agent = try login.launch(folder)
      let client = try folder.client(of: agent)
      // The server forgives one answer that was lost, not two in a row, so each life renews once before it may end.
      #expect(try client.refusal("tasks.refresh") == nil)
      let pid = agent.pid
      Thread.detachNewThread {
        usleep(UInt32.random(in: 0...60_000))
        kill(pid, SIGKILL)
      }
      do {
        while true {
          if Bool.random() { login.control.revokeTokens() }
          #expect(try client.refusal("tasks.refresh") == nil)
        }
      } catch {
        #expect(agent.wait() == -SIGKILL)
      }
      renewals += login.exchanges
      login.control.clearRequests()
    }
    #expect(renewals >= 100)
    let agent = try login.launch(folder)
    let client = try folder.client(of: agent)
    #expect(try client.refusal("tasks.refresh") == nil)
    #expect(try logins(client) == 0)
    end(agent)
  }

  @Test("Two agents that share one file never need a login")
  func shared() throws {
    let login = try UserLogin(.file)
    let folders = try [login.agentFolder(), login.agentFolder()]
    let agents = try folders.map { try login.launch($0) }
    let clients = try zip(folders, agents).map { try $0.client(of: $1) }
    for _ in 0..<60 {
      let ids = try clients.map { try $0.ask("tasks.refresh") }
      for (client, id) in zip(clients, ids) { #expect(try client.response(to: id)["error"] == nil) }
    }
    for client in clients { #expect(try logins(client) == 0) }
    for agent in agents { end(agent) }
  }

  @Test("A login that has ended is told once, and asked for once a poll", arguments: UserLogin.Place.allCases)
  func ended(place: UserLogin.Place) throws {
    let login = try UserLogin(place)
    let folder = try login.agentFolder()
    var agent = try login.launch(folder)
    var client = try folder.client(of: agent)
    try client.call("tasks.refresh")
    login.control.revokeTokens(refreshTokensToo: true)
    login.control.clearRequests()
    for count in 1...2 {
      #expect(try client.refusal("tasks.refresh")?["data"]?["kind"] == "login-required")
      #expect(login.exchanges == count)
    }
    #expect(try logins(client) == 1)
    agent.send(SIGKILL)
    #expect(agent.wait() == -SIGKILL)
    agent = try login.launch(folder)
    client = try folder.client(of: agent)
    #expect(try client.refusal("tasks.refresh")?["data"]?["kind"] == "login-required")
    #expect(try logins(client) == 1)
    // Somebody logs in.
    if place == .file {
      let token = try #require(login.control.makeRefreshToken(for: "P1000009"))
      try token.write(toFile: login.tokenFile, atomically: true, encoding: .utf8)
      try client.call("tasks.refresh")
      #expect(try logins(client) == 1)
    }
    end(agent)
  }

  @Test("Tokens are in the store's own table and nowhere else, and only its owner can read it")
  func secrecy() throws {
    let login = try UserLogin(.environment)
    let folder = try login.agentFolder([
      "ringi.json": #"{"log": {"level": "debug"}}"#,
      // A hook that tells all it is told.
      "hooks.d/gossip.json": #"{"on": ["*"], "retries": 0, "shell": "cat; exit 1"}"#,
    ])
    // The modes are the agent's own doing.
    let ringid = Program.folder.appendingPathComponent("ringid").path
    let agent = try Program(
      "sh", ["-c", "umask 000 && exec \"$0\" \"$@\"", ringid] + folder.arguments + ["--socket", folder.socket],
      environment: login.environment)
    let client = try folder.client(of: agent)
    for _ in 0..<3 { try client.call("tasks.refresh") }
    let kept = try #require(try UserLogin.kept(in: folder))
    #expect(kept != login.token)
    let told = try client.call("events.publish", ["type": "x.gossip", "data": ["token": JSONValue(kept)]])
    #expect(told["event"]?["data"] == ["token": "•••"])
    try checkModes(folder)
    login.control.revokeTokens(refreshTokensToo: true)
    #expect(try client.refusal("tasks.refresh")?["data"]?["kind"] == "login-required")
    let said = try ["agent.status", "plugins.list", "jobs.list", "events.list", "audit.list"].map {
      try client.call($0).description
    }
    end(agent)
    let tokens = login.tokens.union([kept, login.token])
    #expect(tokens.count > 6)
    let texts = try said + [agent.errorText, agent.outputText, otherTables(folder)] + otherFiles(folder)
    for token in tokens { #expect(!texts.contains { $0.contains(token) }) }
    #expect(texts.contains { $0.contains("x.gossip") })
  }

  private func checkModes(_ folder: AgentFolder) throws {
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(folder.state) == 0o700)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.state)
    #expect(Set(names).isSuperset(of: ["ringi.db", "ringi.db-wal", "ringi.db-shm"]))
    for name in names { #expect(try mode("\(folder.state)/\(name)") == 0o600, "\(name)") }
  }

  /// All that is in the store but the instances' state.
  private func otherTables(_ folder: AgentFolder) throws -> String {
    let connection = try Connection(path: "\(folder.state)/ringi.db", isReadOnly: true)
    let columns = try connection.rows(
      """
      SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND t.name <> 'plugin_state'
      """
    ) { ($0.text(0), $0.text(1)) }
    #expect(columns.contains { $0 == ("event", "text") } && columns.contains { $0 == ("audit", "text") })
    return try columns.flatMap { table, column in
      try connection.rows("SELECT CAST(\"\(column)\" AS TEXT) FROM \"\(table)\"") { $0.optionalText(0) ?? "" }
    }.joined(separator: "\n")
  }

  private func otherFiles(_ folder: AgentFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.state).filter { !$0.hasPrefix("ringi.db") }.map {
      String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder.state)/\($0)")), as: UTF8.self)
    }
  }
}
