package import HTTPServer
package import JSON
internal import Timing

/// The control calls of its own, see docs/sandbox.md.
extension ServiceNowState {
  package mutating func control(_ request: ServerRequest, _ path: [String]) throws(ControlError) -> JSONValue {
    switch (request.method, path.first, path.count) {
    case ("POST", "approvals", 1): return try makeApprovals(request)
    case (_, "records", 2...3): return try recordsResult(request, path)
    case ("POST", "tasks", 3) where path[2] == "cancel": try cancelTask(path[1])
    case ("PUT", "users", 2): try setUser(path[1], request)
    case ("POST", "log-in", 1): loggedInUser = try ControlBody(of: request, taking: ["user"]).string("user")
    case ("POST", "sessions", 2) where path[1] == "expire": expireSessions()
    case ("POST", "tokens", 2) where path[1] == "revoke":
      let body = try ControlBody(of: request, taking: ["refreshTokensToo"])
      revokeTokens(refreshTokensToo: try body.bool("refreshTokensToo") ?? false)
    case (_, "access", 1): return try accessResult(request)
    case ("GET", "decisions", 1): return JSONValue(object: decisions.map { ($0.key, .init($0.value)) })
    case ("GET", "refusals", 1): return JSONValue(array: refusals.map { .init($0) })
    case ("GET", "leaks", 1): return JSONValue(array: leaks.map { .init($0) })
    default: throw Self.unknownControl(request)
    }
    return .emptyObject
  }

  private mutating func makeApprovals(_ request: ServerRequest) throws(ControlError) -> JSONValue {
    let body = try ControlBody(
      of: request,
      taking: [
        "count", "title", "description", "requester", "approvers", "table", "state", "dueDate", "oneOf", "spacing",
      ])
    var draft = ApprovalDraft()
    draft.title = try body.string("title") ?? draft.title
    draft.description = try body.string("description") ?? draft.description
    draft.requester = try body.string("requester") ?? draft.requester
    draft.approvers = try body.strings("approvers") ?? draft.approvers
    draft.table = try body.string("table") ?? draft.table
    draft.state = try body.string("state") ?? draft.state
    draft.dueDate = try body.time("dueDate")
    draft.isOneOf = try body.bool("oneOf") ?? draft.isOneOf
    draft.spacing = try body.duration("spacing") ?? draft.spacing
    let ids = try makeApprovals(draft, count: try body.int("count") ?? 1)
    return ["ids": JSONValue(array: ids.map { .init($0) })]
  }

  private mutating func recordsResult(_ request: ServerRequest, _ path: [String]) throws(ControlError) -> JSONValue {
    switch (request.method, path.count) {
    case ("GET", 2): return JSONValue(array: rows(of: path[1]).map { Self.json($0.fields) })
    case ("POST", 2): return ["id": .init(try makeRecord(path[1], try Self.fields(of: request)))]
    case ("PATCH", 3): try changeRecord(path[1], path[2], try Self.fields(of: request))
    case ("DELETE", 3):
      try deleteRecord(path[1], path[2])
      return .emptyObject
    case ("GET", 3): break
    default: throw Self.unknownControl(request)
    }
    guard let fields = fields(path[1], path[2]) else {
      throw .notFound("There is no record \(path[2]) in \(path[1]).")
    }
    return Self.json(fields)
  }

  private static func json(_ fields: [String: String]) -> JSONValue {
    JSONValue(object: fields.sorted { $0.key < $1.key }.map { ($0.key, .init($0.value)) })
  }

  private static func fields(of request: ServerRequest) throws(ControlError) -> [String: String] {
    guard let object = try ControlBody.json(of: request).object else { throw .invalid("A JSON object is needed.") }
    var fields: [String: String] = [:]
    for (name, value) in object {
      guard let text = value.string else { throw .invalid("\(name) takes a string, not \(value).") }
      fields[name] = text
    }
    return fields
  }

  private mutating func setUser(_ name: String, _ request: ServerRequest) throws(ControlError) {
    let body = try ControlBody(
      of: request, taking: ["password", "fullName", "admin", "active", "basic", "delegates"])
    var user = users[name] ?? ServiceNowUser(name: name, fullName: name, password: nil)
    user.password = try body.string("password") ?? user.password
    user.fullName = try body.string("fullName") ?? user.fullName
    user.isAdmin = try body.bool("admin") ?? user.isAdmin
    user.isActive = try body.bool("active") ?? user.isActive
    user.mayUseBasic = try body.bool("basic") ?? user.mayUseBasic
    user.delegates = try body.strings("delegates") ?? user.delegates
    setUser(user)
  }

  /// What only administrators may see or write, and what takes a signature.
  private mutating func accessResult(_ request: ServerRequest) throws(ControlError) -> JSONValue {
    switch request.method {
    case "GET": break
    case "PATCH":
      let body = try ControlBody(of: request, taking: ["hidden", "unreadable", "unwritable", "signed"])
      hidden = try body.strings("hidden").map { Set($0) } ?? hidden
      unreadable = try body.strings("unreadable").map { Set($0) } ?? unreadable
      unwritable = try body.strings("unwritable").map { Set($0) } ?? unwritable
      signed = try body.strings("signed").map { Set($0) } ?? signed
    default: throw Self.unknownControl(request)
    }
    func list(_ set: Set<String>) -> JSONValue { JSONValue(array: set.sorted().map { .init($0) }) }
    return [
      "hidden": list(hidden), "unreadable": list(unreadable), "unwritable": list(unwritable), "signed": list(signed),
    ]
  }
}
