import RingiModel
import Testing

@Suite struct DecisionTests {
  @Test(arguments: [(Decision.Kind.approve, TaskItem.Outcome.approved), (.reject, .rejected), (.complete, .completed)])
  func eachDecisionHasItsOutcome(kind: Decision.Kind, outcome: TaskItem.Outcome) {
    #expect(kind.outcome == outcome)
  }
}
