package import HTTPServer
package import JSON
internal import Timing

/// Other people, in the process or over `/_control/`.
extension TodoistState {
  @discardableResult
  package mutating func makeProject(_ name: String) -> String {
    projects.append(TodoistProject(id: Self.newID(), name: name))
    return projects.last?.id ?? ""
  }

  /// Makes an open task as somebody else; gives its id.
  ///
  /// `due` is a day or a time as the service writes them, `every` a text such as `every 2 weeks`, `zone` the zone of a
  /// time that ends in `Z`; without a project it is in the inbox.
  @discardableResult
  package mutating func makeTask(
    _ content: String, due: String? = nil, every: String? = nil, zone: String? = nil, project: String? = nil,
    priority: Int = 1, labels: [String] = []
  ) -> String {
    var task = TodoistTask(
      id: Self.newID(), projectID: project ?? projects.first?.id ?? "", content: content, addedAt: clock.now,
      updatedAt: clock.now, userID: configuration.userID)
    (task.priority, task.labels) = (priority, labels)
    if let every, var recurring = TodoistDue(string: every, today: clock.now.utc.date) {
      if let due { recurring.date = due }
      recurring.timezone = zone
      task.due = recurring
    } else if let due {
      task.due = TodoistDue(date: due, timezone: zone)
    }
    tasks.append(task)
    return task.id
  }

  /// Changes a task as somebody else.
  package mutating func editTask(_ id: String, content: String? = nil, due: String? = nil) throws(ControlError) {
    let index = try place(id)
    if let content { tasks[index].content = content }
    if let due { tasks[index].due = TodoistDue(date: due) }
    tasks[index].updatedAt = clock.now
  }

  /// Closes a task as somebody else; not counted as a closing.
  package mutating func closeElsewhere(_ id: String) throws(ControlError) { close(at: try place(id)) }

  package mutating func removeTask(_ id: String) throws(ControlError) { tasks.remove(at: try place(id)) }

  package func task(_ id: String) -> TodoistTask? { tasks.first { $0.id == id } }

  /// Makes a token with some scopes.
  package mutating func makeToken(scopes: Set<String>) -> String {
    let token = RandomText.lowerHex(40)
    tokens[token] = scopes
    return token
  }

  package mutating func revokeTokens() { tokens = [:] }

  private func place(_ id: String) throws(ControlError) -> Int {
    guard let index = tasks.firstIndex(where: { $0.id == id }) else { throw .notFound("There is no task \(id).") }
    return index
  }

  private static func isDue(_ text: String) -> Bool {
    ["", "Z", "T00:00:00Z"].contains { Timestamp(rfc3339: text + $0) != nil }
  }

  package mutating func control(_ request: ServerRequest, _ path: [String]) throws(ControlError) -> JSONValue {
    switch (request.method, path.first, path.count) {
    case ("GET", "tasks", 1): return JSONValue(array: tasks.map(\.json))
    case ("POST", "tasks", 1):
      let body = try ControlBody(of: request, taking: ["content", "due", "every", "zone", "project", "priority"])
      let due = try body.string("due")
      if let due, !Self.isDue(due) {
        throw .invalid("due takes a day such as 2026-11-30, or a time such as 2026-11-30T12:00:00Z.")
      }
      return [
        "id": .init(
          makeTask(
            try body.string("content") ?? "Approve order", due: due, every: try body.string("every"),
            zone: try body.string("zone"), project: try body.string("project"),
            priority: try body.int("priority") ?? 1))
      ]
    case ("POST", "tasks", 3) where path[2] == "close": try closeElsewhere(path[1])
    case ("DELETE", "tasks", 2): try removeTask(path[1])
    case ("POST", "projects", 1):
      let body = try ControlBody(of: request, taking: ["name"])
      return ["id": .init(makeProject(try body.string("name") ?? "Project"))]
    case ("POST", "log-in", 1):
      isLoggedIn = try ControlBody(of: request, taking: ["loggedIn"]).bool("loggedIn") ?? true
    case ("POST", "tokens", 2) where path[1] == "revoke": revokeTokens()
    default: throw Self.unknownControl(request)
    }
    return .emptyObject
  }
}
