import JSON
import RingiModel
import Testing
import Timing

@Suite struct EventTests {
  private func event(subject: String? = "sap/1", causes: [String] = []) -> Event {
    Event(
      id: "01J", source: "ringi://host/sap", type: .taskReady, time: Timestamp(milliseconds: 1_795_996_800_000),
      subject: subject, sequence: 42, data: ["task": ["id": "sap/1"]], causes: causes)
  }

  @Test func theEnvelopeIsACloudEvent() {
    #expect(
      event().json
        == [
          "specversion": "1.0", "id": "01J", "source": "ringi://host/sap", "type": "task-ready",
          "time": "2026-11-30T00:00:00Z", "subject": "sap/1", "sequence": 42, "datacontenttype": "application/json",
          "data": ["task": ["id": "sap/1"]],
        ])
  }

  @Test func anEventAboutNothingInParticularHasNoSubject() {
    #expect(event(subject: nil).json["subject"] == nil)
  }

  @Test func causesAreOneAttributeSinceCloudEventsHasNoArrays() {
    #expect(event(causes: ["01A", "01B"]).json["causes"] == "01A 01B")
    #expect(event().json["causes"] == nil)
  }

  @Test func theContractsTypesAreTheAgentsOwn() {
    let types = [
      "task-ready", "task-changed", "task-gone", "approval-done", "poll-failed", "poll-recovered", "plugin-down",
      "plugin-up", "login-required", "events-lost",
    ]
    for type in types { #expect(EventType.builtIn.contains(EventType(type)), "\(type)") }
    #expect(!EventType.builtIn.contains(EventType("order-placed")))
  }
}
