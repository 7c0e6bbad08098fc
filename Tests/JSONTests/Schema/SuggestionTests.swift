import JSON
import Testing

@Suite struct SuggestionTests {
  @Test(arguments: [
    ("timeuot", "timeout"), ("Timeout", "timeout"), ("time", nil), ("por", "port"), ("prot", "port"), ("x", nil),
    ("pol", "poll"), ("usernam", "username"), ("", nil), ("banana", nil),
  ])
  func suggestsWhatASlipOfTheFingersMeant(_ word: String, _ expected: String?) {
    #expect(Suggestion.nearest(to: word, among: ["timeout", "port", "poll", "username"]) == expected)
  }

  @Test func theFirstOfTheNearestIsSuggested() {
    #expect(Suggestion.nearest(to: "cart", among: ["card", "care", "carts"]) == "card")
  }
}
