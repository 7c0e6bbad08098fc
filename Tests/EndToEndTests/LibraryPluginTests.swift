import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

/// Plugins that are shared libraries, with the faults that a library can have without ending the agent.
@Suite(.enabled(if: LibraryWorld.isPossible), .serialized)
struct LibraryPluginTests {
  // MARK: The examples

  /// Goes through what both examples do.
  private func checkTodo(_ world: LibraryWorld) throws {
    let client = world.client
    try client.call("events.subscribe", ["types": ["todo-added"]])
    try client.call("tasks.refresh")
    #expect(try client.call("tasks.approve", ["task": "todo/1"])["task"]?["outcome"] == "approved")
    #expect(try client.call("tasks.approve", ["task": "todo/1"])["already"] == true)
    #expect(try client.refusal("tasks.reject", ["task": "todo/1"])?["data"]?["kind"] == "conflict")
    #expect(try client.call("todo.add", ["title": "発注300280の承認"]) == "3")
    let event = try client.notification("todo-added")["event"]
    #expect(event?["subject"] == "発注300280の承認" && event?["source"]?.string?.hasSuffix("/todo") == true)
    #expect(try client.refusal("todo.add", [:])?["code"] == -32602)
    // What it keeps outlives it.
    try client.call("plugins.restart", ["plugin": "todo"])
    try client.call("tasks.refresh", ["provider": "todo"])
    #expect(try client.call("tasks.get", ["task": "todo/3"])["title"] == "発注300280の承認")
    let row = try client.call("plugins.get", ["plugin": "todo"])
    #expect(row["kind"] == "library" && row["restarts"] == 1 && row["pid"] == .null)
    world.agent.send(SIGTERM)
    #expect(world.agent.wait(seconds: 20) == 0)
  }

  private func todoFolder() throws -> AgentFolder {
    try AgentFolder([
      "plugins.d/todo.json": #"{"library": "./todo.so", "settings": {"first": ["Pay", "Sign"]}}"#
    ])
  }

  @Test("The example in C is a task source with a method, an event, settings and something kept")
  func exampleInC() throws {
    let folder = try todoFolder()
    try LibraryWorld.compile("examples/plugins/todo.c", into: folder, as: "todo.so", ["-Wextra"])
    let world = try LibraryWorld(folder, until: ["todo"])
    #expect(try world.client.call("todo.echo", ["a": [1, 2.5]]) == ["a": [1, 2.5]])
    try checkTodo(world)
  }

  @Test("The example in Swift is the same", .enabled(if: LibraryWorld.swiftc != nil))
  func exampleInSwift() throws {
    let (folder, package) = (try todoFolder(), LibraryWorld.package)
    try LibraryWorld.run(
      try #require(LibraryWorld.swiftc),
      [
        "-emit-library", "-static-stdlib", "-swift-version", "6", "-warnings-as-errors", "-module-name", "Todo", "-I",
        "\(package)/Sources/CRingiPlugin", "-o", "\(folder.config)/plugins.d/todo.so",
        "\(package)/examples/plugins/Todo.swift", "\(package)/sdk/swift/RingiPlugin.swift",
      ])
    try checkTodo(try LibraryWorld(folder, until: ["todo"]))
  }

  @Test(
    "What is kept and can't be read makes no instance, which would begin anew",
    arguments: ["examples/plugins/todo.c", "Sources/PluginTemplates/Files/c_plugin.c"])
  func lostState(source: String) throws {
    let folder = try AgentFolder()
    let (package, program) = (LibraryWorld.package, folder.path("create"))
    try LibraryWorld.run(
      "/usr/bin/cc",
      [
        "-std=gnu11", "-Wall", "-Werror", "-I\(package)/include", "-DPLUGIN=\"\(package)/\(source)\"", "-o", program,
        "\(package)/Tests/Fixtures/Libraries/create_without_state.c", "-ljansson",
      ])
    let run = try Program.run("sh", ["-c", "exec \"$0\"", program])
    #expect(run.output.hasPrefix("NULL: ") && run.output.contains("the disk is full"), "\(run)")
  }

  // MARK: What can't be used

