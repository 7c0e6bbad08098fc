import JSON
import Testing

@Suite struct JSONLocatorTests {
  private static let locator = JSONLocator(
    Array(
      """

        {"settings": {"hö st": "だ",
          "a\\u002fb": [1, {"x": 12345678901234567890}]},
         "hö": 1, "hö": 2}
      """.utf8))

  @Test(arguments: [
    ("", 2, 3),
    ("/settings", 2, 16),
    ("/settings/hö st", 2, 26),
    ("/settings/a~1b", 3, 17),
    ("/settings/a~1b/0", 3, 18),
    ("/settings/a~1b/1/x", 3, 27),
    ("/hö", 4, 19),
  ])
  func findsTheValue(_ pointer: String, line: Int, column: Int) throws {
    let pointer = try #require(JSONPointer(pointer))
    #expect(Self.locator.place(of: pointer) == TextPlace(line: line, column: column))
  }

  @Test func findsTheKeyOfAMemberAndTheValueOfAnElement() {
    #expect(Self.locator.place(of: JSONPointer(tokens: ["settings", "a/b"]), .key).description == "3:5")
    #expect(Self.locator.place(of: JSONPointer(tokens: ["settings", "a/b", "1"]), .key).description == "3:21")
  }

  @Test func whatIsMissingIsWhereItsParentIs() {
    #expect(Self.locator.place(of: JSONPointer(tokens: ["settings", "port"])).description == "2:16")
    #expect(Self.locator.place(of: JSONPointer(tokens: ["settings", "a/b", "2", "x"]), .key).description == "3:17")
    #expect(Self.locator.place(of: JSONPointer(tokens: ["settings", "a/b", "01"])).description == "3:17")
    #expect(JSONLocator([]).place(of: .root).description == "1:1")
  }
}
