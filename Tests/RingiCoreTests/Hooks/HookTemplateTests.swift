import JSON
import RingiModel
import Testing
import Timing

@testable import RingiCore

@Suite struct HookTemplateTests {
  private static let event = Event(
    id: "01J", source: "ringi://h/p", type: .taskReady, time: Timestamp(milliseconds: 0), subject: "p/1", sequence: 7,
    data: ["task": ["id": "p/1", "title": "say \"hi\" \\ ${task.id}", "due": .null, "amounts": [1, 2.5]], "n": 3])

  @Test(
    arguments: [
      ("${task.id}", "p/1"), ("${n}", 3), ("${task.amounts}", [1, 2.5]), ("${task.due}", .null), ("${sequence}", 7),
      ("${title}", "say \"hi\" \\ ${task.id}"), ("${data.n}", 3),
      ("<${task.title}>", "<say \"hi\" \\ ${task.id}>"), ("${n}/${task.due}/${task.amounts}", "3//[1,2.5]"),
      ("$${task.id} costs $5 {x} ${", "${task.id} costs $5 {x} ${"), ("", ""), (true, true),
      (["a": ["${n}", ["${n}": "x"]]], ["a": [3, ["${n}": "x"]]]),
    ] as [(JSONValue, JSONValue)])
  func valuesTakeTheirPlacesAsValues(_ template: JSONValue, _ filled: JSONValue) throws {
    #expect(try HookTemplate.fill(template, from: Self.event) == filled)
  }

  @Test(arguments: ["${task.nothing}", "a ${nothing} b", "${}", "${task.id.deeper}", "${ n }"])
  func anUnknownPlaceholderIsNamed(_ template: String) {
    let error = #expect(throws: HookTemplate.UnknownPlaceholder.self) {
      try HookTemplate.fill([JSONValue(template)], from: Self.event)
    }
    #expect(error.map { template.contains("${\($0.path)}") } == true)
  }
}
