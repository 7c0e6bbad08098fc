import Testing

@testable import RingiCore

struct ChangesTests {
  private struct Thing: Equatable {
    var name: String
    var content = 0
  }

  @Test func whatIsNewGoneOrDifferentIsToldApart() {
    let old = [Thing(name: "gone"), Thing(name: "same"), Thing(name: "other")]
    let new = [Thing(name: "other", content: 1), Thing(name: "same"), Thing(name: "new")]
    let changes = Changes(old, new, \.name)
    #expect(changes.added == [Thing(name: "new")])
    #expect(changes.removed == [Thing(name: "gone")])
    #expect(changes.changed == [Thing(name: "other", content: 1)])
    #expect(changes.names == ["gone", "new", "other"])
  }

  @Test func theSameThingsInAnotherOrderAreNoChange() {
    let things = [Thing(name: "a"), Thing(name: "b")]
    #expect(Changes(things, things.reversed(), \.name).names.isEmpty)
  }
}
