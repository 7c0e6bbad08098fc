import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

/// Plugins that are servers of the Model Context Protocol.
@Suite(.enabled(if: PluginWorld.isPossible), .serialized)
struct MCPTests {
  private func seen(_ client: TestClient) throws -> [JSONValue] {
    try client.call("p.seen")["seen"]?.array.map { Array($0) } ?? []
  }

  // MARK: The beginning

  @Test(
    "A server's own revision is taken, whichever it is of those with a handshake",
    arguments: ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
  func revisions(_ revision: String) throws {
    let world = try PluginWorld.mcp(["revision": JSONValue(revision)])
    let client = try world.start()
    #expect(try client.call("p.sum", ["a": 1, "b": 2]) == ["sum": 3])
    let seen = try seen(client)
    #expect(seen[0]["method"] == "initialize" && seen[0]["params"]?["protocolVersion"] == "2025-11-25")
    #expect(seen[0]["params"]?["capabilities"] == [:] && seen[0]["params"]?["clientInfo"]?["name"] == "ringi")
    #expect(seen[1]["method"] == "notifications/initialized")
    #expect(seen[2]["method"] == "tools/list")
    #expect(seen.last?["params"] == ["name": "seen", "arguments": [:]])
  }

  @Test("A server that names the revision it wants gets that one")
  func refusedRevision() throws {
    let world = try PluginWorld.mcp(["only": "2025-03-26", "batches": true])
    let client = try world.start()
    #expect(try client.call("p.sum", [1, 2]) == ["sum": 3])
    #expect(try seen(client)[1]["params"]?["protocolVersion"] == "2025-03-26")
  }

  @Test(
    "A revision that the agent doesn't know ends with both sides' revisions, and no second try",
    arguments: [
      ["revision": "2099-01-01"], ["only": "2099-01-01"], ["stateless": true, "versions": ["2099-01-01"]],
    ] as [JSONValue])
  func unknownRevision(_ traits: JSONValue) throws {
    let world = try PluginWorld.mcp(traits)
    let client = try world.start(until: "failed")
    let row = try client.call("plugins.get", ["plugin": "p"])
    let error = row["lastError"]?.string ?? ""
    #expect(
      error.contains("\"2099-01-01\"") && error.contains("2024-11-05, ") && error.contains("2026-07-28"), "\(error)")
    #expect(row["restarts"] == 0)
  }

  @Test("A server without handshakes gets in each request what its revision wants there")
  func stateless() throws {
    let world = try PluginWorld.mcp(["stateless": true])
    let client = try world.start()
    #expect(try client.call("p.sum", ["a": 1, "b": 2]) == ["sum": 3])
    let params = try client.call("p.params", ["x": 1])["params"]
    #expect(params?["name"] == "params" && params?["arguments"] == ["x": 1])
    let meta = params?["_meta"]
    #expect(meta?["io.modelcontextprotocol/protocolVersion"] == "2026-07-28")
    #expect(meta?["io.modelcontextprotocol/clientCapabilities"] == [:])
    #expect(meta?["io.modelcontextprotocol/clientInfo"]?["name"] == "ringi")
    #expect(try client.refusal("p.asking")?["data"]?["code"] == "input-required")
    try client.call("p.grow")
    let row = try world.wait(client) { $0["methods"]?.array?.contains("p.grown") == true }
    #expect(row["methods"]?.array?.contains("p.plain") == false)
    #expect(!(try seen(client).contains { $0["method"] == "notifications/initialized" }))
  }

  // MARK: Tools

  @Test("A tool is a method with its schemas, and its name as near as a method's can be")
  func methods() throws {
    let world = try PluginWorld.mcp()
    let client = try world.start()
    let methods = try client.call("rpc.discover")["methods"]?.array.map { Array($0) } ?? []
    let sum = methods.first { $0["name"] == "p.sum" }
    #expect(sum?["summary"] == "Does sum.")
    #expect(sum?["params"]?[1]?["schema"] == ["type": "integer"] && sum?["params"]?[1]?["required"] == true)
    #expect(sum?["result"]?["schema"]?["properties"] == ["sum": ["type": "integer"]])
    #expect(try client.refusal("p.sum", ["a": "x", "b": 2])?["code"] == -32602)
    #expect(try client.call("p.__")["content"]?[0]?["text"] == "3")
    let names = methods.compactMap { $0["name"]?.string }
    let twins = names.filter { $0.hasPrefix("p.get_weather-") }
    #expect(twins.count == 2 && Set(twins).count == 2)
    #expect(Set(try twins.map { try client.call($0)["content"]?[0]?["text"]?.string }) == ["1", "2"])
    #expect(!names.contains("p.broken"))
    #expect(world.agent?.errorText.contains("The tool \"broken\" was left out: its inputSchema/type") == true)
  }

