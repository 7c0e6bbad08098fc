import Testing
import Text

@Suite struct NearestTests {
  @Test(arguments: [("taks", "tasks"), ("aprove", "approve"), ("settigns", "settings"), ("tasks", "tasks")])
  func aSlipFindsItsWord(slip: String, word: String) {
    #expect(nearest(to: slip, among: ["approve", "reject", "settings", "tasks"]) == word)
  }

  @Test(arguments: ["", "banana", "x"])
  func anotherWordFindsNothing(word: String) {
    #expect(nearest(to: word, among: ["approve", "reject", "settings", "tasks"]) == nil)
  }

  @Test func theFirstOfTheClosestIsTaken() {
    #expect(nearest(to: "tack", among: ["back", "tick", "tank"]) == "back")
  }
}
