import HTTPServer
import JSON
import JSONRPC
import RingiTestSupport
import Testing

/// What goes out for an operation's params, and what comes back for an answer.
@Suite struct RESTRequestTests {
  private func settings(_ url: String, _ operation: JSONValue, names: String = "asIs") -> JSONValue {
    ["url": .init(url), "names": .init(names), "resources": ["thing": ["operations": ["do": operation]]]]
  }

  private func request(
    _ operation: JSONValue, _ params: JSONValue, names: String = "asIs", base: String = ""
  ) async throws -> ServerRequest {
    let server = try ScriptedServer { _, _ in .data("{}") }
    _ = try await onLoop { () async throws in
      try await RESTRig(settings: settings(server.url + base, operation, names: names)).call("thing.do", params)
    }
    return try required(server.requests.first)
  }

  /// Pitfall 7.
  @Test(arguments: ["", "/", "/v2", "/v2/"])
  func theBaseURLTakesThePathWithOneSlash(_ base: String) async throws {
    let sent = try await request(["method": "GET", "path": "/things"], [:], base: base)
    #expect(sent.target == (base.hasPrefix("/v") ? "/v2/things" : "/things"))
  }

  /// Pitfalls 3 and 17.
  @Test func valuesInAPathAreEncodedOnce() async throws {
    let operation: JSONValue = ["method": "GET", "path": "/a/{id}:b", "params": ["id": ["type": "string"]]]
    #expect(try await request(operation, ["id": "x/../y?z=%25 ü"]).target == "/a/x%2F..%2Fy%3Fz%3D%2525%20%C3%BC:b")
  }

  @Test(arguments: ["", ".", ".."])
  func aValueThatWouldChangeThePathIsRefused(_ id: String) async throws {
    let server = try ScriptedServer { _, _ in .data("{}") }
    let operation: JSONValue = ["method": "DELETE", "path": "/a/{id}", "params": ["id": ["type": "string"]]]
    try await onLoop { () async throws in
      let error = try await RESTRig(settings: settings(server.url, operation)).failure("thing.do", ["id": .init(id)])
      #expect(error.kind == "invalid-params")
    }
    #expect(server.requests.isEmpty)
  }

  /// Pitfalls 4 and 15.
  @Test func aQueryTakesPlainValuesAndRepeatsThoseOfAnArray() async throws {
    let operation: JSONValue = [
      "method": "GET",
      "params": ["cursor": [:], "n": [:], "yes": [:], "many": [:], "none": [:], "long": ["type": "string"]],
    ]
    let long = String(repeating: "承認", count: 5000)
    let sent = try await request(
      operation,
      [
        "cursor": "a+b/c=", "n": 1.5, "yes": true, "many": ["x", 2], "none": .null,
        "long": .init(String(long.prefix(500))),
      ])
    #expect(sent.target.hasPrefix("/?cursor=a%2Bb%2Fc%3D&n=1.5&yes=true&many=x&many=2&long="))
  }

  @Test func headersAndOwnNamesAreTakenFromTheSettings() async throws {
    let operation: JSONValue = [
      "method": "POST",
      "params": [
        "userID": ["type": "string", "wire": "user_id"], "requestKey": ["in": "header", "wire": "Idempotency-Key"],
        "dryRun": ["in": "query"], "orderLines": [:],
      ],
    ]
    let sent = try await request(
      operation,
      ["userID": "7", "requestKey": "k", "dryRun": true, "orderLines": [["unitPrice": 68.32, "line_1": .null]]],
      names: "camelCase")
    #expect(sent.target == "/?dry_run=true" && sent.headers["Idempotency-Key"] == "k")
    #expect(
      String(decoding: sent.body, as: UTF8.self)
        == #"{"user_id":"7","order_lines":[{"unit_price":68.32,"line_1":null}]}"#)
    #expect(sent.headers["Content-Type"] == "application/json" && sent.headers["Accept"] == "application/json")
  }

  @Test func aFormClearsAFieldWithAnEmptyText() async throws {
    let operation: JSONValue = ["method": "PUT", "body": "form", "params": ["a": [:], "b": [:]]]
    let sent = try await request(operation, ["a": "x y&z", "b": .null])
    #expect(String(decoding: sent.body, as: UTF8.self) == "a=x%20y%26z&b=")
    #expect(sent.headers["Content-Type"] == "application/x-www-form-urlencoded")
  }

  @Test func anObjectHasNoPlaceInAForm() async throws {
    let server = try ScriptedServer { _, _ in .data("{}") }
    let operation: JSONValue = ["method": "POST", "body": "form", "params": ["a": [:]]]
    try await onLoop { () async throws in
      let error = try await RESTRig(settings: settings(server.url, operation)).failure("thing.do", ["a": ["b": 1]])
      #expect(error.kind == "invalid-params" && server.requests.isEmpty)
    }
  }

  // MARK: Answers

