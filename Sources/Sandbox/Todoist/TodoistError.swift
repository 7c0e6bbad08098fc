internal import HTTPServer
internal import JSON

/// A refusal, in the service's words.
enum TodoistError: Error {
  case invalid(String)
  case unauthorized
  case scope
  case notFound
  /// 404 for an id in an old form, where the sandbox is set so.
  case oldID(status: Int)
  case method(allowed: String)
  /// The API version is gone.
  case gone
  case tooLarge(status: Int)
  case limit(TodoistSwitches.LimitStyle, seconds: Int64)

  var response: ServerResponse {
    switch self {
    case .invalid(let argument):
      Self.json(400, nil, "INVALID_ARGUMENT_VALUE", "Invalid argument value", ["argument": .init(argument)])
    case .unauthorized: Self.json(401, 477, "UNAUTHORIZED", "Unauthorized")
    case .scope: Self.json(403, nil, "AUTH_INSUFFICIENT_TOKEN_SCOPE", "Insufficient token scope")
    case .notFound, .oldID(404): Self.json(404, 478, "NOT_FOUND", "Not found")
    case .oldID: Self.json(400, nil, "INVALID_ARGUMENT_VALUE", "Invalid argument value", ["argument": "id"])
    case .method(let allowed): ServerResponse(status: 405, headers: ["Allow": allowed])
    case .gone:
      ServerResponse(
        status: 410, headers: ["Content-Type": "text/plain"],
        text: "This endpoint is deprecated. Use https://api.todoist.com/api/v1/ instead.")
    case .tooLarge(let status): ServerResponse(status: status)
    case .limit(.plain, _):
      ServerResponse(status: 429, headers: ["Content-Type": "text/plain"], text: "Too Many Requests")
    case .limit(let style, let seconds): Self.limit(seconds, hasHeader: style == .json)
    }
  }

  private static func limit(_ seconds: Int64, hasHeader: Bool) -> ServerResponse {
    var response = json(
      429, 35, "LIMITS_REACHED", "Too many requests. Limits reached. Try again later",
      ["event_id": .init(RandomText.lowerHex(32)), "retry_after": .init(seconds)])
    if hasHeader { response.headers.add("Retry-After", "\(seconds)") }
    return response
  }

  private static func json(
    _ status: Int, _ code: Int?, _ tag: String, _ message: String, _ extra: JSONValue? = nil
  ) -> ServerResponse {
    var members: [(String, JSONValue)] = [("error", .init(message))]
    if let code { members.append(("error_code", .init(code))) }
    members.append(("error_extra", extra ?? ["event_id": .init(RandomText.lowerHex(32))]))
    members += [("error_tag", .init(tag)), ("http_code", .init(status))]
    return .json(JSONValue(object: members), status: status)
  }
}
