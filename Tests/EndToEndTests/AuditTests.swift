import Foundation
import Glibc
import JSON
import RingiTestSupport
import SQLite
import Testing

@Suite(.timeLimit(.minutes(5))) struct AuditTests {
  private static func ringi(
    _ folder: AgentFolder, _ arguments: String...
  ) throws -> (status: Int32?, output: String, errors: String) {
    try Program.run("ringi", ["--socket", folder.socket] + arguments)
  }

  private static func end(_ agent: Program) {
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  @Test("The log tells which process of which user asked, also after a restart")
  func credentials() throws {
    let folder = try AgentFolder()
    var agent = try folder.startAgent()
    let client = try agent.connect(folder.socket)
    client.finishSending()
    #expect(try Self.ringi(folder, "reload").status == 0)
    Self.end(agent)
    #expect(agent.errorText.contains("the audit log has 2 entries, the last with the hash "))
    agent = try folder.startAgent()
    let me = try agent.connect(folder.socket)
    try me.call("agent.identify", ["name": "a test", "version": "7"])
    try me.call("agent.reload")
    let entries = try #require(me.call("audit.list")["entries"]?.array)
    #expect(entries.map { $0["action"] } == ["reload", "shutdown", "reload"])
    #expect(entries[1]["actor"] == ["signal": "SIGTERM"])
    let mine = try #require(entries.last?["actor"]?["client"])
    #expect(mine["pid"]?.int == Int64(getpid()))
    #expect(mine["uid"]?.int == Int64(getuid()))
    #expect(mine["gid"]?.int == Int64(getgid()))
    #expect(mine["user"]?.string == NSUserName())
    #expect(mine["listener"]?.string == folder.socket)
    #expect(mine["name"] == "a test" && mine["version"] == "7")
    #expect(entries.first?["actor"]?["client"]?["name"] == "ringi")
    Self.end(agent)
  }

  @Test("A name for the log has to fit into a line of it")
  func names() throws {
    let folder = try AgentFolder()
    let agent = try folder.startAgent()
    let client = try agent.connect(folder.socket)
    for name in ["", "a\nb", "\u{202E}evil", String(repeating: "x", count: 65)] {
      #expect(try client.refusal("agent.identify", ["name": JSONValue(name)])?["code"] == -32602)
    }
    Self.end(agent)
  }

  @Test("`ringi audit --verify` says which entry somebody changed, and exits with 1")
  func tampering() throws {
    let folder = try AgentFolder()
    let agent = try folder.startAgent()
    for _ in 0..<3 { #expect(try Self.ringi(folder, "reload").status == 0) }
    let whole = try Self.ringi(folder, "audit", "--verify")
    #expect(whole.status == 0)
    #expect(whole.output.hasPrefix("Whole: 3 entries"))
    try Connection(path: "\(folder.state)/ringi.db").execute(
      "DROP TRIGGER audit_is_not_changed; UPDATE audit SET text = replace(text, 'reload', 'relaxed') WHERE number = 2")
    let broken = try Self.ringi(folder, "audit", "--verify")
    #expect(broken.status == 1)
    #expect(broken.errors.contains("The audit log is broken: entry 2 is not what was written there."))
    #expect(try Self.ringi(folder, "audit", "--limit", "2").output.contains("relaxed"))
    Self.end(agent)
  }

  // MARK: Backups

  @Test("A backup made while events are published is whole, and a restored agent goes on from it")
  func backup() throws {
    let folder = try AgentFolder()
    var agent = try folder.startAgent()
    let client = try agent.connect(folder.socket)
    func publish(_ count: Int) throws {
      let ids = try (0..<count).map { try client.ask("events.publish", ["type": "t", "data": ["n": JSONValue($0)]]) }
      for id in ids { #expect(try client.response(to: id)["result"] != nil) }
    }
    try publish(500)
    let file = folder.path("backup.db")
    let other = try agent.connect(folder.socket)
    let backup = try other.ask("agent.backup", ["file": JSONValue(file), "progressToken": 1])
    try publish(500)
    #expect(try other.response(to: backup)["result"]?["file"]?.string == file)
    #expect(try other.notification("$/progress")["value"]?["share"]?.double != nil)
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(!FileManager.default.fileExists(atPath: "\(file).part"))
    let copied = try Connection(path: file).first("SELECT count(*) FROM event") { $0.integer(0) } ?? 0
    #expect((500...1001).contains(copied))

    let again = try Self.ringi(folder, "backup", file)
    #expect(again.status == 73)
    #expect(try Self.ringi(folder, "backup", "--force", file).status == 0)
    #expect(try Self.ringi(folder, "backup", "\(folder.state)/ringi.db").status == 73)

    // Not while the agent runs.
    let early = try Self.ringi(folder, "restore", file, "--state", folder.state)
    #expect(early.status == 69)
    try publish(10)
    let last = try client.call("agent.status")["sequence"]?.int ?? 0
    Self.end(agent)
    let restored = try Self.ringi(folder, "restore", file, "--state", folder.state)
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(restored.output.contains("\(folder.state)/ringi.db.replaced-"))
    agent = try folder.startAgent()
    let after = try agent.connect(folder.socket)
    let events = try #require(after.call("events.list", ["types": ["t"], "limit": 10_000])["events"]?.array)
    #expect(events.count == 1000)
    // Numbers that were given out before are not given out again.
    #expect(try after.call("events.publish", ["type": "t"])["event"]?["sequence"]?.int ?? 0 > last)
    #expect(try after.call("audit.verify")["valid"] == true)
    Self.end(agent)
  }

  @Test("Who comes back after a restore is told what is gone, wherever they were")
  func gap() throws {
    let folder = try AgentFolder()
    var agent = try folder.startAgent()
    var client = try agent.connect(folder.socket)
    func publish(_ count: Int) throws {
      for _ in 0..<count { try client.call("events.publish", ["type": "t"]) }
    }
    try publish(5)
    let file = folder.path("backup.db")
    #expect(try Self.ringi(folder, "backup", file).status == 0)
    try publish(4)
    Self.end(agent)
    // The last one is about its end.
    let last = try #require(
      try Connection(path: "\(folder.state)/ringi.db").first("SELECT max(sequence) FROM event") { $0.integer(0) })
    #expect(try Self.ringi(folder, "restore", file, "--state", folder.state).status == 0)

    agent = try folder.startAgent()
    client = try agent.connect(folder.socket)
    try publish(1)
    for (since, events, lost) in [(3, [4, 5], 6), (5, [], 6), (7, [], 8), (last, [], nil)] as [(Int64, [Int64], Int64?)]
    {
      let other = try agent.connect(folder.socket)
      try other.call("events.subscribe", ["since": JSONValue(since), "types": ["t"]])
      for sequence in events { #expect(try other.receive()["params"]?["event"]?["sequence"]?.int == sequence) }
      if let lost {
        let message = try other.receive()
        #expect(message["method"] == "events-lost")
        #expect(message["params"]?["from"]?.int == lost && message["params"]?["to"]?.int == last)
      }
      #expect(try other.receive()["params"]?["event"]?["sequence"]?.int == last + 1)

      let listed = try other.call("events.list", ["since": JSONValue(since)])
      let found = Array(try #require(listed["events"]?.array))
      #expect(found.compactMap { $0["data"]?["from"]?.int } == (lost.map { [$0] } ?? []))
      let next =
        try other.call("events.list", ["since": listed["sequence"] ?? .null])["events"]?.array.map(Array.init) ?? []
      #expect((found + next).last?["sequence"]?.int == last + 1)
    }
    Self.end(agent)
  }

  @Test(
    "What is no backup is refused, and the store stays", arguments: ["nothing", "no database", "another's database"])
  func noBackup(_ kind: String) throws {
    let folder = try AgentFolder()
    let agent = try folder.startAgent()
    Self.end(agent)
    let file = folder.path("backup.db")
    switch kind {
    case "no database": try String(repeating: "x", count: 5000).write(toFile: file, atomically: true, encoding: .utf8)
    case "another's database": try Connection(path: file).execute("CREATE TABLE t (a); PRAGMA user_version = 1")
    default: break
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: "\(folder.state)/ringi.db"))
    let refused = try Program.run("ringid", ["--restore", file, "--state", folder.state])
    #expect(refused.status == 65, "\(refused.errors)")
    #expect(refused.errors.contains(file))
    #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder.state)/ringi.db")) == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.state)
    #expect(!names.contains { $0.contains("restored") || $0.contains("replaced") }, "\(names)")
  }
}
