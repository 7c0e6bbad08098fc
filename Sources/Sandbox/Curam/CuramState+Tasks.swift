internal import HTTPServer
internal import JSON

extension CuramState {
  /// Answers for the site's own resource by what follows its path: nothing for the list, a task's id, an id and `close`.
  mutating func answerTasks(_ request: ServerRequest, _ rest: [Substring]) throws(CuramError) -> ServerResponse {
    guard let first = rest.first else { return try list(request) }
    guard let index = tasks.firstIndex(where: { $0.id == first }) else { throw .notFound }
    switch (request.method, rest.dropFirst()) {
    case ("GET", []): return .json(shown(tasks[index].json))
    case ("POST", ["close"]):
      guard tasks[index].isOpen else { throw .badRequest }
      tasks[index].isOpen = false
      closings[tasks[index].id, default: 0] += 1
      writes += 1
      return .json(shown(tasks[index].json))
    case (_, []), (_, ["close"]): throw .page(405, "Method Not Allowed")
    default: throw .notFound
    }
  }

  private func list(_ request: ServerRequest) throws(CuramError) -> ServerResponse {
    guard request.method == "GET" else { throw .page(405, "Method Not Allowed") }
    let status = request.query.first { $0.name == "status" }?.value
    guard [nil, "OPEN", "CLOSED"].contains(status) else { throw .badRequest }
    let found = tasks.filter { status == nil || $0.status == status }
    return .json(["data": JSONValue(array: found.map { shown($0.json) })])
  }

  // MARK: - Other people

  /// Adds a task at the end of the list.
  ///
  /// - Returns: Its id.
  @discardableResult
  package mutating func makeTask(
    _ subject: String, concernRole: String? = nil, deadline: String? = nil, reservedBy: String? = nil
  ) -> String {
    lastID += 1
    tasks.append(
      CuramTask(
        id: "\(lastID)", subject: subject, concernRole: concernRole, deadline: deadline, reservedBy: reservedBy))
    return "\(lastID)"
  }

  /// Closes a task as somebody else; not counted as a closing.
  ///
  /// - Throws: `ControlError` when there is none with that id.
  package mutating func closeElsewhere(_ id: String) throws(ControlError) {
    guard let index = tasks.firstIndex(where: { $0.id == id }) else { throw .notFound("There is no task \(id).") }
    tasks[index].isOpen = false
  }

  mutating func controlTasks(_ request: ServerRequest, _ path: [String]) throws(ControlError) -> JSONValue {
    switch (request.method, path) {
    case ("GET", []): return JSONValue(array: tasks.map(\.json))
    case ("POST", []):
      let body = try ControlBody(of: request, taking: ["subject", "concernRole", "deadline", "reservedBy"])
      let id = makeTask(
        try body.need("subject", try body.string("subject")), concernRole: try body.string("concernRole"),
        deadline: try body.string("deadline"), reservedBy: try body.string("reservedBy"))
      return ["id": .init(id)]
    case ("POST", _) where path.count == 2 && path[1] == "close":
      try closeElsewhere(path[0])
      return .emptyObject
    default: throw Self.unknownControl(request)
    }
  }
}

extension CuramTask {
  var status: String { isOpen ? "OPEN" : "CLOSED" }

  var json: JSONValue {
    [
      "taskID": .init(id), "subject": .init(subject), "status": .init(status), "priority": "TP2",
      "reservedBy": reservedBy.map { .init($0) } ?? .null, "deadline": deadline.map { .init($0) } ?? .null,
      "concernRoleID": concernRole.map { .init($0) } ?? .null,
    ]
  }
}
