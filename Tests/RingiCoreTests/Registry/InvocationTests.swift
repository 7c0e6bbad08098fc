import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiTestSupport
import Testing

@Suite struct InvocationTests {
  private static let params = Schema.object(
    [
      "name": .string("A name."), "count": .integer("How many.", 1...10).default(3),
      "flag": .boolean("Whether.").default(false),
    ], required: ["name"])

  /// The params as the handler gets them.
  private func prepared(_ params: JSONValue?) async throws -> JSONValue {
    let method = Method(
      "x.echo", "Answers with its params.", params: Self.params, result: .any.described("The params."),
      handler: .sync { params, _ in params })
    return try await onLoop { try await method.invoke(params, Call(origin: .owner(causes: []))) }
  }

  private func message(_ params: JSONValue?) async throws -> String {
    let error = await #expect(throws: RPCError.self) { try await self.prepared(params) }
    #expect(error?.code == -32602)
    return error?.message ?? ""
  }

  @Test func missingParamsGetTheirDefaults() async throws {
    #expect(try await prepared(["name": "a"]) == ["name": "a", "count": 3, "flag": false])
    #expect(try await prepared(["name": "a", "count": 5]) == ["name": "a", "count": 5, "flag": false])
  }

  @Test func paramsByPositionGetTheSame() async throws {
    #expect(try await prepared(["a", 5]) == ["name": "a", "count": 5, "flag": false])
    #expect(try await prepared(["a", 5, true]) == ["name": "a", "count": 5, "flag": true])
  }

  @Test func everyFaultIsToldWithItsParameterWhatItGotAndWhatItTakes() async throws {
    let missing = try await message(nil)
    #expect(missing.contains("x.echo") && missing.contains("name"), "\(missing)")
    let range = try await message(["a", 11])
    #expect(range.contains("count") && range.contains("11") && range.contains("10"), "\(range)")
    let type = try await message(["name": 5])
    #expect(type.contains("name") && type.contains("5") && type.contains("string"), "\(type)")
    let unknown = try await message(["name": "a", "cuont": 1])
    #expect(unknown.contains("cuont") && unknown.contains("count"), "\(unknown)")
    let tooMany = try await message(["a", 1, true, 4])
    #expect(tooMany.contains("name, count, flag") && tooMany.contains("4"), "\(tooMany)")
  }

  @Test func eachViolationIsInTheDataWithItsPointer() async throws {
    let error = await #expect(throws: RPCError.self) { try await self.prepared(["name": 5, "count": "x"]) }
    let pointers = error?.data["violations"]?.array?.compactMap { $0["pointer"]?.string }.sorted()
    #expect(pointers == ["/count", "/name"])
  }

  @Test func aTokenForProgressIsNoParameter() async throws {
    #expect(try await prepared(["name": "a", "progressToken": 7]) == ["name": "a", "count": 3, "flag": false])
  }
}
