import Foundation
import JSON
import RingiTestSupport
import Testing

/// Servers of the Model Context Protocol that others have made, and one of ours on the official SDK.
///
/// `new` has the SDK that knows the revision 2026-07-28, `old` the last one without.
@Suite(.serialized)
struct RealMCPServerTests {
  static let folder: URL = {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let standard = tests.deletingLastPathComponent().appendingPathComponent(".build/mcp-servers").path
    return URL(fileURLWithPath: ProcessInfo.processInfo.environment["RINGI_MCP_SERVERS"] ?? standard)
  }()
  static let areInstalled = ["new", "old"].allSatisfy {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent("\($0)/installed").path)
  }

  private func program(_ name: String, of sdk: String) -> String {
    Self.folder.appendingPathComponent("\(sdk)/bin/\(name)").path
  }

  private func world(
    _ command: [String], _ plugin: JSONValue = [:], files: [String: String] = [:]
  ) throws -> PluginWorld {
    let mcp: JSONValue = ["protocol": "mcp", "command": JSONValue(array: command.map { JSONValue($0) })]
    return try PluginWorld(mcp.merging(plugin), files: files)
  }

  private func text(_ result: JSONValue) -> String { result["content"]?[0]?["text"]?.string ?? "" }

  private func method(_ name: String, _ client: TestClient) throws -> JSONValue? {
    try client.call("rpc.discover")["methods"]?.array?.first { $0["name"]?.string == name }
  }

  private func params(of name: String, _ client: TestClient) throws -> Set<String> {
    Set(try method(name, client)?["params"]?.array?.compactMap { $0["name"]?.string } ?? [])
  }

  // MARK: Servers of others

  @Test("mcp-server-time converts times", .enabled(if: areInstalled, hint), arguments: ["new", "old"])
  func time(_ sdk: String) throws {
    let world = try world([program("mcp-server-time", of: sdk), "--local-timezone", "Asia/Tokyo"])
    let client = try world.start()
    let method = try method("p.convert_time", client)
    #expect(try params(of: "p.convert_time", client) == ["source_timezone", "time", "target_timezone"])
    #expect(method?["summary"]?.string?.isEmpty == false)
    let answer = try client.call(
      "p.convert_time", ["source_timezone": "Asia/Tokyo", "time": "09:00", "target_timezone": "Asia/Kolkata"])
    // The newer one has structured content, the older one a text with the same JSON.
    let result = answer["content"] == nil ? answer : try JSONValue(parsing: Array(text(answer).utf8))
    #expect(result["target"]?["datetime"]?.string?.hasSuffix("T05:30:00+05:30") == true)
    #expect(result["time_difference"] == "-3.5h")
    #expect(try client.refusal("p.convert_time", ["time": "09:00"])?["code"] == -32602)
    let failure = try client.refusal(
      "p.convert_time", ["source_timezone": "Mars/Olympus", "time": "09:00", "target_timezone": "UTC"])
    #expect(failure?["code"] == -32002 && failure?["message"]?.string?.contains("Mars/Olympus") == true)
    #expect(try client.call("plugins.get", ["plugin": "p"])["restarts"] == 0)
  }

  @Test("mcp-server-git tells of a repository, and commits to it", .enabled(if: areInstalled, hint))
  func git() throws {
    let repository = try TemporaryFolder()
    func git(_ arguments: String...) throws {
      let identity = ["-c", "user.name=R", "-c", "user.email=r@example.org", "-C", repository.path]
      #expect(try Program.run("git", identity + arguments).status == 0)
    }
    try git("init", "-q", "-b", "main")
    try git("commit", "-q", "--allow-empty", "-m", "Begin")
    try git("config", "user.name", "Ringi")
    try git("config", "user.email", "ringi@example.org")
    try repository.write("order.txt", "300280\n")

    let world = try world([program("mcp-server-git", of: "new"), "--repository", repository.path])
    let client = try world.start()
    let path = JSONValue(repository.path)
    #expect(text(try client.call("p.git_status", ["repo_path": path])).contains("order.txt"))
    #expect(
      try ["p.git_commit", "p.git_log"].map { try params(of: $0, client).contains("idempotencyKey") } == [true, false])
    try client.call("p.git_add", ["repo_path": path, "files": ["order.txt"]])
    try client.call("p.git_commit", ["repo_path": path, "message": "Add the order", "idempotencyKey": "once"])
    let log = text(try client.call("p.git_log", ["repo_path": path, "max_count": 5]))
    #expect(log.contains("Add the order") && log.contains("Begin"))
    #expect(try Program.run("git", ["-C", repository.path, "rev-list", "--count", "HEAD"]).output == "2\n")
    #expect(text(try client.call("p.git_status", ["repo_path": path])).contains("clean"))
    #expect(try client.refusal("p.git_log", ["repo_path": path, "max_count": "many"])?["code"] == -32602)
    #expect(try client.refusal("p.git_status", ["repo_path": "/nowhere"])?["code"] == -32002)
  }

  // MARK: A server of ours

  /// The revision 2026-07-28 is spoken to who refuses a handshake.
  enum Era: String, CaseIterable { case old, new, stateless }

  private func world(_ era: Era, _ plugin: JSONValue = [:]) throws -> PluginWorld {
    try world(
      [program("python3", of: era == .old ? "old" : "new"), "server.py", era.rawValue], plugin,
      files: ["plugins.d/server.py": Self.server])
  }

  @Test(
    "A server on the SDK answers with all that a result can be", .enabled(if: areInstalled, hint),
    arguments: Era.allCases)
  func results(_ era: Era) throws {
    let world = try world(era)
    let client = try world.start()
    let revision = text(try client.call("p.revision"))
    #expect(revision == (era == .stateless ? "2026-07-28" : "2025-11-25"))
    #expect(try client.call("p.add", ["a": 1, "b": 2]) == ["sum": 3])
    #expect(try method("p.add", client)?["result"]?["schema"]?["properties"]?["sum"]?["type"] == "integer")
    let picture = try client.call("p.picture")["content"]?[0]
    #expect(picture?["type"] == "image" && picture?["data"] == "iVBORw==" && picture?["mimeType"] == "image/png")
    let failure = try client.refusal("p.fail")
    #expect(failure?["code"] == -32002 && failure?["message"]?.string?.contains("The disk is full.") == true)
    let id = try client.ask("p.slowly", ["progressToken": "t"])
    let progress = try client.notification("$/progress")
    #expect(progress["token"] == "t" && progress["value"]?["message"] == "half")
    #expect(progress["value"]?["progress"]?.double == 1 && progress["value"]?["total"]?.double == 2)
    #expect(try client.response(to: id)["result"] != nil)
    try client.call("p.tell")
    #expect(
      world.agent?.waitFor { $0.errorText.contains("warning p: ") && $0.errorText.contains("low on ink") } == true)
    #expect(world.agent?.errorText.contains("what is no JSON") == false)
  }

  @Test("Its new tools are methods soon", .enabled(if: areInstalled, hint), arguments: Era.allCases)
  func listChanged(_ era: Era) throws {
    let world = try world(era)
    let client = try world.start()
    #expect(try client.refusal("p.grown")?["code"] == -32601)
    try client.call("p.grow")
    try world.wait(client) { $0["methods"]?.array?.contains("p.grown") == true }
    #expect(text(try client.call("p.grown")) == "tall")
    #expect(try client.call("plugins.get", ["plugin": "p"])["inFlight"] == 0)
  }

  @Test(
    "What it asks the agent for is refused at once, and its call goes on: BR-123", .enabled(if: areInstalled, hint),
    arguments: [Era.old, .new])
  func requests(_ era: Era) throws {
    let world = try world(era)
    let client = try world.start()
    for tool in ["roots", "sample", "elicit"] {
      let answer = text(try client.call("p.\(tool)"))
      #expect(answer.contains("refused"), "\(tool): \(answer)")
    }
  }

  @Test(
    "What it wants to know is answered as the file has it", .enabled(if: areInstalled, hint), arguments: Era.allCases)
  func elicitation(_ era: Era) throws {
    let cases: [(policy: JSONValue, answer: String)] = [
      (["answers": ["name": "Ada", "age": 36, "shoe": 41]], "accept Ada 36"),
      (["answers": ["name": "Ada", "age": "old"]], "decline"), (["otherwise": "cancel"], "cancel"),
    ]
    for (policy, answer) in cases {
      let world = try world(era, ["elicitation": policy])
      let client = try world.start()
      #expect(text(try client.call("p.elicit")) == answer)
    }
  }

  @Test("Input that nobody gives ends the call where there are no requests", .enabled(if: areInstalled, hint))
  func inputRequired() throws {
    let world = try world(.stateless)
    let client = try world.start()
    let refusal = try client.refusal("p.elicit")
    #expect(refusal?["code"] == -32002, "\(String(describing: refusal))")
    #expect(try client.call("p.add", ["a": 1, "b": 2]) == ["sum": 3])
  }

  private static let hint: Comment = "scripts/install-mcp-servers gets the servers."

  /// Runs on both SDKs.
  private static let server = #"""
    import json, os, sys
    from pydantic import BaseModel
    import mcp.types as types
    era = sys.argv[1]
    if era == "old":
        from mcp.server.fastmcp import FastMCP as Server, Context, Image
        from mcp.server.fastmcp.exceptions import ToolError
    else:
        from mcp.server.mcpserver import MCPServer as Server, Context, Image
        from mcp.server.mcpserver.exceptions import ToolError

    class Sum(BaseModel):
        sum: int

    class Person(BaseModel):
        name: str
        age: int

    server = Server("ours")

    @server.tool()
    def add(a: int, b: int) -> Sum:
        return Sum(sum=a + b)

    @server.tool(structured_output=False)
    def revision(ctx: Context) -> str:
        if era == "old":
            return str(types.LATEST_PROTOCOL_VERSION)
        return ctx.protocol_version

    @server.tool(structured_output=False)
    def picture():
        return Image(data=b"\x89PNG", format="png")

    @server.tool()
    def fail() -> str:
        raise ToolError("The disk is full.")

    @server.tool(structured_output=False)
    async def slowly(ctx: Context) -> str:
        await ctx.report_progress(1, 2, "half")
        return "done"

    @server.tool(structured_output=False)
    async def tell(ctx: Context) -> str:
        await ctx.warning("low on ink")
        return "told"

    def grown() -> str:
        return "tall"

    @server.tool(structured_output=False)
    async def grow(ctx: Context) -> str:
        server.add_tool(grown, structured_output=False)
        if era == "stateless":
            await ctx.notify_tools_changed()
        else:
            await ctx.session.send_tool_list_changed()
        return "grown"

    @server.tool(structured_output=False)
    async def roots(ctx: Context) -> str:
        try:
            return str(await ctx.session.list_roots())
        except Exception as error:
            return "refused: %r" % error

    @server.tool(structured_output=False)
    async def sample(ctx: Context) -> str:
        content = types.TextContent(type="text", text="Hello?")
        try:
            return str(await ctx.session.create_message(
                messages=[types.SamplingMessage(role="user", content=content)], max_tokens=10))
        except Exception as error:
            return "refused: %r" % error

    def told(action, content):
        return " ".join([action] + ([content["name"], str(content["age"])] if action == "accept" else []))

    if era == "stateless":
        @server.tool(structured_output=False)
        async def elicit(ctx: Context) -> str | types.InputRequiredResult:
            if ctx.input_responses is None:
                form = types.ElicitRequestFormParams(message="Who?", requested_schema=Person.model_json_schema())
                return types.InputRequiredResult(
                    input_requests={"who": types.ElicitRequest(params=form)}, request_state="half way")
            assert ctx.request_state == "half way"
            answer = ctx.input_responses["who"]
            return told(answer.action, answer.content)
    else:
        @server.tool(structured_output=False)
        async def elicit(ctx: Context) -> str:
            try:
                answer = await ctx.elicit("Who?", Person)
            except Exception as error:
                return "refused: %r" % error
            return told(answer.action, answer.data.model_dump() if answer.action == "accept" else None)

    if era == "stateless":
        # The SDK takes both; a server that takes no handshake is asked what it has.
        line = b""
        while not line.endswith(b"\n"):
            line += os.read(0, 1)
        refusal = {"jsonrpc": "2.0", "id": json.loads(line)["id"],
                   "error": {"code": -32601, "message": "Method not found"}}
        os.write(1, (json.dumps(refusal) + "\n").encode())
    server.run("stdio")
    """#
}