  @Test("All pages of tools are there: BR-119")
  func pages() throws {
    let world = try PluginWorld.mcp(["count": 101])
    let client = try world.start()
    #expect(try client.call("plugins.get", ["plugin": "p"])["methods"]?.array?.count == 101)
    #expect(try client.call("p.tool100", ["x": 1])["params"]?["arguments"] == ["x": 1])
  }

  @Test("A list without end is cut, and each tool is there once: BR-120", arguments: ["same", "other"])
  func endless(_ kind: String) throws {
    let world = try PluginWorld.mcp(["endless": JSONValue(kind)])
    let client = try world.start()
    #expect(try client.call("plugins.get", ["plugin": "p"])["methods"]?.array?.count == 8)
    let agent = try #require(world.agent)
    #expect(agent.waitFor { $0.errorText.contains("has no end; it was cut after 8 of them") })
    #expect(agent.errorText.components(separatedBy: "warning p: ").count == 2)
  }

  @Test("Tools that appear and disappear do so among the methods; a flood of notices makes few lists")
  func listChanged() throws {
    let world = try PluginWorld.mcp(["chatty": true])
    let client = try world.start()
    #expect(try client.call("p.plain") == ["content": [["type": "text", "text": "it is"]]])
    try client.call("p.grow")
    try world.wait(client) { $0["methods"]?.array?.contains("p.grown") == true }
    #expect(try client.refusal("p.plain")?["code"] == -32601)
    #expect(try client.call("p.grown")["content"]?[0]?["text"] == "done")
    #expect(try seen(client).filter { $0["method"] == "tools/list" }.count <= 4)
    #expect(try client.call("plugins.get", ["plugin": "p"])["restarts"] == 0)
  }

  @Test("A server that ends its notices is asked for them again, and for what it did not tell meanwhile")
  func listensAgain() throws {
    let world = try PluginWorld.mcp(["stateless": true])
    let client = try world.start()
    try client.call("p.hang_up")
    try client.call("p.grow")
    try world.wait(client) { $0["methods"]?.array?.contains("p.grown") == true }
    #expect(try seen(client).filter { $0["method"] == "subscriptions/listen" }.count == 2)
    #expect(try client.call("plugins.get", ["plugin": "p"])["inFlight"] == 0)
  }

  // MARK: Input

