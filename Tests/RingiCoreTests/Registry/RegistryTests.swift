import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiTestSupport
import Testing

@Suite struct RegistryTests {
  private static func method(_ name: String, _ answer: JSONValue = .null) -> Method {
    Method(
      name, "A method.", params: .object([:]), result: .any.described("Its answer."), handler: .sync { _, _ in answer })
  }

  @Test func aNameThatIsTakenStaysWithTheFirstAndTheErrorNamesBoth() async throws {
    try await onLoop {
      let registry = Registry()
      try registry.add([Self.method("x.a", 1)], of: "first")
      let error = #expect(throws: Registry.TakenError.self) {
        try registry.add([Self.method("x.b"), Self.method("x.a", 2)], of: "second")
      }
      #expect(error?.description.contains("second offers the method x.a, which first") == true)
      #expect(registry.table.methods.map(\.name) == ["x.a"])
      let answer = try await registry.call("x.a", nil, Call(origin: .owner(causes: [])))
      #expect(answer == 1)
    }
  }

  @Test func oneOwnerCanNotOfferANameTwice() async throws {
    try await onLoop {
      let registry = Registry()
      #expect(throws: Registry.TakenError.self) {
        try registry.add([Self.method("x.a"), Self.method("x.a")], of: "first")
      }
      #expect(registry.table.methods.isEmpty)
    }
  }

  @Test func anOwnersMethodsGoWithIt() async throws {
    try await onLoop {
      let registry = Registry()
      try registry.add([Self.method("x.a")], of: "first")
      try registry.add([Self.method("y.a")], of: "second")
      registry.remove("first")
      #expect(registry.table.methods.map(\.name) == ["y.a"])
      try registry.add([Self.method("x.a")], of: "third")
      #expect(registry.methods(of: "third").map(\.name) == ["x.a"])
    }
  }

  @Test func callingWhatIsNotThereSaysSo() async throws {
    try await onLoop {
      let error = await #expect(throws: RPCError.self) {
        try await Registry().call("x.a", nil, Call(origin: .owner(causes: [])))
      }
      #expect(error?.code == -32601)
    }
  }
}
