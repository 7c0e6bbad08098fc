import JSON
import JSONRPC
import Testing

@testable import RingiCore

struct PluginAccessTests {
  private func isAllowed(_ method: String, _ params: JSONValue = [:], _ allow: [String]? = nil) -> Bool {
    (try? PluginAccess(allow?.map { Glob($0) }, instance: "p").check(method, params)) != nil
  }

  @Test("Without a list a plugin may call its own methods, publish, and act on its own tasks")
  func standard() throws {
    #expect(isAllowed("p.x") && isAllowed("events.publish"))
    #expect(isAllowed("tasks.approve", ["task": "p/1"]))
    #expect(!isAllowed("q.x") && !isAllowed("pq.x") && !isAllowed("plugins.restart") && !isAllowed("events.list"))
    #expect(!isAllowed("tasks.approve", ["task": "q/1"]) && !isAllowed("tasks.approve", ["task": "newest"]))
    #expect(!isAllowed("tasks.approve", ["p/1"]) && !isAllowed("tasks.approve"))
  }

  @Test("Lists of tasks are of its own alone")
  func lists() throws {
    let access = PluginAccess(nil, instance: "p")
    #expect(try access.check("tasks.list", ["limit": 1]) == ["limit": 1, "provider": "p"])
    #expect(!isAllowed("tasks.list", ["provider": "q"]))
  }

  @Test("A list says what may be called, and nothing else may")
  func list() {
    #expect(isAllowed("tasks.approve", ["task": "q/1"], ["tasks.*"]))
    #expect(!isAllowed("p.x", [:], ["tasks.*"]) && !isAllowed("p.x", [:], []))
  }
}
