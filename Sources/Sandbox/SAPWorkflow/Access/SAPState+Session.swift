internal import HTTPServer
internal import Timing

/// Basic authentication, sessions and XSRF tokens: the Neo environment.
extension SAPState {
  private static let writes: Set = ["POST", "PATCH", "PUT", "DELETE"]

  mutating func processWithSession(_ request: ServerRequest, at now: Timestamp) -> ServerResponse {
    guard let credentials = BasicCredentials(request.headers["Authorization"]), let user = users[credentials.user],
      user.password == credentials.password
    else { return unauthenticated }
    guard let path = servicePath(of: request) else { return response(to: .page(404, "Not Found")) }
    let known = sessions.find(request.headers, user: user.name, now: now, configuration, switches)
    let isWrite = Self.writes.contains(request.method)
    if isWrite, let known, known.token == request.headers["X-CSRF-Token"] {
      return dispatch(request, path, by: SAPCaller(user), at: now)
    }
    if isWrite { return xsrfRefusal(user, at: now) }
    let session = known ?? sessions.open(user: user.name, now: now)
    var response = dispatch(request, path, by: SAPCaller(user), at: now)
    if known == nil { addCookies(of: session, to: &response) }
    if request.method == "GET", request.headers["X-CSRF-Token"]?.lowercased() == "fetch" {
      response.headers.add("X-CSRF-Token", session.token)
    }
    return response
  }

  private var unauthenticated: ServerResponse {
    var response = response(to: .page(401, "Unauthorized"))
    response.headers.add("WWW-Authenticate", "Basic realm=\"SAP Cloud Platform\"")
    return response
  }

  /// The service opens a new session for the refused request, whatever it came with.
  private mutating func xsrfRefusal(_ user: SAPUser, at now: Timestamp) -> ServerResponse {
    var response = ServerResponse.page(403, "HTTP Status 403 - CSRF nonce validation failed")
    response.headers.add("X-CSRF-Token", "Required")
    addCookies(of: sessions.open(user: user.name, now: now), to: &response)
    return response
  }

  private func addCookies(of session: SAPSession, to response: inout ServerResponse) {
    for cookie in session.cookies(configuration) { response.headers.add("Set-Cookie", cookie) }
  }
}
