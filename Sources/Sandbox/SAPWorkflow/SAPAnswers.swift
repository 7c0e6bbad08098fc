internal import HTTPServer
internal import JSON

extension ServerResponse {
  static func json(_ value: JSONValue, status: Int = 200) -> ServerResponse {
    ServerResponse(status: status, headers: ["Content-Type": "application/json"], body: value.utf8)
  }

  /// An HTML page like those of the web server before the service.
  static func page(_ status: Int, _ heading: String, title: String = "Error report") -> ServerResponse {
    let html = "<html><head><title>\(title)</title></head><body><h1>\(heading)</h1></body></html>"
    return ServerResponse(
      status: status, headers: ["Content-Type": "text/html;charset=utf-8", "Content-Language": "en"], text: html)
  }

  /// What a proxy answers instead of the service when the login has expired: success, and HTML.
  static let loginPage = page(200, "Unauthorized: log in to continue", title: "Login")
}

extension SAPState {
  func response(to error: SAPError) -> ServerResponse {
    switch error {
    case .envelope(let status, let code, let message, let details, let hasLogID):
      return envelope(status, code.map(spelt), message, details, hasLogID: hasLogID)
    case .privileges: return privilegesRefusal
    case .unauthorized(let description):
      return .json(["error": "unauthorized", "error_description": .init(description)], status: 401)
    case .rateLimit: return rateLimitRefusal(retryAfter: switches.rateLimitRetryAfter)
    case .page(let status, let reason): return .page(status, "HTTP Status \(status) - \(reason)")
    case .method(let allowed):
      var response = ServerResponse.page(405, "HTTP Status 405 - Method Not Allowed")
      response.headers.add("Allow", allowed.joined(separator: ", "))
      return response
    }
  }

  func rateLimitRefusal(retryAfter: String?) -> ServerResponse {
    // The one code that is spelt without `rest` everywhere.
    var response = envelope(
      429, "bpm.workflowruntime.rate.limit.exceeded", "The rate limit of the tenant is exceeded.", [], hasLogID: false)
    if let retryAfter { response.headers.add("Retry-After", retryAfter) }
    return response
  }

  private func spelt(_ code: String) -> String {
    "bpm.workflowruntime.\(switches.errorCodeStyle == .rest ? "rest." : "")\(code)"
  }

  private func envelope(
    _ status: Int, _ code: String?, _ message: String, _ details: [String], hasLogID: Bool
  ) -> ServerResponse {
    var members: [(String, JSONValue)] = []
    if let code { members.append(("code", .init(code))) }
    members.append(("message", .init(message)))
    if hasLogID { members.append(("logId", .init(RandomText.uuid()))) }
    if !details.isEmpty {
      let list = details.map { ["severity": "error", "message": .init($0)] as JSONValue }
      members.append(("details", .init(array: list)))
    }
    return .json(["error": .init(object: members)], status: status)
  }

  private var privilegesRefusal: ServerResponse {
    var members: [(String, JSONValue)] = [("message", "User does not have sufficient privileges.")]
    if switches.privilegesCode { members.insert(("code", .init(spelt("user.not.sufficient.privileges"))), at: 0) }
    var response = ServerResponse.json(["error": .init(object: members)], status: 403)
    response.headers = ["Content-Type": "application/json;charset=UTF-8"]
    return response
  }
}
