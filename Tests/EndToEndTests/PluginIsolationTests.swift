import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

/// Whatever a plugin's program does to itself or to the agent, the others and the agent go on, and nothing is left of it.
@Suite(.enabled(if: PluginWorld.isPossible), .serialized)
struct PluginIsolationTests {
  /// The plugin `p`, which will misbehave, beside `q`, which is the same program and won't.
  private func world(_ plugin: JSONValue = [:], limits: String = "{}", files: [String: String] = [:]) throws
    -> PluginWorld
  {
    let others = [
      "ringi.json": #"{"limits": \#(limits)}"#, "plugins.d/q.json": #"{"command": ["/usr/bin/python3", "p.py"]}"#,
    ]
    return try PluginWorld(plugin, files: others.merging(files) { $1 })
  }

  private func start(_ world: PluginWorld) throws -> TestClient {
    let client = try world.start()
    try world.wait(client, for: "q") { $0["state"] == "running" }
    return client
  }

  private func expectHealth(_ world: PluginWorld, _ client: TestClient, _ location: SourceLocation = #_sourceLocation)
    throws
  {
    #expect(try client.call("agent.ping") == "pong", sourceLocation: location)
    #expect(try client.call("q.echo", ["x": 1]) == ["x": 1], sourceLocation: location)
    #expect(try client.call("plugins.get", ["plugin": "q"])["restarts"] == 0, sourceLocation: location)
    #expect(world.zombies.isEmpty, sourceLocation: location)
  }

  // MARK: The end

  @Test("A crash at the hundredth call is that call's trouble alone")
  func hundredth() throws {
    let world = try world()
    let client = try start(world)
    let descriptors = world.descriptors
    for number in 1..<100 { #expect(try client.call("p.hundredth") == JSONValue(number)) }
    #expect(try client.refusal("p.hundredth")?["data"]?["kind"] == "plugin-down")
    try expectHealth(world, client)
    try world.wait(client) { $0["state"] == "running" }
    #expect(try client.call("p.hundredth") == 1)
    #expect(world.descriptors == descriptors)
  }

  @Test("Two hundred crashes and restarts leave no process, no descriptor and no memory behind")
  func manyCrashes() throws {
    // It knows the ids of its two calls. What it offers and what it leaves unfinished are large, so that one of either
    // kept from each cycle comes to more than the allocator ever holds back.
    let script = #"""
      text=$(head -c 200000 /dev/zero | tr '\\0' x)
      read a; printf '{"jsonrpc":"2.0","id":1,"result":{"methods":[{"name":"die","summary":"%s"}]}}\n' $text
      read b; printf %s $text; echo oh >&2; exit 9
      """#
    let file: JSONValue = ["command": ["sh", "-c", JSONValue(script)]]
    let world = try world(files: ["plugins.d/c.json": file.description])
    let client = try start(world)
    var (descriptors, memory) = (0, 0)
    for cycle in 1...200 {
      #expect(try client.refusal("c.die")?["data"]?["kind"] == "plugin-down")
      #expect(try client.call("plugins.restart", ["plugin": "c"])["state"] == "running")
      // By then whatever grows once has grown.
      if cycle == 50 { (descriptors, memory) = (world.descriptors, world.memory) }
    }
    #expect(world.descriptors == descriptors)
    #expect(world.memory - memory < 150 * 200 / 2)
    #expect(world.children.count == 3)
    try expectHealth(world, client)
  }

  @Test("A child that has left the group and holds the output open keeps nobody waiting", .timeLimit(.minutes(3)))
  func daemon() throws {
    let world = try world()
    let client = try start(world)
    let descriptors = world.descriptors
    var daemons: [Int32] = []
    defer { for daemon in daemons { kill(daemon, SIGKILL) } }
    func spawn() throws { daemons.append(Int32(try client.call("p.daemon").int ?? 0)) }

    try spawn()
    #expect(try client.refusal("p.exit", ["code": 3])?["data"]?["kind"] == "plugin-down")
    try world.wait(client) { $0["state"] == "running" }
    try spawn()
    #expect(try client.call("plugins.restart", ["plugin": "p"])["state"] == "running")
    try spawn()
    // They are the user's own to end.
    #expect(daemons.allSatisfy(PluginWorld.isAlive))
    #expect(world.descriptors == descriptors && world.children.count == 2)
    try expectHealth(world, client)
    world.agent?.send(SIGTERM)
    #expect(world.agent?.wait(seconds: 60) == 0)
  }

  @Test("A process that has the number of a plugin of old is none of the agent's business: BR-050")
  func strangersNumber() throws {
    let world = try world()
    let client = try start(world)
    let stranger = try Program("sleep", ["1000"])
    defer { stranger.send(SIGKILL) }
    // The state folder's lock is the one file that has a number in it.
    let lock = try #require(
      try FileManager.default.contentsOfDirectory(atPath: world.folder.state).first { name in
        let text = try? String(contentsOfFile: "\(world.folder.state)/\(name)", encoding: .utf8)
        return text == "\(world.agent?.pid ?? 0)\n"
      })
    client.close()
    for signal in [SIGTERM, SIGKILL] {
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(world.folder.state)/\(lock)"))
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: Data("\(stranger.pid)\n".utf8))
      world.agent?.send(signal)
      #expect(world.agent?.wait() == (signal == SIGTERM ? 0 : -SIGKILL))
      _ = try world.start()
    }
    #expect(stranger.isRunning)
  }

  @Test("An agent on standard streams whose parent is killed ends, and its plugins with it: BR-034")
  func killedParent() throws {
    let world = try world()
    let parent = try Program(
      "python3",
      [
        "-c",
        "import subprocess, sys, time; p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, "
          + "stdout=subprocess.DEVNULL); print(p.pid, flush=True); time.sleep(1000)",
        Program.folder.appendingPathComponent("ringid").path, "--stdio",
      ] + world.folder.arguments)
    #expect(parent.waitFor { $0.outputText.hasSuffix("\n") })
    let agent = try #require(Int32(parent.outputText.dropLast()))
    #expect(parent.waitFor { _ in PluginWorld.children(of: agent).count == 2 })
    let processes = [agent] + PluginWorld.children(of: agent)
    parent.send(SIGKILL)
    #expect(parent.wait() == -SIGKILL)
    #expect(parent.waitFor { _ in !processes.contains(where: PluginWorld.isAlive) })
  }

  // MARK: What it takes

  @Test("A program beyond its memory fails, and is started again; one without a limit takes none of the agent's")
  func memory() throws {
    let world = try world(["limits": ["memory": 300_000_000]])
    try world.folder.write("plugins.d/free.json", #"{"command": ["/usr/bin/python3", "p.py"]}"#)
    let client = try start(world)
    try world.wait(client, for: "free") { $0["state"] == "running" }
    let before = world.memory
    #expect(try client.refusal("p.grow", ["mb": 400])?["data"]?["kind"] == "plugin-down")
    let row = try world.wait(client) { $0["restarts"] == 1 && $0["state"] == "running" }
    #expect(row["lastError"] == "It ended with exit status 12; its last words: out of memory")
    #expect(try client.call("free.grow", ["mb": 400]) == 400)
    // Of what it took, 400 MiB, nothing may be the agent's.
    #expect(world.memory - before < 100 << 10)
    try expectHealth(world, client)
  }

  @Test("Answers that get ever larger end with the longest line, and are not kept")
  func evermore() throws {
    let world = try world(limits: #"{"messageBytes": 400000}"#)
    let client = try start(world)
    func big(_ bytes: Int) throws -> Int? { try client.call("p.big", ["bytes": JSONValue(bytes)]).string?.utf8.count }
    for _ in 0..<5 { #expect(try big(300_000) == 300_000) }
    let before = world.memory
    for _ in 0..<200 { #expect(try big(300_000) == 300_000) }
    #expect(world.memory - before < 200 * 300 / 2)
    #expect(try client.refusal("p.big", ["bytes": 400_000])?["data"]?["kind"] == "plugin-down")
    try expectHealth(world, client)
    try world.wait(client) { $0["state"] == "running" }
    #expect(try big(1) == 1)
  }

  @Test("What it keeps has bounds, and what was kept before stays")
  func hoard() throws {
    let world = try world()
    let client = try start(world)
    #expect(
      try client.call("p.hoard", ["keys": 1010, "bytes": 1_100_000]) == ["errors": 11, "kind": "invalid-params"])
    #expect(try client.call("p.ask", ["method": "state.get", "params": ["key": "k1"]])["result"] == 1)
    try expectHealth(world, client)
  }

  @Test("A crash that prints the settings shows no secret, in none of its forms: BR-117")
  func confession() throws {
    let secret = "s3cr3t/Pä+ß="
    let schema = #"{"settingsSchema": {"type": "object", "properties": {"token": {"x-secret": true}}}}"#
    let world = try PluginWorld(
      ["settings": ["token": ["env": "SECRET"]]], arguments: ["answer", schema],
      files: ["ringi.json": #"{"log": {"level": "debug"}}"#])
    let client = try world.start(environment: ["SECRET": secret])
    #expect(try client.refusal("p.confess")?["data"]?["kind"] == "plugin-down")
    let row = try world.wait(client) { $0["restarts"] == 1 && $0["state"] == "running" }
    let said = try [row, client.call("agent.status"), client.call("events.list")].map(\.description)
    world.agent?.send(SIGTERM)
    #expect(world.agent?.wait() == 0)
    let percent = try #require(secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    for form in [secret, Data(secret.utf8).base64EncodedString(), percent] {
      for text in said + [world.agent?.errorText ?? ""] { #expect(!text.contains(form), "\(form) in \(text)") }
    }
    #expect(world.agent?.errorText.contains("my secret is") == true)
  }

  // MARK: What it asks

  @Test("Thousands of calls of the agent's methods are all answered, and hold nobody up")
  func storm() throws {
    let world = try world(["allow": ["agent.ping"]])
    let client = try start(world)
    let storm = try client.ask("p.storm", ["calls": 5000])
    for _ in 0..<20 { #expect(try client.call("agent.ping") == "pong") }
    let result = try client.response(to: storm)["result"]
    #expect(result?["answers"] == 5000)
    #expect(result?["kinds"] == [] || result?["kinds"] == ["overloaded"])
    try expectHealth(world, client)
  }

  @Test("A method that calls itself through the agent without end is cut short")
  func loop() throws {
    let world = try world()
    let client = try start(world)
    #expect(try client.call("p.loop") == "overloaded")
    #expect(try client.call("p.echo", ["x": 2]) == ["x": 2])
    try expectHealth(world, client)
  }

  @Test("A program that asks and never reads the answers is ended")
  func asksWithoutReading() throws {
    let script = """
      read a; echo '{"jsonrpc":"2.0","id":1,"result":{}}'
      echo '{"jsonrpc":"2.0","id":"s","method":"state.set","params":{"key":"k","value":"'$(head -c 50000 /dev/zero | tr '\\0' x)'"}}'
      while :; do echo '{"jsonrpc":"2.0","id":"g","method":"state.get","params":{"key":"k"}}'; done
      """
    let file: JSONValue = ["command": ["sh", "-c", JSONValue(script)]]
    let world = try world(limits: #"{"outboxBytes": 200000}"#, files: ["plugins.d/d.json": file.description])
    let client = try start(world)
    let row = try world.wait(client, for: "d") { $0["state"] == "backoff" }
    #expect(row["lastError"]?.string?.hasPrefix("It does not read its standard input") == true)
    try expectHealth(world, client)
  }
}