  private func result(_ method: String, _ answer: ServerResponse, pointer: String = "") async throws -> JSONValue {
    let server = try ScriptedServer { _, _ in answer }
    return try await onLoop { () async throws in
      let operation: JSONValue = ["method": .init(method), "result": .init(pointer)]
      return try await RESTRig(settings: settings(server.url, operation)).call("thing.do")
    }
  }

  /// Pitfall 6.
  @Test(arguments: [
    ServerResponse(status: 204), ServerResponse(status: 205), .data(""), .data("", status: 202), .data("{\"id\":"),
    .data("{}", status: 201),
  ])
  func aWriteWithoutAnAnswerToReadIsDone(_ answer: ServerResponse) async throws {
    #expect(try await result("POST", answer, pointer: "/data") == .null)
  }

  @Test(
    arguments: [
      .data("{\"id\":1}", headers: ["Content-Type": "application/problem+json"]),
      .data("{\"id\":1}", headers: ["Content-Type": "text/json"]), .data("\u{FEFF}{\"id\":1}"),
      .data("{\"id\":1}", headers: ["Content-Type": "application/vnd.acme+json; charset=utf-8"]),
    ] as [ServerResponse])
  func jsonIsReadUnderAllItsNames(_ answer: ServerResponse) async throws {
    #expect(try await result("GET", answer) == ["id": 1])
  }

  @Test func numbersComeBackAsTheyAre() async throws {
    let answer = try await result("GET", .data("[9223372036854775807, 68.32, 1.0, -0.0]"))
    #expect(answer.description == "[9223372036854775807,68.32,1.0,-0.0]")
  }

  @Test(arguments: [
    (500, "unavailable"), (502, "unavailable"), (429, "unavailable"), (423, "unavailable"), (401, "login-required"),
    (403, "backend-error"), (404, "not-found"), (410, "not-found"), (409, "conflict"), (412, "conflict"),
    (400, "backend-error"), (415, "backend-error"), (501, "backend-error"),
  ])
  func aRefusalIsToldByItsStatus(_ status: Int, _ kind: String) async throws {
    let server = try ScriptedServer { _, _ in .data(#"{"message": "because"}"#, status: status) }
    try await onLoop { () async throws in
      let error = try await RESTRig(settings: settings(server.url, ["method": "GET"])).failure("thing.do")
      #expect(error.kind == kind, "\(error)")
      #expect(status == 401 || error.details["status"] == .init(status))
      #expect(error.message.contains("because"))
    }
  }

  /// Pitfall 5.
  @Test func aGatewaysPageIsToldByItsStatusWhateverItCallsItself() async throws {
    let page = ServerResponse(status: 502, headers: ["Content-Type": "application/json"], text: "<html>502</html>")
    let server = try ScriptedServer { _, _ in page }
    try await onLoop { () async throws in
      let error = try await RESTRig(settings: settings(server.url, ["method": "GET"])).failure("thing.do")
      #expect(error.kind == "unavailable" && error.details["status"] == 502)
      #expect(server.requests.count == 3)
    }
  }

  @Test func aPageForAnUnknownAddressIsAboutTheSettings() async throws {
    let server = try ScriptedServer { _, _ in
      ServerResponse(status: 404, headers: ["Content-Type": "text/html"], text: "<html>")
    }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: settings(server.url, ["method": "DELETE", "path": "/gone"]))
      let error = try await rig.failure("thing.do")
      #expect(error.kind == "backend-error" && error.message.contains("check url and path"))
    }
  }

  @Test func theServicesCodesCanSayWhatARefusalIs() async throws {
    let server = try ScriptedServer { _, _ in .data(#"{"code": "E42", "text": "taken"}"#, status: 500) }
    try await onLoop { () async throws in
      let errors: JSONValue = ["code": "/code", "message": "/text", "kinds": ["E42": "conflict"]]
      let rig = try RESTRig(settings: settings(server.url, ["method": "POST"]).setting("errors", to: errors))
      let error = try await rig.failure("thing.do")
      #expect(error.kind == "conflict" && error.details["code"] == "E42" && error.message.contains("taken"))
    }
  }

  /// BR-101.
  @Test(arguments: [408, 429, 500, 502, 503, 504])
  func aWriteThatAGatewayAnswersMayHaveHappened(_ status: Int) async throws {
    let server = try ScriptedServer { _, _ in .data("{}", status: status) }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: settings(server.url, ["method": "POST"]))
      #expect(try await rig.failure("thing.do").kind == "outcome-unknown")
      #expect(server.requests.count == 1)
    }
  }

  /// BR-079.
  @Test(arguments: ["3600", "Mon, 30 Nov 2026 06:00:00 GMT"])
  func aServiceThatAsksForRestIsLeftAlone(_ wait: String) async throws {
    let server = try ScriptedServer { _, _ in
      .data("{}", status: 429, headers: ["Retry-After": .init(wait), "Date": "Mon, 30 Nov 2026 05:00:00 GMT"])
    }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: settings(server.url, ["method": "GET"]))
      let error = try await rig.failure("thing.do")
      #expect(error.kind == "unavailable" && error.retryAfter == 3600)
      _ = try await rig.failure("thing.do")
      #expect(server.requests.count == 1)
    }
  }
}
