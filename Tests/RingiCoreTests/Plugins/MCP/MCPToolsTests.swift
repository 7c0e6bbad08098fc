import JSON
import Testing

@testable import RingiCore

struct MCPToolsTests {
  @Test("A name that a method can have stays as it is, and others become the nearest")
  func nearest() {
    #expect(
      MCPTools.names(["a.b-C_9", "get weather", "天気", "a/é"]) == [
        "a.b-C_9": "a.b-C_9", "get weather": "get_weather", "天気": "__", "a/é": "a__",
      ])
  }

  @Test("Names that come to the same differ, whatever their order, and who needed no change has none")
  func collisions() {
    let names = MCPTools.names(["a_b", "a b", "a/b"])
    #expect(names["a_b"] == "a_b")
    #expect(Set(names.values).count == 3 && names.values.allSatisfy { $0.hasPrefix("a_b") })
    #expect(names == MCPTools.names(["a/b", "a b", "a_b"]))
  }

  @Test("A name of any length becomes one of at most 128 bytes")
  func lengths() {
    let long = String(repeating: "é", count: 100)
    let names = MCPTools.names(["", String(repeating: "x", count: 500), String(repeating: "x", count: 501), long])
    #expect(Set(names.values).count == 4)
    #expect(names.values.allSatisfy { !$0.isEmpty && $0.utf8.count <= 128 })
  }

  @Test("A tool is a mutation only where it says so")
  func mutations() {
    func isMutation(_ hints: JSONValue) -> Bool? {
      MCPTools.offers([["name": "t", "annotations": hints]]) { _ in }.first?.isMutation
    }
    #expect(isMutation([:]) == false)
    #expect(isMutation(["readOnlyHint": false]) == true)
    #expect(isMutation(["destructiveHint": true]) == true)
    #expect(isMutation(["readOnlyHint": true, "destructiveHint": true]) == false)
  }
}
