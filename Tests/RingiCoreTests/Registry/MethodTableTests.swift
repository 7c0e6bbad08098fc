import JSON
import RingiCore
import RingiKit
import Testing

@Suite struct MethodTableTests {
  private func table(_ names: [String]) -> MethodTable {
    MethodTable(
      names.map { Method($0, "A method.", params: .object([:]), result: .null, handler: .sync { _, _ in .null }) })
  }

  @Test func everyNameOfManyIsFoundAndNoOther() {
    let names = (0..<3000).map { "plugin\($0 % 7).method\($0)" }
    let table = table(names)
    for name in names { #expect(table.index(of: name).map { table.methods[$0].name } == name) }
    for name in ["", "plugin", "plugin0.method", "plugin0.method00", "plugin1.method0"] {
      #expect(table.index(of: name) == nil)
    }
  }

  @Test func methodsAreListedByName() {
    #expect(table(["b.z", "a.b", "b.a"]).methods.map(\.name) == ["a.b", "b.a", "b.z"])
  }

  @Test func anEmptyTableFindsNothing() {
    #expect(table([]).index(of: "agent.ping") == nil)
  }
}
