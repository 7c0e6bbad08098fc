// A task source to start from: a list of things to do, kept by the agent. docs/plugins.md and RingiPlugin.swift tell the
// rest. A library lives in the agent's own process, so a crash of it is one of the agent.

let ringiPlugin: any RingiPlugin.Type = Plugin.self

/// `@unchecked Sendable`: the agent calls it on one thread, since it describes no method as inline.
final class Plugin: RingiPlugin, @unchecked Sendable {
  static let description: Value = [
    "name": "@NAME@", "version": "1.0", "tasks": true,
    "methods": [
      [
        "name": "add", "summary": "Adds a task, and tells its id.", "mutation": true,
        "params": [
          "type": "object",
          "properties": [
            "title": ["type": "string"],
            "priority": ["enum": ["low", "medium", "high", "urgent"]],
          ],
          "required": ["title"], "additionalProperties": false,
        ],
        "result": ["type": "string"],
      ]
    ],
    "settingsSchema": [
      "type": "object", "properties": ["greeting": ["type": "string"]], "additionalProperties": false,
    ],
  ]

  /// Replace this by what your backend has.
  private struct Item {
    let id: String
    let title: String
    let priority: String
    var outcome: String?

    var task: Value {
      var members: [(String, Value)] = [("id", Value(id)), ("title", Value(title)), ("priority", Value(priority))]
      if let outcome { members.append(("outcome", Value(outcome))) }
      return Value(members: members)
    }
  }

  private let host: Host
  private var items: [Item]

  init(host: Host, settings: Value) throws {
    self.host = host
    items = (try host.state("tasks").array ?? [["id": "1", "title": "Write a plugin"]]).map { task in
      Item(
        id: task["id"]?.string ?? "", title: task["title"]?.string ?? "",
        priority: task["priority"]?.string ?? "medium",
        outcome: task["outcome"]?.string)
    }
    host.log(.info, settings["greeting"]?.string ?? "hello")
  }

  func answer(_ method: String, _ params: Value, _ call: Call) throws -> Value? {
    switch method {
    case "add": return try add(params)
    case "tasks.list": return ["tasks": Value(items.filter { $0.outcome == nil }.map(\.task))]
    case "tasks.get": return index(params).map { items[$0].task } ?? .null
    case "tasks.complete": return try complete(params)
    default: throw Failure("not-found", "There is no method \(method).")
    }
  }

  private func index(_ params: Value) -> Int? {
    let id = params["task"]?.string
    return items.firstIndex { $0.id == id }
  }

  /// Has the agent keep the items; then they are the plugin's.
  private func save(_ changed: [Item]) throws {
    try host.setState("tasks", Value(changed.map(\.task)))
    items = changed
  }

  private func add(_ params: Value) throws -> Value {
    let title = params["title"]?.string ?? ""
    let item = Item(id: "\(items.count + 1)", title: title, priority: params["priority"]?.string ?? "medium")
    try save(items + [item])
    host.publish("@NAME@-added", data: ["title": Value(title)])
    return Value(item.id)
  }

  private func complete(_ params: Value) throws -> Value {
    guard let index = index(params) else { throw Failure("not-found", "There is no such task.") }
    guard items[index].outcome == nil else {
      throw Failure("conflict", "It is decided already.", data: ["task": items[index].task])
    }
    let outcomes = ["approve": "approved", "reject": "rejected", "complete": "completed"]
    var changed = items
    changed[index].outcome = outcomes[params["action"]?.string ?? ""]
    try save(changed)
    return items[index].task
  }
}
