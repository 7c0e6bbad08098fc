import RingiCore
import Testing

@Suite struct GlobTests {
  @Test(arguments: [
    ("*", ""), ("*", "tasks.list"), ("tasks.*", "tasks.list"), ("tasks.*", "tasks."), ("*.list", "tasks.list"),
    ("t*s.l*t", "tasks.list"), ("tasks.list", "tasks.list"), ("**", "x"), ("a*b*c", "aXbYbZc"), ("", ""),
    ("*稟*", "x稟議"),
  ])
  func aStarStandsForAnyRunOfCharacters(pattern: String, name: String) {
    #expect(Glob(pattern).matches(name))
  }

  @Test(arguments: [
    ("tasks.*", "task.list"), ("tasks.*", "tasks"), ("tasks.*", "Tasks.list"), ("tasks.?ist", "tasks.list"),
    ("tasks.[l]ist", "tasks.list"), ("", "x"), ("*.list", "tasks.lists"), ("a*b*c", "aXbYb"), ("tasks", "tasks.list"),
  ])
  func everythingElseStandsForItself(pattern: String, name: String) {
    #expect(!Glob(pattern).matches(name))
  }

  @Test func aPatternOfManyStarsTakesNoTimeWorthTheName() {
    let pattern = Glob(String(repeating: "*a", count: 100) + "*b")
    #expect(!pattern.matches(String(repeating: "a", count: 10_000)))
  }
}
