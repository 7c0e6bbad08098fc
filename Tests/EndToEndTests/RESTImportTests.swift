import Foundation
import JSON
import RingiTestSupport
import Testing

/// A service's OpenAPI document, the file that is made of it, and the agent that reads the file.
@Suite(.timeLimit(.minutes(2))) struct RESTImportTests {
  private static let document = #"""
    {"openapi": "3.1.0", "servers": [{"url": "https://api.acme.example/v2"}],
     "components": {
       "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
       "schemas": {"Node": {"type": "object", "properties": {
         "name": {"type": "string", "default": "x"}, "child": {"$ref": "#/components/schemas/Node"}}}}},
     "paths": {"/nodes/{id}": {
       "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
       "get": {"tags": ["Node store"], "operationId": "node.get", "responses": {"200": {"description": "",
         "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}}}},
       "put": {"tags": ["Node store"], "operationId": "node.put", "responses": {},
         "parameters": [{"name": "name", "in": "query", "schema": {"type": "string"}}],
         "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}}}}}}
    """#

  @Test func theAgentTakesWhatIsMadeOfADocument() throws {
    let folder = try AgentFolder()
    let source = folder.path("api.json")
    try Self.document.write(toFile: source, atomically: true, encoding: .utf8)
    let made = try Program.run("ringi", ["plugin", "from-openapi", source])
    #expect(made.status == 0, "\(made.errors)")
    try folder.write("plugins.d/shop.json", made.output)
    let check = try Program.run("ringid", ["--check"] + folder.arguments)
    #expect(check.status == 0, "\(check.output)\(check.errors)")
    let agent = try folder.startAgent()
    let document = try folder.client().call("rpc.discover")
    let names = document["methods"]?.array?.compactMap { $0["name"]?.string }.filter { $0.hasPrefix("shop.") }
    #expect(names == ["shop.nodeStore.nodeGet", "shop.nodeStore.nodePut"])
    let error = try folder.client().refusal("shop.nodeStore.nodePut", ["name2": 7])
    #expect(error?["code"] == -32602)
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }
}
