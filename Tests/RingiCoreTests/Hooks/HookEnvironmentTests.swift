import Foundation
import JSON
import RingiModel
import Testing
import Timing

@testable import RingiCore

@Suite struct HookEnvironmentTests {
  @Test func programsGetTheUsualVariablesAndNoOthers() {
    let given = [
      "PATH": "/bin", "HOME": "/h", "LC_ALL": "C", "XDG_RUNTIME_DIR": "/run", "RINGI_SOCKET": "/s",
      "RINGI_TASK_ID": "of another agent", "RINGI_EVENT_ID": "too", "AWS_SECRET": "x", "LD_PRELOAD": "y", "LCD": "z",
    ]
    #expect(
      HookEnvironment.base(of: given) == [
        "PATH": "/bin", "HOME": "/h", "LC_ALL": "C", "XDG_RUNTIME_DIR": "/run", "RINGI_SOCKET": "/s",
      ])
  }

  @Test func anEventWithoutATaskSaysNothingOfOne() {
    #expect(
      variables(.emptyObject) == [
        "RINGI_EVENT_ID": "01J", "RINGI_EVENT_TYPE": "x", "RINGI_EVENT_SEQUENCE": "7",
      ])
  }

  @Test func longValuesAreCutBetweenCharacters() {
    let title = "a" + String(repeating: "稟", count: 3000)
    let value = variables(["task": ["title": JSONValue(title), "id": "p/1"]])["RINGI_TASK_TITLE"]
    // One byte, and 2730 times three: a whole character more would be over.
    #expect(value == "a" + String(repeating: "稟", count: 2730))
    #expect(variables(["task": ["title": "a\0\0b\0"]])["RINGI_TASK_TITLE"] == "ab")
  }

  @Test func secretsAreTakenOutBeforeAValueIsCut() {
    for offset in 8180..<8195 {
      let title = String(repeating: ".", count: offset) + "sesame"
      let value = variables(["task": ["title": JSONValue(title)]])["RINGI_TASK_TITLE"]
      #expect(value?.allSatisfy { ".•".contains($0) } == true)
    }
  }

  private func variables(_ data: JSONValue) -> [String: String] {
    HookEnvironment.variables(
      for: Event(
        id: "01J", source: "s", type: EventType("x"), time: Timestamp(milliseconds: 0), subject: nil, sequence: 7,
        data: data)
    ) { $0.replacingOccurrences(of: "sesame", with: "•••") }
  }
}
