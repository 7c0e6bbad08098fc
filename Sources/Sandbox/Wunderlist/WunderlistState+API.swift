package import HTTPServer
internal import JSON

extension WunderlistState {
  package mutating func process(_ request: ServerRequest) -> ServerResponse {
    do throws(WunderlistError) {
      if request.segments.first == "oauth" { return loginAnswer(request) }
      guard request.segments.starts(with: Self.basePath) else { throw .notFound }
      try authenticate(request)
      return try dispatch(request, Array(request.segments.dropFirst(Self.basePath.count)))
    } catch {
      return error.response
    }
  }

  private func authenticate(_ request: ServerRequest) throws(WunderlistError) {
    let (token, client) = (request.headers["X-Access-Token"], request.headers["X-Client-ID"])
    if switches.missingAuth500, token == nil || client == nil { throw .server([("authentication", ["missing"])]) }
    guard let token, tokens.contains(token), client == configuration.clientID else { throw .unauthorized }
  }

  private mutating func dispatch(
    _ request: ServerRequest, _ path: [String]
  ) throws(WunderlistError) -> ServerResponse {
    let id = path.count == 2 ? Int64(path[1]) : nil
    switch (request.method, path.first, id) {
    case ("GET", "user", nil) where path.count == 1:
      return .json(["id": .init(configuration.userID), "name": .init(configuration.userName), "type": "user"])
    case ("GET", "root", nil) where path.count == 1:
      return .json([
        "id": 1, "type": "root", "revision": .init(rootRevision), "user_id": .init(configuration.userID),
      ])
    case ("GET", "lists", nil) where path.count == 1: return .json(JSONValue(array: lists.map(\.json)))
    case ("GET", "lists", let id?): return .json(lists[try listIndex(id)].json)
    case ("POST", "lists", nil) where path.count == 1: return try createList(request)
    case ("PATCH", "lists", let id?): return try updateList(id, request)
    case ("DELETE", "lists", let id?): return try deleteList(id, request)
    case ("GET", "tasks", nil) where path.count == 1: return try listTasks(request)
    case ("GET", "tasks", let id?): return .json(json(of: tasks[try taskIndex(id)]))
    case ("POST", "tasks", nil) where path.count == 1: return try createTask(request)
    case ("PATCH", "tasks", let id?): return try updateTask(id, request)
    case ("DELETE", "tasks", let id?): return try deleteTask(id, request)
    default: throw .notFound
    }
  }

  func json(of task: WunderlistTask) -> JSONValue { task.json(showsOpen: switches.showsOpen) }

  func listIndex(_ id: Int64) throws(WunderlistError) -> Int {
    guard let index = lists.firstIndex(where: { $0.id == id }) else { throw .notFound }
    return index
  }

  func taskIndex(_ id: Int64) throws(WunderlistError) -> Int {
    guard let index = tasks.firstIndex(where: { $0.id == id }) else { throw .notFound }
    return index
  }

  func checkTitle(_ title: String?) throws(WunderlistError) {
    guard let title, title.unicodeScalars.count > 255 else { return }
    throw .validation(
      status: switches.validationStatus, [("title", ["is too long (maximum is 255 characters)"])])
  }

  /// The revision that a deletion names in its query.
  func checkRevision(_ request: ServerRequest, _ current: Int64) throws(WunderlistError) {
    guard let revision = request.query.first(where: { $0.name == "revision" }).flatMap({ Int64($0.value) }) else {
      throw .missingParameter([("revision", ["required", "can't be blank"])])
    }
    guard revision == current else { throw .conflict }
  }

  // MARK: - Lists

  private mutating func createList(_ request: ServerRequest) throws(WunderlistError) -> ServerResponse {
    var call = try WunderlistCall(request)
    let title = call.string("title", required: true)
    try call.check()
    try checkTitle(title)
    return .json(lists[addList(title ?? "")].json, status: 201)
  }

  mutating func addList(_ title: String) -> Int {
    lists.append(WunderlistList(id: newID(), title: title, revision: step(), createdAt: clock.now))
    bubble(from: nil)
    return lists.count - 1
  }

  private mutating func updateList(_ id: Int64, _ request: ServerRequest) throws(WunderlistError) -> ServerResponse {
    var call = try WunderlistCall(request)
    let revision = call.integer("revision", required: true)
    let title = call.string("title")
    try call.check()
    let index = try listIndex(id)
    guard revision == lists[index].revision else { throw .conflict }
    try checkTitle(title)
    if let title { lists[index].title = title }
    lists[index].revision += step()
    bubble(from: nil)
    return .json(lists[index].json)
  }

  private mutating func deleteList(_ id: Int64, _ request: ServerRequest) throws(WunderlistError) -> ServerResponse {
    let index = try listIndex(id)
    try checkRevision(request, lists[index].revision)
    lists.remove(at: index)
    tasks.removeAll { $0.listID == id }
    bubble(from: nil)
    return ServerResponse(status: 204)
  }
}
