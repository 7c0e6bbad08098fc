package import HTTPServer
internal import JSON
internal import Timing

extension TodoistState {
  package mutating func process(_ request: ServerRequest) -> ServerResponse {
    var response: ServerResponse
    do throws(TodoistError) {
      response = try answer(request)
    } catch {
      response = error.response
    }
    if let warning = switches.warning { response.headers.add("warning", warning) }
    return response
  }

  private mutating func answer(_ request: ServerRequest) throws(TodoistError) -> ServerResponse {
    let path = request.segments
    if path.first == "oauth" { return loginAnswer(request) }
    if path.first == "rest" || path.starts(with: ["sync", "v8"]) || path.starts(with: ["sync", "v9"]) { throw .gone }
    guard path.starts(with: Self.basePath) else { throw .notFound }
    guard request.body.count <= 1 << 20 else { throw .tooLarge(status: switches.tooLargeStatus) }
    let scopes = try scopes(of: request)
    guard rateLimit.allows(switches.rateLimit, at: clock.now) else {
      throw .limit(switches.limitStyle, seconds: rateLimit.secondsLeft(at: clock.now))
    }
    let id = request.headers["X-Request-Id"]
    guard id.map({ $0.utf8.count <= 36 }) ?? true else { throw .invalid("X-Request-Id") }
    if switches.dedupsRequestIDs, request.method == "POST", let id, let known = answers[id] { return known }
    let response = try dispatch(request, Array(path.dropFirst(Self.basePath.count)), scopes)
    if let id { answers[id] = response }
    return response
  }

  /// The scopes of the sender; nil is all.
  private func scopes(of request: ServerRequest) throws(TodoistError) -> Set<String>? {
    guard let header = request.headers["Authorization"], header.hasPrefix("Bearer "),
      let scopes = tokens[String(header.dropFirst("Bearer ".count))]
    else { throw .unauthorized }
    return scopes
  }

  private mutating func dispatch(
    _ request: ServerRequest, _ path: [String], _ scopes: Set<String>?
  ) throws(TodoistError) -> ServerResponse {
    func need(_ any: String...) throws(TodoistError) {
      guard scopes.map({ !$0.isDisjoint(with: any) }) ?? true else { throw .scope }
    }
    let route = path.first.map { ([$0] + (path.count > 1 ? ["*"] : []) + path.dropFirst(2)).joined(separator: "/") }
    switch (request.method, route) {
    case ("GET", _): try need("data:read", "data:read_write")
    case ("POST", "tasks"): try need("task:add", "data:read_write")
    case ("DELETE", _): try need("data:delete")
    default: try need("data:read_write")
    }
    switch (request.method, route) {
    case ("GET", "user"):
      return .json(["id": .init(configuration.userID), "full_name": .init(configuration.userName)])
    case ("GET", "projects"): return try page(projects.map(\.json), "results", request)
    case ("GET", "projects/*"): return .json(try project(path[1]).json)
    case ("GET", "tasks"): return try page(try openTasks(request).map(\.json), "results", request)
    case ("POST", "tasks"): return try createTask(request)
    case ("GET", "tasks/*/by_completion_date") where path[1] == "completed":
      return try page(try completedTasks(request).map(\.json), "items", request)
    case ("GET", "tasks/*"): return .json(tasks[try index(path[1])].json)
    case ("POST", "tasks/*"): return try updateTask(path[1], request)
    case ("DELETE", "tasks/*"):
      tasks.remove(at: try index(path[1]))
      return ServerResponse(status: 204)
    case ("POST", "tasks/*/close"):
      try close(path[1])
      return switches.closeStatus == 204 ? ServerResponse(status: 204) : .json(.null)
    case ("POST", "tasks/*/reopen"):
      try reopen(path[1])
      return switches.closeStatus == 204 ? ServerResponse(status: 204) : .json(.null)
    case ("POST", "sync"): return try sync(request)
    case (_, "tasks/*"): throw .method(allowed: "GET, POST, DELETE")
    default: throw .notFound
    }
  }

  // MARK: - Reading

  /// Finds a task by its opaque id.
  func index(_ id: String) throws(TodoistError) -> Int {
    guard !id.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      throw .oldID(status: switches.numericIDStatus)
    }
    guard let index = tasks.firstIndex(where: { $0.id == id }) else { throw .notFound }
    return index
  }

  func project(_ id: String) throws(TodoistError) -> TodoistProject {
    guard let project = projects.first(where: { $0.id == id }) else { throw .notFound }
    return project
  }

  private func openTasks(_ request: ServerRequest) throws(TodoistError) -> [TodoistTask] {
    func value(_ name: String) -> String? { request.query.first { $0.name == name }?.value }
    let ids = value("ids")?.split(separator: ",").map(String.init)
    if let id = value("project_id") { _ = try project(id) }
    return tasks.filter { task in
      !task.isChecked && value("project_id").map { $0 == task.projectID } ?? true
        && value("label").map { task.labels.contains($0) } ?? true && ids?.contains(task.id) ?? true
    }
  }

  private func completedTasks(_ request: ServerRequest) throws(TodoistError) -> [TodoistTask] {
    func time(_ name: String) throws(TodoistError) -> Timestamp {
      let text = request.query.first { $0.name == name }?.value
      guard let time = text.flatMap({ Timestamp(rfc3339: $0) }) else { throw .invalid(name) }
      return time
    }
    let (since, until) = (try time("since"), try time("until"))
    guard until.duration(since: since) <= .seconds(93 * 86_400) else { throw .invalid("until") }
    return tasks.filter { $0.completedAt.map { since <= $0 && $0 < until } ?? false }
  }

  /// A page of rows and the cursor of the next one, which is good for the same question alone.
  private mutating func page(
    _ rows: [JSONValue], _ name: String, _ request: ServerRequest
  ) throws(TodoistError) -> ServerResponse {
    func value(_ name: String) -> String? { request.query.first { $0.name == name }?.value }
    let limit = try value("limit").map { text throws(TodoistError) in
      guard let limit = Int(text), (1...200).contains(limit) else { throw .invalid("limit") }
      return limit
    }
    let others = request.query.filter { $0.name != "cursor" }
    var offset = 0
    if let text = value("cursor") {
      guard let cursor = cursors[text], cursor.query == others, cursor.path == request.segments else {
        throw .invalid("cursor")
      }
      offset = cursor.offset
    }
    let end = offset + (limit ?? 50)
    var next: JSONValue = .null
    if end < rows.count {
      // On purpose with characters that must be encoded.
      let cursor = "\(RandomText.lowerHex(8))+/\(RandomText.lowerHex(8))=="
      cursors[cursor] = Cursor(query: others, path: request.segments, offset: end)
      next = .init(cursor)
    }
    return .json(
      JSONValue(object: [(name, .init(array: rows.dropFirst(offset).prefix(limit ?? 50))), ("next_cursor", next)]))
  }
}
