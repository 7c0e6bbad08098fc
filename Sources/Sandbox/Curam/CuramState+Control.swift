package import HTTPServer
package import JSON

/// Other people, and time, in the process or over `/_control/`.
extension CuramState {
  /// Puts a resource in its place below `/v1`, or takes it out.
  package mutating func setResource(_ path: String, _ value: JSONValue?) { resources[path] = value }

  /// Adds or changes somebody who can log in; the account is not locked then.
  package mutating func setUser(_ user: CuramUser) {
    users.removeAll { $0.name == user.name }
    users.append(user)
  }

  /// Ends all HTTP sessions, as the idle time does.
  package mutating func expireSessions() { sessions = [:] }

  /// Ends all logins, as the life of the auth cookie does.
  package mutating func expireLogins() { authorizations = [:] }

  package func user(_ name: String) -> CuramUser? { users.first { $0.name == name } }

  package var openSessions: Int { sessions.count }

  package mutating func control(_ request: ServerRequest, _ path: [String]) throws(ControlError) -> JSONValue {
    let rest = path.dropFirst().joined(separator: "/")
    switch (request.method, path.first) {
    case ("GET", "resources") where path.count == 1: return JSONValue(object: resources.sorted { $0.key < $1.key })
    case ("PUT", "resources") where path.count > 1: setResource(rest, try ControlBody.json(of: request))
    case ("DELETE", "resources") where path.count > 1: setResource(rest, nil)
    case ("PUT", "users") where path.count == 2:
      let body = try ControlBody(of: request, taking: ["password", "external", "rights"])
      setUser(
        CuramUser(
          name: path[1], password: try body.need("password", try body.string("password")),
          isExternal: try body.bool("external") ?? false, hasRights: try body.bool("rights") ?? true))
    case (_, "tasks"): return try controlTasks(request, Array(path.dropFirst()))
    case ("POST", "sessions") where rest == "expire": expireSessions()
    case ("POST", "logins") where rest == "expire": expireLogins()
    case ("GET", "logins") where path.count == 1: return ["logins": .init(logins), "sessions": .init(sessions.count)]
    default: throw Self.unknownControl(request)
    }
    return .emptyObject
  }
}