  @Test("A library that can't be used says why in its row, and the others run")
  func unusable() throws {
    let folder = try AgentFolder([
      "plugins.d/good.json": #"{"library": "./odd.so"}"#, "plugins.d/gone.json": #"{"library": "./gone.so"}"#,
      "plugins.d/text.json": #"{"library": "./text.so"}"#, "plugins.d/text.so": "not a library",
      "plugins.d/abi.json": #"{"library": "./abi.so"}"#, "plugins.d/symbol.json": #"{"library": "./symbol.so"}"#,
      "plugins.d/refusal.json": #"{"library": "./odd.so", "settings": {"refuse": "there is no licence"}}"#,
      "plugins.d/nothing.json": #"{"library": "./nothing.so"}"#, "plugins.d/wrong.json": #"{"library": "./wrong.so"}"#,
      "plugins.d/settings.json": #"{"library": "./odd.so", "settings": {"token": 3}}"#,
    ])
    try LibraryWorld.compileOdd(into: folder)
    try LibraryWorld.compileOdd(into: folder, as: "abi.so", ["-DABI=99"])
    try LibraryWorld.compileOdd(into: folder, as: "symbol.so", ["-DWITHOUT_CREATE"])
    try LibraryWorld.compileOdd(into: folder, as: "nothing.so", ["-DDESCRIPTION=\"no JSON\""])
    try LibraryWorld.compileOdd(
      into: folder, as: "wrong.so", [#"-DDESCRIPTION="{\"methods\": [{\"name\": \"a b\"}]}""#])
    #expect(mkfifo("\(folder.config)/plugins.d/pipe.so", 0o600) == 0)
    try folder.write("plugins.d/pipe.json", #"{"library": "./pipe.so"}"#)
    let world = try LibraryWorld(folder, until: ["good"])
    for (plugin, words) in [
      "gone": ["gone.so", "No such file"], "text": ["text.so"], "pipe": ["pipe.so", "no regular file"],
      "abi": ["abi.so", "version 99", "build it again"],
      "symbol": ["symbol.so", "ringi_plugin_create"], "nothing": ["nothing.so", "ringi_plugin_describe", "NULL"],
      "wrong": ["/methods/0/name", "a b"], "settings": ["settings.json:1:", "got an integer"],
    ] {
      let row = try world.wait(for: plugin) { $0["state"] == "failed" }
      for word in words { #expect(row["lastError"]?.string?.contains(word) == true, "\(plugin): \(row)") }
    }
    // What refuses now may do it later: it is tried again.
    let row = try world.wait(for: "refusal") { $0["state"] == "backoff" }
    #expect(row["lastError"]?.string?.contains("there is no licence") == true)
    #expect(try world.client.call("good.echo", ["a": 1]) == ["a": 1])
    #expect(try world.client.refusal("abi.echo")?["data"]?["kind"] == "plugin-down")
  }

  @Test("A library whose making hangs keeps nobody waiting, the agent's end neither")
  func hangingCreate() throws {
    let folder = try AgentFolder([
      "plugins.d/p.json": #"{"library": "./odd.so", "settings": {"hang": true}}"#,
      "plugins.d/q.json": #"{"library": "./odd.so"}"#, "ringi.json": #"{"limits": {"requestTimeout": "1s"}}"#,
    ])
    try LibraryWorld.compileOdd(into: folder)
    let world = try LibraryWorld(folder, until: ["q"])
    #expect(try world.client.call("q.echo", ["a": 1]) == ["a": 1])
    let row = try world.wait(for: "p") { $0["state"] == "failed" }
    #expect(row["lastError"]?.string?.contains("was not ready within 1s") == true)
    world.agent.send(SIGTERM)
    #expect(world.agent.wait(seconds: 20) == 0)
  }

  @Test("A library that hangs while it is loaded keeps neither the others waiting nor the agent from its end")
  func hangingLoad() throws {
    let folder = try AgentFolder([
      "plugins.d/q.json": #"{"library": "./odd.so"}"#, "ringi.json": #"{"limits": {"requestTimeout": "1s"}}"#,
    ])
    try LibraryWorld.compileOdd(into: folder)
    try LibraryWorld.compileOdd(into: folder, as: "hang.so", ["-DHANGING"])
    let world = try LibraryWorld(folder, until: ["q"])
    try folder.write("plugins.d/p.json", #"{"library": "./hang.so"}"#)
    try world.client.call("agent.reload")
    try world.wait(for: "p") { $0["state"] == "failed" }
    #expect(try world.client.call("q.sleep", ["ms": 1]) == "slept")
    world.agent.send(SIGTERM)
    #expect(world.agent.wait(seconds: 20) == 0)
  }

  // MARK: Answers

  @Test("A call is answered at once, later, or from another thread; once, whatever the library says then")
  func answers() throws {
    let world = try LibraryWorld()
    let client = world.client
    #expect(try client.call("p.echo", ["日本": [1, 0.1, nil]]) == ["日本": [1, 0.1, nil]])
    #expect(try client.call("p.later") == "from another thread")
    #expect(try client.call("p.twice") == 1)
    #expect(try client.call("p.stray") == "fine")
    let error = try client.refusal("p.null")
    #expect(error?["data"]?["kind"] == "backend-error" && error?["message"]?.string?.contains("p") == true)
    #expect(try client.call("agent.ping") == "pong")
  }

  @Test("A value that no text could say is no answer", arguments: ["cyclic", "deep", "key", "text"])
  func noJSON(kind: String) throws {
    let world = try LibraryWorld()
    let client = world.client
    let error = try client.refusal("p.no-json", ["kind": JSONValue(kind)])
    #expect(error?["data"]?["kind"] == "backend-error" && error?["message"]?.string?.contains("no JSON") == true)
    #expect(try client.call("p.echo", ["a": 1]) == ["a": 1])
  }

  @Test("Calls that were given up while the thread is busy are bounded like the others")
  func bounded() throws {
    let world = try LibraryWorld(limits: ["requestTimeout": "1s", "inFlight": 16])
    let client = world.client
    _ = try client.ask("p.sleep", ["ms": 8000, "progressToken": 1])
    #expect(try client.notification("$/progress")["value"] == "begun")
    let waiting = try (0..<15).map { _ in try client.ask("p.state", ["key": "k"]) }
    for id in waiting { #expect(try client.response(to: id)["error"]?["data"]?["kind"] == "unavailable") }
    // The first connection's own requests are bounded, too.
    let other = try TestClient(world.folder.socket)
    #expect(try other.refusal("p.state", ["key": "k"])?["data"]?["kind"] == "unavailable")
    let error = try other.refusal("p.state", ["key": "k"])
    #expect(error?["data"]?["kind"] == "overloaded" && error?["message"]?.string?.contains("The plugin p") == true)
  }

  @Test("An error has the library's kind, message and data, and one of the agent's numbers")
  func errors() throws {
    let world = try LibraryWorld()
    let client = world.client
    let busy = try client.refusal(
      "p.refuse", ["kind": "unavailable", "message": "It sleeps.", "data": ["retryAfter": 30]])
    #expect(busy?["code"] == -32006 && busy?["message"] == "It sleeps." && busy?["data"]?["retryAfter"] == 30)
    let own = try client.refusal("p.refuse", ["kind": "no-such-kind", "message": "m"])
    #expect(own?["code"] == -32002 && own?["data"]?["kind"] == "backend-error")
    #expect(try client.refusal("p.refuse")?["data"]?["kind"] == "backend-error")
  }

  @Test("A method that waits keeps only its own instance waiting, and its call ends with its time")
  func waiting() throws {
    let world = try LibraryWorld()
    let client = world.client
    let sleeping = try client.ask("p.sleep", ["ms": 5000])
    let queued = try client.ask("p.state", ["key": "k"])
    #expect(try client.call("agent.ping") == "pong")
    #expect(try client.call("p.echo", ["inline": true]) == ["inline": true])
    let error = try client.response(to: sleeping)["error"]
    #expect(error?["data"]?["kind"] == "unavailable")
    #expect(error?["message"]?.string?.contains("p.sleep") == true)
    #expect(try client.response(to: queued)["error"]?["data"]?["kind"] == "unavailable")
    // It works on, once it has slept.
    let end = Date(timeIntervalSinceNow: 30)
    while try client.refusal("p.state", ["key": "k"]) != nil, Date() < end {}
    #expect(try client.call("p.state", ["key": "k"]) == .null)
    // What changes something may have been done.
    #expect(try client.refusal("p.act")?["data"]?["kind"] == "outcome-unknown")
  }

  @Test("A call that was taken back is told as such to the library")
  func cancellation() throws {
    let world = try LibraryWorld()
    let id = try world.client.ask("p.until-cancelled", ["progressToken": 1])
    #expect(try world.client.notification("$/progress")["value"] == "begun")
    try world.client.notify("$/cancelRequest", ["id": JSONValue(id)])
    #expect(try world.client.response(to: id)["error"]?["code"] == -32800)
    #expect(try world.client.call("p.sleep", ["ms": 1]) == "slept")
    #expect(try world.log.contains("it was cancelled"))
  }

  @Test("Progress reaches who asked for it")
  func progress() throws {
    let world = try LibraryWorld()
    let client = world.client
    let id = try client.ask("p.progress", ["progressToken": "t"])
    #expect(try client.notification("$/progress") == ["token": "t", "value": "half"])
    #expect(try client.response(to: id)["result"] == "from another thread")
  }

  // MARK: What a library asks and tells

  @Test("A library keeps values, logs, publishes under its name, and calls what it may")
  func requests() throws {
    let world = try LibraryWorld(["allow": ["agent.ping", "p.*"]])
    let client = world.client
    #expect(try client.call("p.state", ["key": "k", "value": ["a": 1]]) == ["a": 1])
    let refused = try client.call("p.state", ["key": "k", "value": "no JSON"])["error"]
    #expect(refused?["data"]?["kind"] == "invalid-params")
    #expect(try client.call("p.state", ["key": "k"]) == ["a": 1])
    try client.call("events.subscribe", ["types": ["p-event"]])
    try client.call("p.tell", ["log": "a line of its own", "event": "p-event"])
    let event = try client.notification("p-event")["event"]
    #expect(event?["source"]?.string?.hasSuffix("/p") == true && event?["subject"] == "s" && event?["data"] == ["n": 1])
    #expect(try world.log.contains("a line of its own"))
    // The agent's own types are not for plugins.
    try client.call("p.tell", ["log": "x", "event": "task-ready"])
    #expect(try world.log.contains { $0.contains("task-ready") })
    #expect(try client.call("events.list", ["types": ["task-ready"]])["events"] == [])
    #expect(try client.call("p.ask", ["method": "agent.ping", "params": [:]]) == "pong")
    #expect(try client.call("p.ask", ["method": "p.echo", "params": ["a": 1]]) == ["a": 1])
    let refusal = try client.call("p.ask", ["method": "agent.shutdown", "params": [:]])["error"]
    #expect(refusal?["data"]?["kind"] == "forbidden")
  }

  @Test("An inline method that asks the agent is refused at once")
  func askInline() throws {
    let world = try LibraryWorld(["allow": ["*"]])
    let client = world.client
    let error = try client.call("p.ask-inline", ["method": "agent.ping", "params": [:]])["error"]
    #expect(error?["data"]?["kind"] == "unavailable")
    #expect(error?["message"]?.string?.contains("inline") == true)
  }

  @Test("A library that calls itself on the thread that it waits on gets its time out")
  func deadlock() throws {
    let world = try LibraryWorld(["allow": ["*"]])
    let client = world.client
    let id = try client.ask("p.ask", ["method": "p.sleep", "params": ["ms": 1]])
    #expect(try client.response(to: id)["error"]?["data"]?["kind"] == "unavailable")
    #expect(try client.call("agent.ping") == "pong")
  }

  @Test("A flood of lines and events is cut, and nobody else waits for it")
  func flood() throws {
    let world = try LibraryWorld()
    let id = try world.client.ask("p.flood")
    #expect(try world.client.call("agent.ping") == "pong")
    #expect(try world.client.response(to: id)["result"] == "done")
    #expect(try world.log.contains { $0.contains("dropped") })
    #expect(world.agent.errorText.utf8.count < 200_000)
  }

  @Test("A secret that the schema marks reaches the library and no log")
  func secrets() throws {
    let world = try LibraryWorld(["settings": ["token": ["command": ["echo", "s3cr3t/Pä+ß="]]]])
    let client = world.client
    #expect(try client.call("p.settings")["token"] == "s3cr3t/Pä+ß=")
    try client.call("p.tell", ["log": "the token is s3cr3t/Pä+ß=", "event": "p-event"])
    #expect(try world.log.contains { $0.hasPrefix("the token is") })
    #expect(!world.agent.errorText.contains("s3cr3t"))
  }

  // MARK: Its life

  @Test("A restart of a busy instance answers what waits, and the new one works although the old one stays")
  func restart() throws {
    let world = try LibraryWorld(["settings": ["stay": true]], limits: [:])
    let client = world.client
    let busy = try client.ask("p.sleep", ["ms": 60_000])
    let restart = try client.ask("plugins.restart", ["plugin": "p"])
    #expect(try client.response(to: busy)["error"]?["data"]?["kind"] == "plugin-down")
    #expect(try client.response(to: restart)["result"]?["state"] == "running")
    #expect(try client.call("p.sleep", ["ms": 1]) == "slept")
    #expect(try world.log.contains { $0.contains("left alone") })
    world.agent.send(SIGTERM)
    #expect(world.agent.wait(seconds: 30) == 0)
  }

  @Test("A library that was replaced on the disk is another plugin to a reload, while calls run")
  func replaced() throws {
    let world = try LibraryWorld()
    let client = world.client
    let running = try client.ask("p.sleep", ["ms": 300])
    let before = try client.call("plugins.get", ["plugin": "p"])["methods"]
    try LibraryWorld.compileOdd(
      into: world.folder, as: "new.so", [#"-DDESCRIPTION="{\"methods\": [{\"name\": \"settings\"}]}""#])
    let folder = world.folder.config + "/plugins.d"
    #expect(rename("\(folder)/new.so", "\(folder)/odd.so") == 0)
    try client.call("agent.reload")
    let ended = try client.response(to: running)
    #expect(ended["result"] == "slept" || ended["error"]?["data"]?["kind"] == "plugin-down")
    let row = try world.wait(for: "p") { $0["state"] == "running" }
    #expect(row["methods"] == ["p.settings"] && row["methods"] != before)
    #expect(try client.call("p.settings") == [:])
  }

  @Test("A library that could not be loaded may be mended where it is")
  func mended() throws {
    let folder = try AgentFolder([
      "plugins.d/p.json": #"{"library": "./odd.so"}"#, "plugins.d/odd.so": "not a library",
      "plugins.d/q.json": #"{"library": "./q.so"}"#,
    ])
    try LibraryWorld.compileOdd(into: folder, as: "q.so")
    let world = try LibraryWorld(folder, until: ["q"])
    try world.wait(for: "p") { $0["state"] == "failed" }
    let plugins = folder.config + "/plugins.d"
    let file = try FileHandle(forWritingTo: URL(filePath: "\(plugins)/odd.so"))
    try file.write(contentsOf: Data(contentsOf: URL(filePath: "\(plugins)/q.so")))
    try file.close()
    try world.client.call("agent.reload")
    try world.wait(for: "p") { $0["state"] == "running" }
    #expect(try world.client.call("p.echo", ["a": 1]) == ["a": 1])
  }

  @Test("A library that was overwritten while it is loaded is refused until the agent starts anew")
  func overwritten() throws {
    let world = try LibraryWorld()
    try LibraryWorld.compileOdd(into: world.folder, as: "new.so", ["-g3"])
    let folder = world.folder.config + "/plugins.d"
    let bytes = try Data(contentsOf: URL(filePath: "\(folder)/new.so"))
    // The pages of it that are mapped keep their contents: only the file's end grows.
    let file = try FileHandle(forWritingTo: URL(filePath: "\(folder)/odd.so"))
    try file.seekToEnd()
    try file.write(contentsOf: bytes)
    try file.close()
    try world.client.call("agent.reload")
    let row = try world.wait(for: "p") { $0["state"] == "failed" }
    #expect(row["lastError"]?.string?.contains("overwritten") == true)
    #expect(try world.client.call("agent.ping") == "pong")
  }

  @Test("Many restarts leave no thread and no descriptor behind")
  func leaks() throws {
    let world = try LibraryWorld()
    func count(_ folder: String) throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(world.agent.pid)/\(folder)").count
    }
    try world.client.call("plugins.restart", ["plugin": "p"])
    let (threads, descriptors) = (try count("task"), try count("fd"))
    for _ in 0..<50 { try world.client.call("plugins.restart", ["plugin": "p"]) }
    #expect(try world.client.call("p.sleep", ["ms": 1]) == "slept")
    // A thread that has been told to end may take a moment.
    let end = Date(timeIntervalSinceNow: 20)
    while try count("task") > threads, Date() < end { usleep(5000) }
    #expect(try count("task") <= threads && count("fd") <= descriptors)
  }
}
