internal import HTTPServer
internal import JSON
internal import Timing

/// The control API over HTTP, see docs/sandbox.md.
extension SAPControl {
  /// Answers a request below `/_control/`.
  func answer(_ request: ServerRequest) -> ServerResponse {
    do throws(ControlError) {
      return .json(try result(of: request))
    } catch {
      let status = if case .notFound = error { 404 } else { 400 }
      return .json(["error": .init(error.description)], status: status)
    }
  }

  private func result(of request: ServerRequest) throws(ControlError) -> JSONValue {
    let path = Array(request.segments.dropFirst())
    switch (request.method, path.first, path.count) {
    case (_, "tasks", _): return try tasksResult(of: request, path)
    case (_, "instances", _): return try instancesResult(of: request, path)
    case ("PUT", "definitions", 2): deploy(try SAPDefinition(id: path[1], request))
    case ("PUT", "users", 2): setUser(try SAPUser(name: path[1], request))
    case ("PUT", "clients", 2): setClient(try SAPClient(id: path[1], request))
    case ("POST", "log-in", 1): logIn(try ControlBody(of: request, taking: ["user"]).string("user"))
    case ("POST", "sessions", 2) where path[1] == "expire": expireSessions()
    case ("POST", "tokens", 2) where path[1] == "revoke":
      let body = try ControlBody(of: request, taking: ["refreshTokensToo"])
      revokeTokens(refreshTokensToo: try body.bool("refreshTokensToo") ?? false)
    case (_, "switches", 1): return try switchesResult(of: request)
    case (_, "faults", 1): return try faultsResult(of: request)
    case ("GET", "requests", 1): return JSONValue(array: requests.map(\.json))
    case ("DELETE", "requests", 1): clearRequests()
    case ("GET", "completions", 1): return JSONValue(object: completions.map { ($0.key, .init($0.value)) })
    case ("GET", "clock", 1): return ["now": .init(now.rfc3339)]
    case ("POST", "clock", 2) where path[1] == "advance":
      let body = try ControlBody(of: request, taking: ["by"])
      advanceClock(by: try body.need("by", try body.duration("by")))
      return ["now": .init(now.rfc3339)]
    case ("POST", "tick", 1): tick()
    case ("POST", "reset", 1): reset()
    default: throw Self.unknown(request)
    }
    return .emptyObject
  }

  static func unknown(_ request: ServerRequest) -> ControlError {
    .notFound("There is no control call \(request.method) \(request.path); docs/sandbox.md lists them.")
  }

  private func switchesResult(of request: ServerRequest) throws(ControlError) -> JSONValue {
    switch request.method {
    case "GET": break
    case "PATCH":
      let changes = try ControlBody.json(of: request)
      try with { state throws(ControlError) in state.switches = try state.switches.changed(by: changes) }
    default: throw Self.unknown(request)
    }
    return switches.json
  }

  private func faultsResult(of request: ServerRequest) throws(ControlError) -> JSONValue {
    switch request.method {
    case "GET": break
    case "POST": inject(try Fault(try ControlBody.json(of: request)))
    case "DELETE": clearFaults()
    default: throw Self.unknown(request)
    }
    return JSONValue(array: faults.map(\.json))
  }
}
