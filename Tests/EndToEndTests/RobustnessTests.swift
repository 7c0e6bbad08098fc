import Foundation
import Glibc
import JSON
import JSONRPC
import RingiTestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized) struct RobustnessTests {
  /// Processor time that a process has used, in seconds.
  private func processorTime(_ pid: Int32) throws -> Double {
    let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    let fields = try #require(stat.split(separator: ")").last).split(separator: " ")
    return (Double(fields[11]) ?? 0) / 100 + (Double(fields[12]) ?? 0) / 100
  }

  /// Resident memory of a process, in bytes.
  private func memory(_ pid: Int32) throws -> Int {
    let fields = try String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8).split(separator: " ")
    return (Int(fields[1]) ?? 0) * 4096
  }

  private func end(_ agent: Program) {
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  @Test func anAgentWithoutDescriptorsToSpareWaitsForThem() throws {
    let folder = try AgentFolder()
    let ringid = Program.folder.appendingPathComponent("ringid").path
    let agent = try Program(
      "sh", ["-c", "ulimit -n 64; exec \"$@\"", "sh", ringid] + folder.arguments + ["--socket", folder.socket])
    let first = try folder.client(of: agent)
    #expect(try first.call("agent.ping") == "pong")
    var clients = try (0..<100).map { _ in try folder.client() }
    let ids = try clients.map { try $0.ask("agent.ping") }
    #expect(try clients[0].response(to: ids[0])["result"] == "pong")
    // Over a second of being full: one look every now and then, no spinning.
    let before = try processorTime(agent.pid)
    _ = agent.waitFor(seconds: 1) { _ in false }
    #expect(try processorTime(agent.pid) - before < 0.2)
    #expect(try first.call("agent.ping") == "pong")
    let (last, id) = (clients[99], ids[99])
    clients = []
    #expect(try last.response(to: id)["result"] == "pong")
    end(agent)
  }

  @Test func aJobMakesUpForATimeAsleepOnce() throws {
    let folder = try AgentFolder([
      "jobs.d/tick.json": #"{"call": "events.publish", "params": {"type": "tick"}, "every": "200ms"}"#
    ])
    let agent = try folder.startAgent()
    let client = try folder.client()
    try client.call("events.subscribe", ["types": ["tick"]])
    _ = try client.notification("tick")
    let since = try client.call("agent.status")["sequence"] ?? 0
    agent.send(SIGSTOP)
    _ = agent.waitFor(seconds: 2) { _ in false }
    agent.send(SIGCONT)
    try client.call("agent.ping")
    // Ten were missed: there is the one that makes up for them, and what the rhythm gave before and after.
    let ticks = try client.call("events.list", ["since": since, "types": ["tick"]])["events"]?.array?.count
    #expect(try #require(ticks) <= 4)
    while try client.notification("tick")["event"]?["sequence"]?.int ?? 0 <= since.int ?? 0 {}
    end(agent)
  }

  @Test func aMessageOfAGibibyteIsRefusedAndNotKept() throws {
    let folder = try AgentFolder()
    let agent = try folder.startAgent()
    let other = try folder.client()
    #expect(try other.call("agent.ping") == "pong")
    let before = try memory(agent.pid)
    let client = try TestClient(folder.socket, framing: .contentLength)
    try client.sendRaw(Array("Content-Length: 1073741824\r\n\r\n".utf8))
    let chunk = [UInt8](repeating: 0x20, count: 1 << 20)
    for _ in 0..<32 { try client.sendRaw(chunk) }
    let error = try client.receive()
    #expect(error["error"]?["code"] == -32600 && error["id"] == .null)
    #expect(try other.call("agent.ping") == "pong")
    #expect(try memory(agent.pid) - before < 8 << 20)
    end(agent)
  }

  @Test func aClientThatDoesNotReadKeepsNoOtherWaiting() throws {
    let folder = try AgentFolder()
    let agent = try folder.startAgent()
    let (reader, other) = (try folder.client(), try folder.client())
    let count = 10_000
    var rest = (1...count).flatMap { reader.frame(#"{"jsonrpc":"2.0","id":\#($0),"method":"agent.ping"}"#) }[...]
    while case let sent = try reader.sendSome(rest.prefix(64 << 10)), sent > 0 { rest = rest.dropFirst(sent) }
    for _ in 0..<10 { #expect(try other.call("agent.ping") == "pong") }
    for number in 1...count {
      if !rest.isEmpty { rest = rest.dropFirst(try reader.sendSome(rest.prefix(64 << 10))) }
      #expect(try reader.receive()["id"]?.int == Int64(number))
    }
    end(agent)
  }

  @Test func atTheFinestLogLevelStandardOutputIsProtocolAlone() throws {
    let folder = try AgentFolder([
      "ringi.json": #"{"log": {"level": "debug"}}"#,
      "plugins.d/sap.json": """
      {"provider": "sap-workflow", "settings": {"environment": "neo", "url": "http://127.0.0.1:9",
        "user": "P", "password": {"env": "NO_SUCH_VARIABLE"}}}
      """,
      "hooks.d/bad.json": "{",
      "jobs.d/ping.json": #"{"call": "agent.pong", "every": "10ms"}"#,
    ])
    let agent = try Program("ringid", folder.arguments + ["--stdio"])
    agent.write(#"{"jsonrpc":"2.0","id":1,"method":"tasks.refresh"}"# + "\n")
    #expect(agent.waitFor { $0.outputText.contains("\n") })
    agent.write(#"{"jsonrpc":"2.0","id":2,"method":"agent.ping"}"# + "\n")
    agent.closeInput()
    #expect(agent.wait() == 0)
    let lines = agent.outputText.split(separator: "\n")
    #expect(lines.count == 2)
    for line in lines { #expect(try JSONValue(parsing: String(line))["jsonrpc"] == "2.0") }
    #expect(agent.errorText.contains("hooks.d/bad.json:1:"))
  }
}
