import JSON
import JSONRPC
import RingiModel
import Testing
import Timing

@testable import RingiCore

struct PluginTaskTests {
  @Test("An id and a title make a task that waits for a decision")
  func least() throws {
    let task = try PluginTask.read(["id": "7", "title": "Order"], of: "p")
    #expect(task.id.description == "p/7" && task.title == "Order" && task.status == .ready)
    #expect(task.actions == [.approve, .reject] && task.priority == .medium && task.raw.isNull)
  }

  @Test("The id may be a number, or bear the instance's name")
  func ids() throws {
    #expect(try PluginTask.read(["id": 7, "title": ""], of: "p").id.key == "7")
    #expect(try PluginTask.read(["id": "p/7", "title": ""], of: "p").id.key == "7")
    #expect(try PluginTask.read(["id": "q/7", "title": ""], of: "p").id.key == "q/7")
  }

  @Test("What a client gets of a task is read as the same task")
  func roundTrip() throws {
    let task = TaskItem(
      id: TaskItem.ID(provider: "p", key: "1"), title: "T", status: .claimed, requester: "R", assignees: ["a"],
      priority: .high, createdAt: .init(rfc3339: "2026-11-30T05:09:00Z"), dueAt: .init(rfc3339: "2026-12-01T00:00:00Z"),
      url: "https://x", actions: [.approve, .release], raw: ["x": 1])
    #expect(try PluginTask.read(task.json(), of: "p") == task)
  }

  @Test("What a decision rests on is part of the revision; what the backend keeps besides is not")
  func revision() throws {
    func revision(_ more: JSONValue) throws -> String {
      try PluginTask.read(more.merging(["id": "1", "title": "T"]), of: "p").revision
    }
    #expect(try revision(["decisive": ["amount": 1]]) != revision(["decisive": ["amount": 2]]))
    #expect(try revision(["raw": 1]) == revision(["raw": 2]))
  }

  @Test(
    "What can't be a task is refused by the member's name",
    arguments: [
      (["title": "T"], "no id"), (["id": "1", "title": 5], "title"), (["id": "1", "status": "open"], "status"),
      (["id": "1", "dueAt": "tomorrow"], "dueAt"), (["id": "1", "actions": ["eat"]], "actions"), ("x", "object"),
      (["id": "1", "assignees": "me"], "assignees"), (["id": ""], "id"), (["id": "1", "priority": 3], "priority"),
    ] as [(JSONValue, String)])
  func mistakes(json: JSONValue, word: String) throws {
    let error = #expect(throws: RPCError.self) { try PluginTask.read(json, of: "p") }
    #expect(error?.kind == "backend-error" && error?.message.contains(word) == true, "\(error?.message ?? "")")
  }
}
