internal import HTTPServer
internal import Timing

/// Bearer tokens: Cloud Foundry and Build Process Automation.
extension SAPState {
  mutating func processWithToken(_ request: ServerRequest, at now: Timestamp) -> ServerResponse {
    guard let words = request.headers["Authorization"]?.split(separator: " "), words.count == 2,
      words[0].lowercased() == "bearer"
    else {
      return response(to: .unauthorized("Full authentication is required to access this resource"))
    }
    guard let grant = tokens.grant(of: words[1], at: now), let caller = caller(of: grant) else {
      return response(to: .unauthorized("Invalid access token"))
    }
    guard let path = servicePath(of: request) else { return response(to: .page(404, "Not Found")) }
    return dispatch(request, path, by: caller, at: now)
  }

  private func caller(of grant: SAPTokens.Grant) -> SAPCaller? {
    guard let user = grant.user else { return SAPCaller(client: grant.client, scopes: grant.scopes) }
    return users[user].map { SAPCaller($0, scopes: grant.scopes) }
  }
}
