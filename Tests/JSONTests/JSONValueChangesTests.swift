import JSON
import Testing

@Suite struct JSONValueChangesTests {
  static let value: JSONValue = ["a": 1, "b": ["x": 1], "c": 3]

  @Test func settingChangesACopy() {
    #expect(Self.value.setting("b", to: "new").description == #"{"a":1,"b":"new","c":3}"#)
    #expect(Self.value.setting("d", to: nil as JSONValue).description == #"{"a":1,"b":{"x":1},"c":3,"d":null}"#)
    #expect(Self.value.description == #"{"a":1,"b":{"x":1},"c":3}"#)
  }

  @Test func settingToNothingRemoves() {
    #expect(Self.value.setting("b", to: nil).description == #"{"a":1,"c":3}"#)
    #expect(Self.value.setting("missing", to: nil) == Self.value)
    #expect(JSONValue.emptyObject.setting("", to: 1).setting("", to: nil) == .emptyObject)
  }

  @Test func mergingTakesTheOthersMembersWhole() {
    #expect(Self.value.merging(["b": ["y": 2], "e": 5]).description == #"{"a":1,"b":{"y":2},"c":3,"e":5}"#)
    #expect(Self.value.merging(.emptyObject) == Self.value)
    #expect(Self.value.description == #"{"a":1,"b":{"x":1},"c":3}"#)
  }

  @Test func whatIsNoObjectCountsAsAnEmptyOne() {
    #expect(JSONValue.null.setting("a", to: 1) == ["a": 1])
    #expect(JSONValue("x").merging(["a": 1]) == ["a": 1])
    #expect(Self.value.merging([1]) == Self.value)
  }
}
