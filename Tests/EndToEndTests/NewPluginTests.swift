import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

/// What `ringi plugin new` writes, run as it is: by its own test, by `ringi plugin check`, and by an agent.
@Suite struct NewPluginTests {
  private static func isThere(_ program: String) -> Bool { Program.isInstalled(program) }

  @Test(.enabled(if: isThere("python3"), "python3 is not installed"))
  func python() throws { try story("python") }

  @Test(.enabled(if: isThere("jq"), "jq is not installed"))
  func sh() throws { try story("sh") }

  @Test(.enabled(if: isThere("node"), "node is not installed"))
  func node() throws { try story("node") }

  @Test(.enabled(if: isThere("cc"), "cc is not installed"))
  func c() throws { try story("c") }

  @Test(.enabled(if: isThere("swiftc"), "swiftc is not installed"))
  func swift() throws { try story("swift") }

  private func story(_ language: String) throws {
    let folder = try AgentFolder()
    let variables = ["RINGI_CONFIG": folder.config]
    let new = try Program.run(
      "ringi", ["plugin", "new", "todo", "--language", language, "--json"], environment: variables)
    let test = try #require(JSONValue(parsing: new.output)["test"]?.string)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let tested = try Program.run(
      "sh", ["-c", "exec \"$0\"", test], environment: ["PATH": "\(Program.folder.path):\(path)"])
    #expect(tested.status == 0, "\(tested.output)\(tested.errors)")
    let check = try Program.run("ringi", ["plugin", "check", "todo"], environment: variables)
    #expect(check.status == 0 && check.output.hasSuffix("The plugin keeps to the protocol.\n"), "\(check.output)")
    #expect(!check.output.contains("remark"), "\(check.output)")

    let agent = try folder.startAgent()
    let client = try folder.client()
    try wait(client)
    #expect(try client.call("agent.status")["problems"] == [])
    try client.call("events.subscribe", ["types": ["todo-added"]])
    #expect(try client.call("todo.add", ["title": "Feed the cat"]) == "2")
    #expect(try client.notification("todo-added")["event"]?["data"]?["title"] == "Feed the cat")
    try client.call("tasks.refresh")
    let titles = try client.call("tasks.list")["tasks"]?.array?.compactMap { $0["title"]?.string }
    #expect(titles?.sorted() == ["Feed the cat", "Write a plugin"])
    #expect(try Program.run("ringi", ["--socket", folder.socket, "approve", "todo/2"]).status == 0)
    #expect(try client.call("tasks.get", ["task": "todo/2"])["outcome"] == "approved")
    #expect(try client.call("tasks.approve", ["task": "todo/2"])["already"] == true)
    #expect(try client.refusal("todo.add", [:])?["code"] == -32602)
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  private func wait(_ client: TestClient) throws {
    let end = Date(timeIntervalSinceNow: 60)
    while try client.call("plugins.get", ["plugin": "todo"])["state"] != "running" {
      try #require(Date() < end)
      usleep(5000)
    }
  }

  @Test("A shell plugin without jq says what is missing", .enabled(if: Program.isInstalled("dash")))
  func withoutJQ() throws {
    let folder = try AgentFolder()
    let new = try Program.run(
      "ringi", ["plugin", "new", "todo", "--language", "sh"], environment: ["RINGI_CONFIG": folder.config])
    #expect(new.status == 0)
    // A PATH with a shell and nothing else.
    let tools = folder.path("tools")
    try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: "\(tools)/sh", withDestinationPath: "/bin/sh")
    let check = try Program.run(
      "ringid", ["--check-plugin", "\(folder.config)/plugins.d/todo.json"], environment: ["PATH": tools])
    #expect(check.status == 1)
    #expect(check.output.contains("this plugin needs jq: apt install jq"), "\(check.output)\(check.errors)")
  }
}
