import JSON
import RingiCore
import RingiModel
import Testing
import Timing

@Suite struct EventFilterTests {
  private let event = Event(
    id: "01J", source: "ringi://host/sap", type: .taskReady, time: Timestamp(milliseconds: 0), subject: "sap/1",
    sequence: 7,
    data: [
      "task": [
        "provider": "sap", "priority": "high", "assignees": ["A", "B"], "raw": ["amount": 100, "note": .null],
      ],
      "via": "agent",
    ])

  private func matches(_ types: [String] = ["*"], _ conditions: JSONValue? = nil) -> Bool {
    EventFilter(types: types, where: conditions).matches(event)
  }

  @Test func oneOfTheTypesIsEnough() {
    #expect(matches(["task-ready"]))
    #expect(matches(["task-*"]))
    #expect(matches(["approval-done", "*-ready"]))
    #expect(!matches(["approval-done", "task-gone"]))
    #expect(!matches(["task"]))
    #expect(!matches([]))
  }

  @Test func aPathIsLookedForInTheDataThenInItsTaskThenInTheEnvelope() {
    #expect(matches(where: ["via": "agent"]))
    #expect(matches(where: ["task.priority": "high"]))
    #expect(matches(where: ["provider": "sap"]))
    #expect(matches(where: ["raw.amount": 100]))
    #expect(matches(where: ["subject": "sap/1"]))
    #expect(matches(where: ["sequence": 7]))
    #expect(matches(where: ["data.task.provider": "sap"]))
  }

  @Test func everyConditionHasToHold() {
    #expect(matches(where: ["provider": "sap", "task.priority": "high"]))
    #expect(!matches(where: ["provider": "sap", "task.priority": "low"]))
    #expect(!matches(["task-gone"], ["provider": "sap"]))
    #expect(matches(where: [:]))
    #expect(matches(where: .null))
  }

  @Test func anArrayTakesAnyOfItsValues() {
    #expect(matches(where: ["task.priority": ["urgent", "high"]]))
    #expect(!matches(where: ["task.priority": ["urgent", "low"]]))
    #expect(!matches(where: ["task.priority": []]))
  }

  @Test func valuesAreComparedWithTheirKinds() {
    #expect(!matches(where: ["raw.amount": "100"]))
    #expect(!matches(where: ["task.priority": true]))
  }

  @Test func whatIsNotThereIsNull() {
    #expect(matches(where: ["task.none": .null]))
    #expect(matches(where: ["raw.note": .null]))
    #expect(matches(where: ["task.none": ["x", .null]]))
    #expect(!matches(where: ["task.none": "x"]))
    #expect(!matches(where: ["task.priority.deeper": "high"]))
  }

  private func matches(where conditions: JSONValue) -> Bool { matches(["*"], conditions) }
}
