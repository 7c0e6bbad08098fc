import RingiCore
import RingiTestSupport
import Testing

@Suite struct ProblemsTests {
  @Test func eachMatterHasOneSentenceUntilItIsMended() async throws {
    try await onLoop {
      let problems = Problems()
      problems.report("hook a", "A is broken.")
      problems.report("hook b", "B is broken.")
      problems.report("hook a", "A is broken otherwise.")
      #expect(problems.sentences == ["B is broken.", "A is broken otherwise."])
      problems.resolve("hook b")
      #expect(problems.sentences == ["A is broken otherwise."])
      problems.report("file x", "X is broken.")
      problems.resolveAll(prefix: "hook ")
      #expect(problems.sentences == ["X is broken."])
    }
  }
}
