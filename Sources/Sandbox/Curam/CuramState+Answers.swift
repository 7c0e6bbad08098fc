package import HTTPServer
internal import JSON

extension CuramState {
  package mutating func process(_ request: ServerRequest) -> ServerResponse {
    var response: ServerResponse
    var cookies: [String] = []
    do throws(CuramError) {
      response = try answer(request, &cookies)
    } catch {
      response = refusal(error, request)
    }
    for cookie in cookies { response.headers.add("Set-Cookie", cookie) }
    response.headers.add("X-XSS-Protection", "1; mode=block")
    response.headers.add("X-Frame-Options", "deny")
    response.headers.add("X-Content-Type-Options", "nosniff")
    return response
  }

  private mutating func answer(
    _ request: ServerRequest, _ cookies: inout [String]
  ) throws(CuramError) -> ServerResponse {
    guard request.segments.starts(with: Self.basePath) else { throw .page(404, "Not Found") }
    let path = Array(request.segments.dropFirst())
    if path == [""] { return ServerResponse(status: 200) }
    if path == ["j_security_check"] {
      if switches.refererOnLogin { try checkReferer(request) }
      return try logIn(request, &cookies)
    }
    try checkReferer(request)
    if path == ["logon.jsp"] { return .loginPage }
    let session = try session(of: request, &cookies)
    if path == ["v1", "csrf", "tokens"], request.method == "GET" { return try issueToken(session) }
    try checkToken(request, session)
    if path.count == 1, CuramSwitches.LogoutPath(rawValue: "/\(path[0])") == switches.logoutPath {
      return try logOut(request, session, &cookies)
    }
    guard path.first == "v1" else { throw .page(404, "Not Found") }
    return try dispatch(request, path.dropFirst().joined(separator: "/"), session)
  }

  func refusal(_ error: CuramError, _ request: ServerRequest) -> ServerResponse {
    let language = request.headers["Accept-Language"]
    switch error {
    case .loggedOut: return loggedOutAnswer
    case .referer: return envelope(403, .referer, language)
    case .token: return envelope(403, .token, language)
    case .rights: return envelope(403, .rights, language)
    case .badRequest: return envelope(400, .badRequest, language)
    case .notFound: return envelope(404, .notFound, language)
    case .page(let status, let reason): return .page(status, "Error \(status): \(reason)")
    }
  }

  func envelope(_ status: Int, _ message: CuramMessage, _ language: String?) -> ServerResponse {
    let messages = switches.twoErrors ? [message, .unexpected] : [message]
    let entries = messages.map { message in
      ["code": .init(message.code), "message": .init(message.text(language)), "level": "error"] as JSONValue
    }
    return .json(["errors": JSONValue(array: entries)], status: status)
  }

  private var loggedOutAnswer: ServerResponse {
    switch switches.expired {
    case .status401: ServerResponse(status: 401)
    case .redirect: ServerResponse(status: 302, headers: ["Location": switches.sso ?? "/Rest/logon.jsp"])
    case .html200: .loginPage
    }
  }

  // MARK: - Referer

  private func checkReferer(_ request: ServerRequest) throws(CuramError) {
    guard let referer = request.headers["Referer"], isAllowed(referer) else { throw .referer }
  }

  private func isAllowed(_ referer: String) -> Bool {
    let app = "curam://"
    if referer.hasPrefix(app) { return referer.utf8.count > app.utf8.count }
    guard let scheme = referer.firstRange(of: "://") else { return false }
    let host = referer[scheme.upperBound...].prefix { $0 != "/" && $0 != ":" && $0 != "?" }.lowercased()
    if host == "localhost" { return switches.devMode }
    return switches.refererDomains.contains { domain in
      let domain = domain.lowercased()
      return host == domain || !switches.csrf && host.hasSuffix("." + domain)
    }
  }
}
