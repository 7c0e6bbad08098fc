// A list of things to do as a task source, in Swift. Build it with the SDK:
//
//     swiftc -emit-library -static-stdlib -O -module-name Todo -I Sources/CRingiPlugin -o libTodo.so \
//       examples/plugins/Todo.swift sdk/swift/RingiPlugin.swift

let ringiPlugin: any RingiPlugin.Type = Todo.self

/// `@unchecked Sendable`: the agent calls it on one thread, since it describes no method as inline.
final class Todo: RingiPlugin, @unchecked Sendable {
  static let description: Value = [
    "name": "todo", "version": "1.0", "tasks": true,
    "methods": [
      [
        "name": "add", "summary": "Adds a task.", "mutation": true,
        "params": [
          "type": "object", "properties": ["title": ["type": "string", "minLength": 1]], "required": ["title"],
        ],
        "result": ["type": "string"],
      ]
    ],
    "settingsSchema": [
      "type": "object", "additionalProperties": false,
      "properties": ["first": ["type": "array", "items": ["type": "string"]]],
    ],
  ]

  private struct Item {
    let key: String
    let title: String
    var outcome: String?

    var task: Value {
      guard let outcome else { return ["id": Value(key), "title": Value(title)] }
      return ["id": Value(key), "title": Value(title), "status": "done", "outcome": Value(outcome)]
    }
  }

  private let host: Host
  private var items: [Item] = []

  init(host: Host, settings: Value) throws {
    self.host = host
    let kept = try host.state("titles")
    for title in (kept.isNull ? settings["first"] ?? [] : kept).array ?? [] {
      if let title = title.string { append(title) }
    }
  }

  func answer(_ method: String, _ params: Value, _ call: Call) throws -> Value? {
    switch method {
    case "add": return try add(params["title"]?.string ?? "")
    case "tasks.list": return ["tasks": Value(items.filter { $0.outcome == nil }.map(\.task))]
    case "tasks.get": return index(params).map { items[$0].task } ?? .null
    case "tasks.complete": return try complete(params)
    default: throw Failure("not-found", "There is no \(method).")
    }
  }

  private func append(_ title: String) { items.append(Item(key: "\(items.count + 1)", title: title)) }

  private func index(_ params: Value) -> Int? {
    let key = params["task"]?.string
    return items.firstIndex { $0.key == key }
  }

  private func add(_ title: String) throws -> Value {
    try host.setState("titles", Value((items.map(\.title) + [title]).map { Value($0) }))
    append(title)
    host.publish("todo-added", subject: title)
    return Value(items[items.count - 1].key)
  }

  private func complete(_ params: Value) throws -> Value {
    guard let index = index(params) else { throw Failure("not-found", "There is no such task.") }
    guard items[index].outcome == nil else {
      throw Failure("conflict", "It was decided already.", data: ["task": items[index].task])
    }
    items[index].outcome =
      switch params["action"]?.string {
      case "approve": "approved"
      case "reject": "rejected"
      default: "completed"
      }
    return items[index].task
  }
}
