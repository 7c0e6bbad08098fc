import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

/// Nothing that a plugin says shows a part of its secrets, however its texts are cut or split.
@Suite(.enabled(if: PluginWorld.isPossible), .serialized)
struct PluginSecretTests {
  /// Says what it is told to, with the values of its secrets in place of `$short`, `$middle`, `$long` and `$pem`.
  private static let script = #"""
    import json, os, string, sys

    settings, tasks = {}, []

    def fill(text):
        return string.Template(text).substitute(settings)

    def fill_json(value):
        quoted = {name: json.dumps(text)[1:-1] for name, text in settings.items()}
        return json.loads(string.Template(json.dumps(value)).substitute(quoted))

    def put(fd, text):
        data = text.encode()
        while data:
            data = data[os.write(fd, data):]

    for line in sys.stdin:
        message = json.loads(line)
        method, params = message["method"], message.get("params", {})
        answer = {"result": None}
        if method == "initialize":
            settings = params["settings"]
            secret = {"x-secret": True}
            answer = {"result": {"name": "p", "tasks": True, "methods": [
                {"name": name} for name in ["write", "fail", "describe", "die"]],
                "settingsSchema": {"type": "object", "properties": {
                    "short": secret, "middle": secret, "long": secret, "pem": secret}}}}
        elif method == "write":
            put(params["fd"], fill(params["text"]) + "\n")
        elif method == "fail":
            answer = {"error": fill_json(params)}
        elif method == "describe":
            tasks = fill_json(params["tasks"])
        elif method == "die":
            put(2, fill(params["text"]))
            os._exit(3)
        elif method == "tasks.list":
            answer = {"result": {"tasks": tasks}}
        elif method == "shutdown":
            break
        put(1, json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}) + "\n")
    """#

  /// Values whose parts stand nowhere else.
  private static let secrets: [String: String] = {
    let digits = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    var state: UInt64 = 0x5EED
    func random(_ count: Int) -> String {
      String(
        (0..<count).map { _ in
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return digits[Int(state >> 33) % digits.count]
        })
    }
    let key = (0..<20).map { _ in random(64) } + [random(20)]
    let pem = (["-----BEGIN PRIVATE KEY-----"] + key + ["-----END PRIVATE KEY-----"]).joined(separator: "\n")
    return ["short": random(40), "middle": random(500), "long": random(5000), "pem": "\(pem)\n"]
  }()

  /// All their parts of eight bytes.
  private static let parts = Set(secrets.values.flatMap { windows(Array($0.utf8)) })

  private static func windows(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
    text.count < 8 ? [] : (0...text.count - 8).map { text[$0..<$0 + 8] }
  }

  private let world: PluginWorld
  private let client: TestClient

  init() throws {
    let settings = Self.secrets.keys.map { ($0, ["env": JSONValue("P_\($0.uppercased())")] as JSONValue) }
    world = try PluginWorld(["settings": JSONValue(object: settings)], script: Self.script)
    client = try world.start(
      environment: Dictionary(uniqueKeysWithValues: Self.secrets.map { ("P_\($0.key.uppercased())", $0.value) }))
  }

  /// All that the agent tells.
  private func told() throws -> [String] {
    let answers = try ["agent.status", "plugins.list", "jobs.list", "events.list", "plugins.logs"].map {
      try client.call($0, $0 == "plugins.logs" ? ["plugin": "p", "limit": 500] : [:]).description
    }
    return answers + [world.agent?.errorText ?? "", world.agent?.outputText ?? ""]
  }

  private func expectNoSecret(_ more: JSONValue?..., in place: SourceLocation = #_sourceLocation) throws {
    for text in try told() + more.map({ $0?.description ?? "" }) { expectNoPart(text, in: place) }
  }

  private func expectNoPart(_ text: String, in place: SourceLocation = #_sourceLocation) {
    let shown = Self.windows(Array(text.utf8)).first { Self.parts.contains($0) }
    #expect(
      shown == nil, "\(String(decoding: shown ?? [], as: UTF8.self)) in \(text.prefix(2000))", sourceLocation: place)
  }

  /// Has the plugin write a text, and waits until the agent has read it.
  private func write(_ text: String, to descriptor: Int) throws {
    try client.call("p.write", ["fd": JSONValue(descriptor), "text": JSONValue(text)])
    let mark = "end \(UUID().uuidString)"
    try client.call("p.write", ["fd": 2, "text": JSONValue(mark)])
    let end = Date(timeIntervalSinceNow: 40)
    while try !client.call("plugins.logs", ["plugin": "p"]).description.contains(mark) {
      guard Date() < end else { throw AgentFolder.AgentError(text: world.agent?.errorText ?? "") }
      usleep(5000)
    }
  }

  /// Texts at whose cut a secret stands: after so many bytes.
  private static func around(_ bytes: Int) -> [String] {
    [20, 4].map { String(repeating: ".", count: bytes - $0) + "$short and more" }
  }

  @Test("A secret of several lines is in no line of the log, and not in the last words")
  func lines() throws {
    try write("$pem", to: 2)
    #expect(try told().joined().contains("•••"))
    _ = try client.refusal("p.die", ["text": "$pem"])
    let row = try world.wait(client) { $0["lastError"] != .null }
    #expect(row["lastError"] == "It ended with exit status 3; its last words: •••")
    try expectNoSecret(row)
  }

  @Test("A secret longer than what is kept of a line is not shown")
  func longSecret() throws {
    let many = String(repeating: "$middle", count: 9)
    for text in ["$long", "it is $long!", many] + Self.around(2048) { try write(text, to: 2) }
    try expectNoSecret()
    #expect(world.agent?.errorText.contains("it is •••…") == true)
    _ = try client.refusal("p.die", ["text": "bye, $long"])
    let row = try world.wait(client) { $0["lastError"] != .null }
    #expect(row["lastError"]?.string?.hasSuffix("its last words: bye, •••…") == true)
    try expectNoSecret(row)
  }

  @Test("A line full of secrets shows no part of one, where it is cut either")
  func manySecrets() throws {
    for count in [102, 103, 120] { try write(String(repeating: "$short", count: count), to: 2) }
    try write(String(repeating: "$middle ", count: 20), to: 2)
    try expectNoSecret()
  }

  @Test("A line on standard output that is no message shows no part of a secret")
  func strayOutput() throws {
    for text in ["$long", "my secret is $middle", "$pem", #"{"jsonrpc": 1, "x": "$long"}"#] + Self.around(400) {
      try write(text, to: 1)
    }
    try expectNoSecret()
    #expect(world.agent?.errorText.contains("wrote what is not JSON") == true)
  }

  @Test("An error's message shows no part of a secret, and is cut after its secrets are taken out")
  func errorMessage() throws {
    for text in ["$short", "$middle", "$long", "$pem", "bad: $long$long"] + Self.around(4096) {
      let error = try client.refusal("p.fail", ["code": -32002, "message": JSONValue(text)])
      let message = try #require(error?["message"]?.string)
      #expect(message.contains("•") && message.utf8.count <= 4096 + 3, "\(message)")
      try expectNoSecret(error)
    }
  }

  @Test("An error's data shows no secret, in its keys either")
  func errorData() throws {
    let error = try client.refusal(
      "p.fail",
      [
        "code": 7, "message": "No.",
        "data": ["of $short": ["$long": ["$middle", ["$pem": "$pem"]]], "retryAfter": 5],
      ])
    #expect(error?["data"]?["of •••"] == ["•••": ["•••", ["•••": "•••"]]])
    #expect(error?["data"]?["provider"] == "p" && error?["data"]?["retryAfter"] == 5)
    try expectNoSecret(error)
  }

  @Test("What can't be used as a task is told without a part of a secret")
  func tasks() throws {
    let dots = String(repeating: ".", count: 80)
    for text in ["$short", "$middle", "$long", "\(dots)$short", "$pem"] {
      let value = JSONValue(text)
      let lists: [JSONValue] = [
        [["id": "1", "status": value]], [["id": "1", "dueAt": value]], [["id": "1", "actions": [value]]],
        [["id": "1", "priority": value]], [["id": value]], [["id": value], ["id": value]],
        [["id": value, "title": 5]],
      ]
      for list in lists {
        try client.call("p.describe", ["tasks": list])
        let refresh = try client.response(to: client.ask("tasks.refresh"))
        let tasks = try client.response(to: client.ask("tasks.list"))
        let state = try [client.call("agent.status"), client.call("plugins.list")]
        for answer in state + [refresh["error"], tasks["error"]].compactMap(\.self) { expectNoPart("\(answer)") }
      }
    }
    #expect(try client.call("events.list").description.contains("poll-failed"))
    try expectNoSecret()
  }
}
