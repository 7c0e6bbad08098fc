internal import HTTPServer
internal import JSON

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
