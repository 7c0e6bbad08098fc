internal import HTTPServer
internal import JSON
internal import Timing

extension TodoistState {
  private func object(_ request: ServerRequest) throws(TodoistError) -> JSONValue {
    guard let json = try? JSONValue(parsing: request.body), json.object != nil else { throw .invalid("body") }
    return json
  }

  mutating func createTask(_ request: ServerRequest) throws(TodoistError) -> ServerResponse {
    let body = try object(request)
    guard let content = body["content"]?.string, !content.isEmpty else { throw .invalid("content") }
    let projectID = body["project_id"]?.string ?? projects.first?.id ?? ""
    _ = try project(projectID)
    var task = TodoistTask(
      id: Self.newID(), projectID: projectID, content: content, addedAt: clock.now, updatedAt: clock.now,
      userID: configuration.userID)
    try set(body, in: &task)
    tasks.append(task)
    return .json(task.json)
  }

  mutating func updateTask(_ id: String, _ request: ServerRequest) throws(TodoistError) -> ServerResponse {
    let index = try index(id)
    let body = try object(request)
    var task = tasks[index]
    try set(body, in: &task)
    task.updatedAt = clock.now
    tasks[index] = task
    return .json(task.json)
  }

  private func set(_ body: JSONValue, in task: inout TodoistTask) throws(TodoistError) {
    guard let members = body.object else { return }
    for (name, value) in members {
      switch name {
      case "content": task.content = try need(value.string, name)
      case "description": task.description = try need(value.string, name)
      case "priority":
        let priority = try need(value.int, name)
        guard (1...4).contains(priority) else { throw .invalid(name) }
        task.priority = Int(priority)
      case "labels": task.labels = try need(value.array?.compactMap(\.string), name)
      case "due_string":
        let text = try need(value.string, name)
        task.due = text == "no date" ? nil : try need(TodoistDue(string: text, today: clock.now.utc.date), name)
      case "due_date":
        // Sent alone it ends the recurrence.
        let day = try need(value.string.flatMap { CivilDate(iso: $0) }, name)
        if body["due_string"] == nil { task.due = TodoistDue(date: day.description) }
      case "due_datetime":
        let time = try need(value.string.flatMap { Timestamp(rfc3339: $0) }, name)
        if body["due_string"] == nil { task.due = TodoistDue(date: time.rfc3339, timezone: "UTC") }
      default: continue
      }
    }
  }

  private func need<Value>(_ value: Value?, _ name: String) throws(TodoistError) -> Value {
    guard let value else { throw .invalid(name) }
    return value
  }

  mutating func close(_ id: String) throws(TodoistError) {
    let index = try index(id)
    closings[id, default: 0] += 1
    close(at: index)
  }

  /// A recurring task stays open and moves to its next date.
  mutating func close(at index: Int) {
    tasks[index].updatedAt = clock.now
    if let next = tasks[index].due?.next {
      tasks[index].due = next
    } else if !tasks[index].isChecked {
      tasks[index].isChecked = true
      tasks[index].completedAt = clock.now
    }
  }

  mutating func reopen(_ id: String) throws(TodoistError) {
    let index = try index(id)
    tasks[index].isChecked = false
    tasks[index].completedAt = nil
    tasks[index].updatedAt = clock.now
  }

  // MARK: - Sync

  mutating func sync(_ request: ServerRequest) throws(TodoistError) -> ServerResponse {
    let body = try syncBody(request)
    let commands = body["commands"]?.array.map(Array.init) ?? []
    guard commands.count <= 100 else { throw .invalid("commands") }
    var statuses: [(String, JSONValue)] = []
    for command in commands {
      guard let uuid = command["uuid"]?.string else { throw .invalid("commands") }
      statuses.append((uuid, carryOut(command, uuid)))
    }
    var members: [(String, JSONValue)] = [("sync_token", .init(RandomText.lowerHex(24))), ("full_sync", true)]
    let types = body["resource_types"]?.array?.compactMap(\.string) ?? []
    // No token is kept here, so that each of them is an old one and all is sent again.
    if types.contains("all") || types.contains("items") { members.append(("items", .init(array: tasks.map(\.json)))) }
    if types.contains("all") || types.contains("projects") {
      members.append(("projects", .init(array: projects.map(\.json))))
    }
    members += [("sync_status", .init(object: statuses)), ("temp_id_mapping", .emptyObject)]
    return .json(.init(object: members))
  }

  private func syncBody(_ request: ServerRequest) throws(TodoistError) -> JSONValue {
    guard request.headers["Content-Type"]?.hasPrefix("application/x-www-form-urlencoded") == true else {
      return try object(request)
    }
    guard let items = ServerRequest.queryItems(Substring(String(decoding: request.body, as: UTF8.self))) else {
      throw .invalid("body")
    }
    return JSONValue(object: items.map { ($0.name, (try? JSONValue(parsing: $0.value)) ?? .init($0.value)) })
  }

  /// A command that was carried out before is not carried out again.
  private mutating func carryOut(_ command: JSONValue, _ uuid: String) -> JSONValue {
    if commands.contains(uuid) { return "ok" }
    guard command["type"]?.string == "item_close", let id = command["args"]?["id"]?.string else {
      return Self.status(20, "INVALID_ARGUMENT_VALUE", "Invalid argument value", 400)
    }
    do throws(TodoistError) {
      try close(id)
    } catch {
      return Self.status(22, "ITEM_NOT_FOUND", "Item not found", 404)
    }
    commands.insert(uuid)
    return "ok"
  }

  private static func status(_ code: Int, _ tag: String, _ message: String, _ status: Int) -> JSONValue {
    [
      "error": .init(message), "error_code": .init(code), "error_tag": .init(tag), "http_code": .init(status),
      "error_extra": [:],
    ]
  }
}
