internal import HTTPServer
internal import JSON

extension CuramState {
  /// Answers for a resource below `/v1`, to somebody whose login, Referer and token are in order.
  mutating func dispatch(
    _ request: ServerRequest, _ path: String, _ session: CuramSession
  ) throws(CuramError) -> ServerResponse {
    guard let user = users.first(where: { $0.name == session.user }) else { throw .loggedOut }
    if path.hasPrefix("persons/"), !path.dropFirst("persons/".count).utf8.allSatisfy({ (48...57).contains($0) }) {
      throw .badRequest
    }
    guard user.hasRights else { throw .rights }
    if path == "ua/user_account_login", request.method == "GET" {
      return .json(["username": .init(user.name), "user_type": user.isExternal ? "EXTERNAL" : "STANDARD"])
    }
    if path == configuration.tasksPath || path.hasPrefix(configuration.tasksPath + "/") {
      return try answerTasks(request, path.dropFirst(configuration.tasksPath.count).split(separator: "/"))
    }
    guard let resource = resources[path] else { throw .notFound }
    switch request.method {
    case "GET": return .json(shown(resource))
    case "POST": return try create(in: path, resource, request)
    case "PUT":
      resources[path] = try object(request)
      writes += 1
      return .json(shown(resources[path] ?? .emptyObject))
    case "DELETE":
      resources[path] = nil
      writes += 1
      return ServerResponse(status: 204)
    default: throw .page(405, "Method Not Allowed")
    }
  }

  private mutating func create(
    in path: String, _ list: JSONValue, _ request: ServerRequest
  ) throws(CuramError) -> ServerResponse {
    guard let data = list["data"]?.array else { throw .page(405, "Method Not Allowed") }
    lastID += 1
    let made = try object(request).setting("id", to: .init("\(lastID)"))
    resources["\(path)/\(lastID)"] = made
    resources[path] = list.setting("data", to: JSONValue(array: Array(data) + [made]))
    writes += 1
    let root =
      switches.badLocation ? "https://gateway.example/renamed" : "http://\(request.headers["Host"] ?? "127.0.0.1")/Rest"
    return ServerResponse(status: 201, headers: ["Location": "\(root)/v1/\(path)/\(lastID)"])
  }

  private func object(_ request: ServerRequest) throws(CuramError) -> JSONValue {
    let type = request.headers["Content-Type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
    guard type == "application/json", let body = try? JSONValue(parsing: request.body), body.object != nil else {
      throw .badRequest
    }
    return body
  }

  /// A resource as the switches have it shown.
  func shown(_ value: JSONValue) -> JSONValue {
    guard switches.numericIDs || switches.extraFields else { return value }
    if let array = value.array { return JSONValue(array: array.map(shown)) }
    guard let object = value.object else { return value }
    var members = object.map { key, value in
      let number = switches.numericIDs && key.lowercased().hasSuffix("id") ? value.string.flatMap { Int64($0) } : nil
      return (key, number.map { .init($0) } ?? shown(value))
    }
    if switches.extraFields { members.append(("__extra", "nobody knows")) }
    return JSONValue(object: members)
  }
}
