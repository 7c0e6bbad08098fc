internal import HTTPServer
internal import JSON

extension CuramState {
  mutating func logIn(_ request: ServerRequest, _ cookies: inout [String]) throws(CuramError) -> ServerResponse {
    guard request.method == "POST" else { throw .page(405, "Method Not Allowed") }
    let type = request.headers["Content-Type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
    guard type == "application/x-www-form-urlencoded" else { throw .page(415, "Unsupported Media Type") }
    if let sso = switches.sso { return ServerResponse(status: 302, headers: ["Location": sso]) }
    guard let text = String(validating: request.body, as: UTF8.self),
      let fields = ServerRequest.queryItems(Substring(text))
    else { throw .page(400, "Bad Request") }
    func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
    guard let index = users.firstIndex(where: { $0.name == field("j_username") }) else {
      throw .page(401, "Unauthorized")
    }
    let user = users[index]
    let fitsType =
      user.isExternal ? field("user_type")?.hasPrefix("EXTERNAL") ?? false : field("user_type") == nil
    guard user.failures < switches.lockout, user.password == field("j_password"), fitsType else {
      users[index].failures += 1
      throw .page(401, "Unauthorized")
    }
    return welcome(user, request, &cookies)
  }

  private mutating func welcome(
    _ user: CuramUser, _ request: ServerRequest, _ cookies: inout [String]
  ) -> ServerResponse {
    logins += 1
    let node = node(Self.cookies(of: request), &cookies)
    let value = Base64.encode(RandomText.bytes(241))
    cookies.append(Self.line(switches.server.authCookie, value))
    let session = open(user.name, on: node, &cookies)
    authorizations[value] = CuramAuthorization(user: user.name, issuedAt: clock.now, session: session.id)
    return switches.loginStyle == .direct200
      ? ServerResponse(status: 200) : ServerResponse(status: 302, headers: ["Location": "/Rest/"])
  }

  /// Ends the session, its tokens, and the login.
  mutating func logOut(
    _ request: ServerRequest, _ session: CuramSession, _ cookies: inout [String]
  ) throws(CuramError) -> ServerResponse {
    guard request.method == "POST" else { throw .page(405, "Method Not Allowed") }
    sessions[session.id] = nil
    if let value = Self.cookies(of: request)[switches.server.authCookie] { authorizations[value] = nil }
    for name in [switches.server.authCookie, "JSESSIONID"] {
      cookies.append("\(name)=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure; HttpOnly")
    }
    return .json(.emptyObject)
  }
}
