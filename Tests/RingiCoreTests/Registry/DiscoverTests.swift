import JSON
import RingiCore
import RingiKit
import RingiTestSupport
import Testing

@Suite struct DiscoverTests {
  @Test func theDocumentIsOpenRPCAndDescribesEveryMethod() async throws {
    try await withAgent { agent in
      let document = try agent.connect().call("rpc.discover")
      #expect(document["openrpc"]?.string?.hasPrefix("1.3.") == true)
      #expect(document["info"] == ["title": "Ringi", "version": "1.2.3"])
      let methods = try #require(document["methods"]?.array)
      #expect(
        methods.map { $0["name"] } == (try await onLoop { agent.registry.table.methods.map { JSONValue($0.name) } }))
      for method in methods {
        let name = method["name"]?.string ?? ""
        #expect(method["summary"]?.string?.isEmpty == false, "\(name)")
        #expect(method["params"]?.array != nil, "\(name)")
        #expect(method["result"]?["schema"] != nil, "\(name)")
        #expect(method["errors"]?.array?.isEmpty == false, "\(name)")
      }
    }
  }

  @Test func paramsAreInTheOrderOfTheirPositions() async throws {
    try await withAgent { agent in
      let methods = try agent.connect().call("rpc.discover")["methods"]?.array
      let approve = try #require(methods?.first { $0["name"] == "tasks.approve" })
      #expect(approve["paramStructure"] == "either")
      let params = approve["params"]?.array
      #expect(
        params?.map { $0["name"] } == ["task", "comment", "context", "seen", "idempotencyKey", "dryRun"])
      #expect(params?.map { $0["required"] } == [true, false, false, false, false, false])
      #expect(params?[0]["schema"]?["type"] == "string")
    }
  }
}
