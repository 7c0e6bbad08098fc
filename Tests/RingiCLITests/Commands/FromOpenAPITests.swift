import JSON
import RingiClient
import Testing

/// `ringi plugin from-openapi`; that the agent takes what it prints is seen by the end-to-end tests.
@Suite struct FromOpenAPITests {
  private static let document = #"""
    {"openapi": "3.0.3", "info": {"title": "Shop", "version": "1"},
     "servers": [{"url": "https://{host}/v2", "variables": {"host": {"default": "api.acme.example"}}}],
     "security": [{"token": []}],
     "paths": {
       "/orders/{id}": {
         "parameters": [{"$ref": "#/components/parameters/id"}],
         "get": {"tags": ["Orders"], "operationId": "getOrder", "summary": "Reads an order.",
           "parameters": [{"name": "expand", "in": "query", "schema": {"type": "boolean", "default": false}},
                          {"name": "sid", "in": "cookie", "schema": {"type": "string"}}],
           "responses": {"200": {"description": "", "content": {"application/json": {
             "schema": {"$ref": "#/components/schemas/Order"}}}}}},
         "patch": {"tags": ["Orders"], "operationId": "update-order",
           "requestBody": {"required": true, "content": {"application/json": {
             "schema": {"$ref": "#/components/schemas/Order"}}}}, "responses": {}},
         "head": {"responses": {}}},
       "/orders": {"post": {"tags": ["Orders"], "operationId": "bulk", "responses": {},
         "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "array", "items": {}}}}}}},
       "/files": {"post": {"responses": {}, "requestBody": {"content": {"multipart/form-data": {"schema": {
         "type": "object", "properties": {"name": {"type": "string"}, "file": {"type": "string", "format": "binary"}}}}}}}}},
     "components": {
       "securitySchemes": {"other": {"type": "apiKey", "in": "query", "name": "k"},
                           "token": {"type": "apiKey", "in": "header", "name": "X-Authentication-Token"}},
       "parameters": {"id": {"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}},
       "schemas": {"Order": {"allOf": [{"$ref": "#/components/schemas/Base"}, {"type": "object", "required": ["title"],
         "properties": {"title": {"type": "string"}, "amount": {"type": "number", "minimum": 0, "exclusiveMinimum": true},
           "note": {"type": "string", "nullable": true}, "parent": {"$ref": "#/components/schemas/Order"}}}]},
        "Base": {"type": "object", "properties": {"id": {"type": "integer", "readOnly": true}}}}}}
    """#

  private func settings() throws -> (settings: JSONValue, errors: String) {
    let run = try Ringi.run("plugin", "from-openapi", "-", input: Self.document)
    #expect(run.code == .success)
    let json = try JSONValue(parsing: run.output)
    #expect(json["provider"] == "rest")
    return (try #require(json["settings"]), run.errors)
  }

  @Test func aDocumentInYAMLIsTakenAsOneInJSON() throws {
    let run = try Ringi.run("plugin", "from-openapi", "-", input: try Self.yaml(JSONValue(parsing: Self.document)))
    #expect(run.code == .success)
    #expect(try JSONValue(parsing: run.output)["settings"] == settings().settings)
  }

  @Test(arguments: [
    ("openapi: 3.0.3\npaths: {a: [}", "line 2"), ("{\"openapi\": }", "line 1"), ("swagger: '2.0'", "no OpenAPI 3"),
  ])
  func whatIsNoDocumentIsRefusedWithItsPlace(_ text: String, _ place: String) throws {
    let run = try Ringi.run("plugin", "from-openapi", "-", input: text)
    #expect(run.code == .usage && run.output.isEmpty && run.errors.contains(place))
  }

  /// The same document, its outer levels in block style.
  private static func yaml(_ value: JSONValue, indent: String = "") -> String {
    guard let object = value.object, !object.isEmpty, indent.utf8.count < 6 else { return " \(value)\n" }
    return "\n" + object.map { "\(indent)\(JSONValue($0.key)):\(yaml($0.value, indent: indent + "  "))" }.joined()
  }

  /// Followed in all ways, a dozen schemas that refer to each other are more than memory holds.
  @Test func schemasThatAllReferToEachOtherAreCut() throws {
    let names = (1...12).map { "S\($0)" }
    let references = names.map { "\"\($0)\": {\"$ref\": \"#/components/schemas/\($0)\"}" }.joined(separator: ", ")
    let schemas = names.map { "\"\($0)\": {\"type\": \"object\", \"properties\": {\(references)}}" }.joined(
      separator: ", ")
    let text = """
      {"openapi": "3.0.3", "servers": [{"url": "https://h"}], "components": {"schemas": {\(schemas)}},
       "paths": {"/a": {"get": {"responses": {"200": {"content": {"application/json": {
         "schema": {"$ref": "#/components/schemas/S1"}}}}}}}}}
      """
    let run = try Ringi.run("plugin", "from-openapi", "-", input: text)
    #expect(
      run.code == .success && run.output.utf8.count < 1_000_000 && run.errors.contains("schemas: some are too large"))
  }

  /// One odd thing must not keep the agent from the rest of the file.
  @Test func whatASchemaCannotSayIsLeftOut() throws {
    let text = """
      {"openapi": "3.0.3", "servers": [{"url": "https://u:secret@h/v1"}],
       "components": {"securitySchemes": {"k": {"type": "apiKey", "in": "header", "name": 7}}},
       "paths": {"/a/../b": {"get": {"responses": {}}}, "/c": {"get": {"operationId": "get", "parameters": [
         {"name": "n", "in": "query", "schema": {"type": "file", "minimum": "5", "enum": [], "maxLength": -1,
          "pattern": 7, "required": "x", "title": "N"}}], "responses": {}}}}}
      """
    let run = try Ringi.run("plugin", "from-openapi", "-", input: text)
    let settings = try JSONValue(parsing: run.output)["settings"]
    #expect(settings?["url"] == "https://HOST" && settings?["auth"] == nil && !run.output.contains("secret"))
    #expect(settings?["resources"]?.object?.keys == ["c"])
    #expect(settings?["resources"]?["c"]?["operations"]?["get"]?["params"]?["n"] == ["title": "N", "in": "query"])
    #expect(run.errors.contains("GET /a/../b: the operation is left out"))
  }

  @Test func aParamOfThePathKeepsItsNameBesideOneOfTheQuery() throws {
    let text = """
      {"openapi": "3.0.3", "servers": [{"url": "https://h"}], "paths": {"/orders/{id}": {"get": {"operationId": "get",
       "parameters": [{"name": "id", "in": "query", "schema": {"type": "string"}},
                      {"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
       "responses": {}}}}}
      """
    let run = try Ringi.run("plugin", "from-openapi", "-", input: text)
    let operations = try JSONValue(parsing: run.output)["settings"]?["resources"]?["orders"]?["operations"]
    let params = operations?["get"]?["params"]
    #expect(params?["id"]?["in"] == "path" && params?["id2"]?["wire"] == "id")
  }

  @Test func addressAndLoginComeFromTheDocument() throws {
    let settings = try settings().settings
    #expect(settings["url"] == "https://api.acme.example/v2")
    #expect(
      settings["auth"] == ["type": "header", "header": "X-Authentication-Token", "token": ["env": "API_TOKEN"]])
  }

  @Test func operationsAreMethodsOfTheirTag() throws {
    let resources = try settings().settings["resources"]
    #expect(resources?.object?.keys == ["orders", "files"])
    let get = resources?["orders"]?["operations"]?["getOrder"]
    #expect(get?["method"] == "GET" && get?["path"] == "/orders/{id}" && get?["summary"] == "Reads an order.")
    #expect(get?["params"]?.object?.keys == ["id", "expand"])
    #expect(get?["params"]?["expand"] == ["type": "boolean", "in": "query"])
    #expect(get?["required"] == ["id"] && get?["returns"]?["allOf"]?.array?.count == 2)
  }

  @Test func membersOfABodyAreParamsWithReferencesFollowed() throws {
    let update = try settings().settings["resources"]?["orders"]?["operations"]?["updateOrder"]
    #expect(update?["params"]?.object?.keys == ["id", "title", "amount", "note", "parent"])
    #expect(update?["params"]?["amount"] == ["type": "number", "exclusiveMinimum": 0, "in": "body"])
    #expect(update?["params"]?["note"]?["type"] == ["string", "null"])
    #expect(update?["required"] == ["id", "title"] && update?["body"] == "json")
  }

  @Test func whatCannotBeTakenOverIsTold() throws {
    let errors = try settings().errors
    for says in [
      "GET /orders/{id}: the cookie parameter sid is left out.", "HEAD /orders/{id}: the method is left out.",
      "POST /orders: its body is no plain object.", "POST /orders: the operation is left out.",
      "POST /files: the file file is left out.", "securitySchemes: one of 2 is taken", "paging: left out",
    ] {
      #expect(errors.contains(says), "\(says)")
    }
  }

  @Test(arguments: ["openapi: 2.0.0", #"{"swagger": "2.0"}"#, "", "[]"])
  func anythingElseIsRefused(_ text: String) throws {
    let run = try Ringi.run("plugin", "from-openapi", "-", input: text)
    #expect(run.code == .usage && run.output.isEmpty)
  }

  @Test func aFileThatIsNotThereIsNamed() throws {
    let run = try Ringi.run("plugin", "from-openapi", "/nowhere/api.json")
    #expect(run.code == .usage && run.errors.contains("/nowhere/api.json"))
  }
}
