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

  @Test(
    "A Node plugin reads lines as the protocol has them, and passes over what is none",
    .enabled(if: Program.isInstalled("node")))
  func nodeLines() throws {
    let input = """
      Welcome!
      null
      {"jsonrpc":"2.0","id":1,\r"method":"shutdown"}
      {"jsonrpc":"2.0","id":2,"method":"shutdown","params":{"text":"\u{2028}"}}

      """
    let run = try runNode(input)
    #expect(run.status == 0)
    let answers = run.output.split(separator: "\n")
    #expect(answers == (1...2).map { #"{"jsonrpc":"2.0","id":\#($0),"result":null}"# })
    #expect(run.errors.contains("Welcome!"))
  }

  @Test(
    "A fault of a Node plugin leaves open only whether something was written",
    .enabled(if: Program.isInstalled("node")))
  func nodeFaults() throws {
    let input = """
      {"jsonrpc":"2.0","id":1,"method":"tasks.list"}
      {"jsonrpc":"2.0","id":2,"method":"add","params":{"title":"a"}}
      {"jsonrpc":"2.0","id":3,"method":"tasks.complete","params":{"task":"1","action":"approve"}}

      """
    let run = try runNode(
      input, with: "const load = async () => { throw new Error('no disk'); }; const unused = async () =>")
    let errors = try run.output.split(separator: "\n").map { try JSONValue(parsing: String($0))["error"] }
    #expect(errors.map { $0?["data"]?["kind"] } == ["backend-error", "outcome-unknown", "outcome-unknown"])
    #expect(errors.map { $0?["code"] } == [-32002, -32008, -32008])
    #expect(errors.allSatisfy { $0?["message"] == "Error: no disk" })
  }

  /// Runs what `ringi plugin new` writes for Node, with another way to load the tasks where one is given.
  private func runNode(
    _ input: String, with load: String = "const load = async () =>"
  ) throws -> (status: Int32?, output: String, errors: String) {
    let folder = try AgentFolder()
    let new = try Program.run(
      "ringi", ["plugin", "new", "todo", "--language", "node"], environment: ["RINGI_CONFIG": folder.config])
    #expect(new.status == 0)
    let path = "\(folder.config)/plugins.d/todo/plugin.mjs"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try folder.write(
      "plugins.d/todo/plugin.mjs", text.replacingOccurrences(of: "const load = async () =>", with: load))
    return try Program.run("node", [path], input: input)
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
