import JSON
import JSONRPC
import Testing

@Suite struct RPCErrorTests {
  @Test(arguments: [
    (RPCError.parseError("m"), -32700, "parse-error", false),
    (.invalidRequest("m"), -32600, "invalid-request", false),
    (.methodNotFound("m"), -32601, "method-not-found", false),
    (.invalidParams("m"), -32602, "invalid-params", false),
    (.internalError("m"), -32603, "internal-error", false),
    (.overloaded("m"), -32000, "overloaded", true),
    (.forbidden("m"), -32001, "forbidden", false),
    (.backendError(provider: "p", message: "m"), -32002, "backend-error", false),
    (.loginRequired(provider: "p", message: "m"), -32003, "login-required", false),
    (.notFound("m"), -32004, "not-found", false),
    (.conflict("m"), -32005, "conflict", false),
    (.unavailable("m"), -32006, "unavailable", true),
    (.pluginDown("m"), -32007, "plugin-down", true),
    (.outcomeUnknown("m"), -32008, "outcome-unknown", false),
    (.cancelled("m"), -32800, "cancelled", true),
  ])
  func eachCodeHasItsKindAndTellsWhetherToTryAgain(error: RPCError, code: Int, kind: String, isRetryable: Bool) {
    #expect(error.json["code"]?.int == Int64(code))
    #expect(error.json["message"] == "m")
    #expect(error.json["data"]?["kind"]?.string == kind)
    #expect(error.json["data"]?["retryable"]?.bool == isRetryable)
  }

  @Test func anErrorObjectHasNoMemberBeyondTheSpecifications() {
    let members = RPCError.notFound("m", details: ["task": "t"]).json.object.map { $0.map(\.key).sorted() }
    #expect(members == ["code", "data", "message"])
  }

  @Test func aBackendsErrorTellsWhatTheBackendSaid() {
    let error = RPCError.backendError(provider: "sap", status: 409, code: "bpm.x", message: "Refused.")
    #expect(
      error.data
        == [
          "kind": "backend-error", "retryable": false, "provider": "sap", "status": 409, "code": "bpm.x",
          "message": "Refused.",
        ])
  }

  @Test func theTimeUntilAnotherTryIsInSeconds() {
    #expect(RPCError.unavailable("m", retryAfter: 3600).data["retryAfter"] == 3600)
    #expect(RPCError.unavailable("m", retryAfter: 0.5).data["retryAfter"] == 0.5)
    #expect(RPCError.unavailable("m").data["retryAfter"] == nil)
    #expect(RPCError.unavailable("m", retryAfter: 3600).retryAfter == 3600)
  }

  @Test func aWriteThatMayHaveHappenedIsNotToBeSentAgain() {
    #expect(RPCError.unavailable("m", isRetryable: false).data["retryable"] == false)
  }

  @Test func aSyntaxErrorTellsItsPlace() throws {
    let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: "{\n\"ä\": x}") }
    let data = RPCError.parseError(try #require(error)).data
    #expect(data["line"] == 2)
    #expect(data["column"] == 6)
    #expect(data["byte"] == 8)
  }
}
