import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

/// The shapes of what the agent answers about itself.
@Suite(.timeLimit(.minutes(5))) struct InterfaceTests {
  private func withAgent(_ files: [String: String] = [:], _ body: (TestClient) throws -> Void) throws {
    let folder = try AgentFolder(files)
    let agent = try folder.startAgent()
    try body(folder.client())
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  private static let files = [
    "ringi.json": #"{"phrases": [{"say": "hello", "call": "agent.echo", "params": {"to": "you"}}]}"#,
    "plugins.d/sap.json": """
    {"provider": "sap-workflow", "poll": {"every": "1h"}, "settings": {"environment": "neo",
      "url": "http://127.0.0.1:9", "user": "P", "password": {"env": "NO_SUCH_VARIABLE"}}}
    """,
    "plugins.d/off.json": """
    {"provider": "sap-workflow", "enabled": false, "settings": {"environment": "neo",
      "url": "http://127.0.0.1:9", "user": "P", "password": {"env": "NO_SUCH_VARIABLE"}}}
    """,
    "jobs.d/ping.json": #"{"call": "agent.ping", "cron": "@hourly"}"#,
    "hooks.d/note.json": #"{"on": ["thing"], "run": ["true"]}"#,
  ]

  @Test func theStatusTellsOfEverything() throws {
    try withAgent(Self.files) { client in
      let status = try client.call("agent.status")
      for name in ["version", "pid", "uptime", "listeners", "plugins", "jobs", "hooks", "problems", "counters"] {
        #expect(status[name] != nil, "\(name)")
      }
      #expect(status["plugins"]?.array?.map { $0["name"] } == ["off", "sap"])
      #expect(status["hooks"]?.array?.count == 1)
    }
  }

  @Test func pluginsJobsHooksAndPhrasesHaveTheirShapes() throws {
    try withAgent(Self.files) { client in
      let plugin = try client.call("plugins.get", ["plugin": "off"])
      for name in ["name", "kind", "provider", "state", "since", "methods", "lastError", "restarts"] {
        #expect(plugin[name] != nil, "\(name)")
      }
      #expect(plugin["state"] == "disabled")
      let restarted = try client.call("plugins.restart", ["plugin": "sap"])
      #expect(restarted["state"] == "running" && restarted["restarts"] == 1)
      #expect(restarted["methods"]?.array?.contains("sap.workflow.start") == true)

      let job = try client.call("jobs.run", ["job": "ping"])
      #expect(job != .null)
      let paused = try client.call("jobs.pause", ["job": "ping"])
      for name in ["name", "schedule", "next", "last", "lastDuration", "lastError", "failures", "paused"] {
        #expect(paused[name] != nil, "\(name) in \(paused)")
      }
      #expect(paused["paused"] == true && paused["last"] != .null)
      #expect(try client.call("jobs.resume", ["job": "ping"])["paused"] == false)

      #expect(try client.call("hooks.list").description.contains("note"))
      #expect(try client.call("hooks.deliveries", ["hook": "note"]) != .null)

      let said = try client.call("phrases.say", ["text": " Hello! "])
      #expect(said == ["phrase": "hello", "method": "agent.echo", "result": ["to": "you"]])
      for (method, params) in [
        ("plugins.get", ["plugin": "none"]), ("jobs.run", ["job": "none"]), ("phrases.say", ["text": "none"]),
        ("tasks.get", ["task": "none"]), ("hooks.deliveries", ["hook": "none"]),
      ] as [(String, JSONValue)] {
        let error = try client.refusal(method, params)
        #expect(error?["code"] == -32004 && error?["data"]?["kind"] == "not-found", "\(method)")
        #expect(error?["data"]?["retryable"] == false)
      }
    }
  }

  @Test func whereThereAreNoPluginsThatIsSaid() throws {
    try withAgent { client in
      let plugin = try client.refusal("plugins.get", ["plugin": "nope"])
      #expect(plugin?["message"] == "There is no plugin \"nope\"; there are none, and `ringi plugin new` makes one.")
      let source = try client.refusal("tasks.refresh", ["provider": "nope"])
      #expect(source?["message"] == "There is no task source nope; no plugin has tasks.")
    }
  }

  // MARK: - Discovery

  @Test func discoveryDescribesEveryMethod() throws {
    try withAgent(Self.files) { client in
      let document = try client.call("rpc.discover")
      #expect(document["openrpc"]?.string?.hasPrefix("1.3.") == true)
      #expect(document["info"]?["title"]?.string != nil && document["info"]?["version"]?.string != nil)
      let methods = try #require(document["methods"]?.array)
      let names = methods.compactMap { $0["name"]?.string }
      #expect(Set(names).count == methods.count)
      for name in Self.contract { #expect(names.contains(name), "\(name)") }
      #expect(names.contains("sap.workflow.start"))
      for method in methods { try expectIsDescribed(method) }
    }
  }

  private static let contract = [
    "agent.ping", "agent.echo", "agent.status", "agent.reload", "agent.shutdown", "rpc.discover", "plugins.list",
    "plugins.get", "plugins.restart", "tasks.list", "tasks.get", "tasks.approve", "tasks.reject", "tasks.complete",
    "tasks.claim", "tasks.release", "tasks.refresh", "events.subscribe", "events.unsubscribe", "events.list",
    "events.publish", "jobs.list", "jobs.run", "jobs.pause", "jobs.resume", "hooks.list", "hooks.test",
    "hooks.deliveries", "hooks.retry", "hooks.discard", "phrases.say",
  ]

  private func expectIsDescribed(_ method: JSONValue) throws {
    let name = method["name"]?.string ?? ""
    #expect(method["summary"]?.string?.isEmpty == false, "\(name)")
    let params = try #require(method["params"]?.array, "\(name)")
    var mayBeRequired = true
    for param in params {
      #expect(param["name"]?.string?.isEmpty == false, "\(name)")
      #expect(param["schema"]?.kind == .object, "\(name)")
      // By position a required param can't stand behind one that may be left out.
      let isRequired = param["required"]?.bool == true
      #expect(mayBeRequired || !isRequired, "\(name): \(param)")
      mayBeRequired = isRequired
    }
    #expect(method["result"]?["name"]?.string != nil && method["result"]?["schema"]?.kind == .object, "\(name)")
    let codes = try #require(method["errors"]?.array, "\(name)")
    #expect(codes.allSatisfy { $0["code"]?.int != nil && $0["message"]?.string != nil }, "\(name)")
    #expect(Set(codes.compactMap { $0["code"]?.int }).count == codes.count, "\(name)")
  }

  @Test func aListenerShowsAndTakesOnlyWhatItAllows() throws {
    let folder = try AgentFolder()
    try folder.write(
      "ringi.json",
      """
      {"listen": [{"socket": "\(folder.socket)", "allow": ["phrases.say", "agent.p*", "rpc.discover"]}],
       "phrases": [{"say": "status", "call": "agent.status"}]}
      """)
    let agent = try Program("ringid", folder.arguments)
    let client = try folder.client(of: agent)
    let names = try #require(client.call("rpc.discover")["methods"]?.array).compactMap { $0["name"]?.string }
    #expect(names.sorted() == ["agent.ping", "phrases.say", "rpc.discover"])
    #expect(try client.refusal("agent.status")?["code"] == -32001)
    #expect(try client.call("phrases.say", ["text": "status"])["result"]?["pid"] != nil)
    try client.send(
      #"[{"jsonrpc":"2.0","id":1,"method":"agent.ping"},{"jsonrpc":"2.0","id":2,"method":"agent.shutdown"}]"#)
    let answers = try client.receive()
    #expect(answers[0]?["result"] == "pong" && answers[1]?["error"]?["data"]?["kind"] == "forbidden")
    for name in ["Agent.Ping", "agent.ping ", "agent.ping\u{0}"] {
      #expect(try client.refusal(name)?["code"] == -32601, "\(name)")
    }
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }
}
