package import HTTPServer
package import JSON
internal import Timing

/// Other people, in the process or over `/_control/`.
extension WunderlistState {
  /// Makes a list as somebody else; gives its id.
  @discardableResult
  package mutating func makeList(_ title: String) -> Int64 { lists[addList(title)].id }

  /// Makes an open task as somebody else; gives its id.
  @discardableResult
  package mutating func makeTask(
    _ title: String, list: Int64, due: String? = nil, recurrence: (type: String, count: Int64)? = nil
  ) -> Int64 {
    var task = WunderlistTask(
      id: newID(), listID: list, title: title, revision: step(), createdAt: clock.now, createdByID: 7)
    task.dueDate = due
    (task.recurrenceType, task.recurrenceCount) = (recurrence?.type, recurrence?.count)
    tasks.append(task)
    bubble(from: list)
    return task.id
  }

  /// Changes a task as somebody else: without a change only its revision rises.
  package mutating func editTask(_ id: Int64, title: String? = nil, due: String? = nil) throws(ControlError) {
    let index = try index(id)
    var task = tasks[index]
    if let title { task.title = title }
    if let due { task.dueDate = due }
    store(task, at: index, wasOpen: !task.isCompleted)
  }

  /// Completes a task as somebody else; not counted as a completion.
  package mutating func completeElsewhere(_ id: Int64, by user: Int64 = 7) throws(ControlError) {
    let index = try index(id)
    var task = tasks[index]
    complete(&task, true, by: user)
    store(task, at: index, wasOpen: true)
  }

  package mutating func removeTask(_ id: Int64) throws(ControlError) {
    let list = tasks.remove(at: try index(id)).listID
    bubble(from: list)
  }

  package func task(_ id: Int64) -> WunderlistTask? { tasks.first { $0.id == id } }

  package mutating func revokeTokens() { tokens = [] }

  private func index(_ id: Int64) throws(ControlError) -> Int {
    guard let index = tasks.firstIndex(where: { $0.id == id }) else { throw .notFound("There is no task \(id).") }
    return index
  }

  package mutating func control(_ request: ServerRequest, _ path: [String]) throws(ControlError) -> JSONValue {
    switch (request.method, path.first, path.count) {
    case ("GET", "tasks", 1): return JSONValue(array: tasks.map { $0.json(showsOpen: true) })
    case ("POST", "tasks", 1):
      let body = try ControlBody(of: request, taking: ["title", "list", "due"])
      let list = try body.int("list").map { Int64($0) } ?? lists.first?.id ?? makeList("Inbox")
      let title = try body.string("title") ?? "Approve order"
      return ["id": .init(makeTask(title, list: list, due: try body.string("due")))]
    case ("POST", "tasks", 3) where path[2] == "complete": try completeElsewhere(try Self.id(path[1]))
    case ("DELETE", "tasks", 2): try removeTask(try Self.id(path[1]))
    case ("POST", "lists", 1):
      let body = try ControlBody(of: request, taking: ["title"])
      return ["id": .init(makeList(try body.string("title") ?? "List"))]
    case ("POST", "log-in", 1):
      isLoggedIn = try ControlBody(of: request, taking: ["loggedIn"]).bool("loggedIn") ?? true
    case ("POST", "tokens", 2) where path[1] == "revoke": revokeTokens()
    default: throw Self.unknownControl(request)
    }
    return .emptyObject
  }

  private static func id(_ text: String) throws(ControlError) -> Int64 {
    guard let id = Int64(text) else { throw .notFound("There is no task \(text).") }
    return id
  }
}