  @Test("Where the file has answers a server may ask for them, and hears no where they don't fit")
  func elicitation() throws {
    let world = try PluginWorld.mcp([:], ["elicitation": ["answers": ["name": "Ada"], "otherwise": "cancel"]])
    let client = try world.start()
    let offered = try seen(client)[0]["params"]?["capabilities"]
    #expect(offered == ["elicitation": ["form": [:]]])
    func ask(_ params: JSONValue) throws -> JSONValue? {
      try client.call("p.ask", ["method": "elicitation/create", "params": params])["answer"]
    }
    let form: JSONValue = ["type": "object", "properties": ["name": ["type": "string"]], "required": ["name"]]
    #expect(
      try ask(["message": "Who?", "requestedSchema": form])?["result"] == [
        "action": "accept", "content": ["name": "Ada"],
      ])
    #expect(world.agent?.waitFor { $0.errorText.contains("answered with accept") } == true)
    #expect(try ask(["message": "Who?", "requestedSchema": ["type": 7]])?["result"] == ["action": "cancel"])
    #expect(try ask(["mode": "url", "message": "Go.", "url": "https://example.org"])?["error"]?["code"] == -32602)
    #expect(try client.call("p.ask", ["method": "roots/list", "params": [:]])["answer"]?["error"]?["code"] == -32601)
  }

  @Test("A tool without handshakes that requires input is called again with it, and with its state")
  func inputRequired() throws {
    let world = try PluginWorld.mcp(["stateless": true], ["elicitation": ["answers": ["name": "Ada"]]])
    let client = try world.start()
    let result = try client.call("p.fill_in", ["x": 1])
    let params = result["params"]
    #expect(params?["inputResponses"] == ["who": ["action": "accept", "content": ["name": "Ada"]]])
    #expect(params?["requestState"]?.string.map { $0 != "r\(result["id"] ?? .null)" } == true)
    #expect(params?["arguments"] == ["x": 1] && params?["name"] == "fill_in")
    #expect(
      params?["_meta"]?["io.modelcontextprotocol/clientCapabilities"] == ["elicitation": ["form": [:]]])
    #expect(try client.refusal("p.asking")?["data"]?["code"] == "input-required")
  }

  @Test("A tool that never has enough input is called ten times, and one that wants what nobody gives once")
  func endlessInput() throws {
    let world = try PluginWorld.mcp(["stateless": true])
    let client = try world.start()
    #expect(try client.refusal("p.wants")?["data"]?["code"] == "input-required")
    #expect(try client.refusal("p.fill_in")?["data"]?["code"] == "input-required")
    let calls = try seen(client).compactMap { $0["params"]?["name"]?.string }
    #expect(calls.filter { $0 == "wants" }.count == 10 && calls.filter { $0 == "fill_in" }.count == 1)
  }

  // MARK: Calls

  @Test("Structured content wins, other content passes as it is, and a tool's failure is the backend's error")
  func results() throws {
    let world = try PluginWorld.mcp()
    let client = try world.start()
    #expect(try client.call("p.sum", ["a": 1, "b": 2]) == ["sum": 3])
    let picture = try client.call("p.picture")
    #expect(picture["content"]?[1] == ["type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"])
    let failure = try client.refusal("p.fail")
    #expect(failure?["code"] == -32002 && failure?["message"] == "The disk is full.\nFree some.")
    #expect(failure?["data"]?["provider"] == "p")
    #expect(try client.refusal("p.odd")?["data"]?["code"] == "invalid-answer")
    // The numbers are the server's, and none of the agent's kinds.
    let refusal = try client.refusal("p.refuse", ["code": -32005, "message": "No."])
    #expect(refusal?["code"] == -32002 && refusal?["data"]?["code"] == "-32005" && refusal?["message"] == "No.")
    #expect(try client.refusal("p.refuse", ["code": -32602, "message": "Bad."])?["code"] == -32602)
  }

  @Test("Progress reaches the client, a cancellation the server, and its log the agent's")
  func notifications() throws {
    let world = try PluginWorld.mcp()
    let client = try world.start()
    let id = try client.ask("p.progress", ["progressToken": "t"])
    #expect(
      try client.notification("$/progress") == [
        "token": "t", "value": ["progress": 1, "total": 2, "message": "half"],
      ])
    #expect(try client.response(to: id)["result"] != nil)
    let slow = try client.ask("p.slow")
    try world.wait(client) { $0["inFlight"] == 1 }
    try client.notify("$/cancelRequest", ["id": JSONValue(slow)])
    #expect(try client.response(to: slow)["error"]?["code"] == -32800)
    let seen = try seen(client)
    let call = seen.first { $0["params"]?["name"] == "slow" }
    let cancelled = seen.first { $0["method"] == "notifications/cancelled" }
    #expect(cancelled?["params"]?["requestId"] == call?["id"] && call != nil)
    try client.call("p.log")
    #expect(world.agent?.waitFor { $0.errorText.contains(#"error p: db: {"lost":true}"#) } == true)
  }

  @Test("What a server asks in the middle of a call is answered or refused at once: BR-123")
  func requests() throws {
    let world = try PluginWorld.mcp()
    let client = try world.start()
    let asked = try client.call("p.curious")["asked"]?.array.map { Array($0) } ?? []
    #expect(asked.count == 5)
    for (index, one) in asked.enumerated() {
      #expect((one["ms"]?.double ?? .infinity) < 1000)
      if index == 0 {
        #expect(one["answer"]?["result"] == [:])
      } else {
        #expect(one["answer"]?["error"]?["code"] == -32601)
      }
    }
  }

  @Test(
    "A server that crashes is started again; a call that only reads gets plugin-down, one that writes outcome-unknown")
  func crash() throws {
    let world = try PluginWorld.mcp()
    let client = try world.start()
    try client.call("events.subscribe", ["types": ["plugin-*"]])
    #expect(try client.refusal("p.exit")?["data"]?["kind"] == "plugin-down")
    #expect(try client.notification("plugin-down")["event"]?["data"]?["error"] == "It ended with exit status 3.")
    _ = try client.notification("plugin-up")
    #expect(try client.call("p.sum", ["a": 1, "b": 2]) == ["sum": 3])
    #expect(try client.refusal("p.write")?["data"]?["kind"] == "outcome-unknown")
  }

  @Test("A server ends with its input, and with nothing before that")
  func end() throws {
    let world = try PluginWorld.mcp()
    let client = try world.start()
    let pid = try world.pid(client)
    let began = Date()
    try client.call("plugins.restart", ["plugin": "p"])
    #expect(Date().timeIntervalSince(began) < 4 && !PluginWorld.isAlive(pid))
    #expect(!(try seen(client).contains { $0["method"] == "shutdown" }))
  }
}
