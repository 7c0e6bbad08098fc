internal import HTTPServer
internal import Timing

/// The web pages, and who may see them.
extension ServiceNowState {
  /// Somebody who is logged in, and the session.
  struct Visitor {
    let user: ServiceNowUser
    let userToken: String
    /// The session that begins with this request.
    var opened: String?
  }

  private static let portals: Set<String> = ["sp", "esc"]

  /// The answer to a request for a page or for what pages link; nil for a request of the API.
  mutating func pageAnswer(_ request: ServerRequest, at now: Timestamp) -> ServerResponse? {
    if let host = request.headers["Host"], host.hasPrefix("localhost") { return identityProvider(request) }
    guard request.segments.first != "api" else { return nil }
    if let file = ServiceNowPages.file(request.path) { return file }
    if let response = wayStation(request) { return response }
    if let header = request.headers["Authorization"] { return bearerPage(request, header, at: now) }
    guard let id = cookie("JSESSIONID", of: request),
      let session = sessions.use(id, at: now, switches), session.isForPages, let user = users[session.user],
      user.isActive
    else { return guestPage(request) }
    // More than ten wait, and the one that runs takes its time.
    if switches.sessionQueue > 10 { return ServerResponse(status: 202) }
    return page(request, Visitor(user: user, userToken: session.userToken))
  }

  /// Another server, where a login takes place, and where a token has no business.
  private mutating func identityProvider(_ request: ServerRequest) -> ServerResponse {
    if let authorization = request.headers["Authorization"] { leaks.append(authorization) }
    if request.headers["Cookie"]?.contains("JSESSIONID") == true { leaks.append("JSESSIONID") }
    return .page(200, "Log in", title: "Identity provider")
  }

  /// A page with a token begins a session of its own, whatever cookies come along.
  private mutating func bearerPage(_ request: ServerRequest, _ header: String, at now: Timestamp) -> ServerResponse {
    let words = header.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bearer",
      let holder = tokens.holder(of: String(words[1]), at: now), let user = users[holder.grant.user], user.isActive
    else { return unauthorized(isLoggedIn: false) }
    let id = sessions.open(user.name, tokenEnds: holder.expires, at: now, isForPages: true)
    guard let session = sessions.use(id, at: now, switches) else { return guestPage(request) }
    return page(request, Visitor(user: user, userToken: session.userToken, opened: id))
  }

  /// What somebody sees who isn't logged in.
  private func guestPage(_ request: ServerRequest) -> ServerResponse {
    var response: ServerResponse
    if Self.portals.contains(request.segments.first ?? "") {
      response = ServiceNowPages.login
    } else if switches.sso {
      let provider = "http://localhost:\(Self.port(of: request))/idp?goto=\(FormText.encode(request.target))"
      response = .sent(to: "/auth_redirect.do?sysparm_url=\(FormText.encode(provider))")
    } else {
      response = .sent(to: "/session_timeout.do")
    }
    // A guest has a session as well, which ends with the login.
    response.headers.add("Set-Cookie", "JSESSIONID=\(RandomText.upperHex(32)); \(Self.cookieAttributes)")
    response.headers.add("X-Is-Logged-In", "false")
    return response
  }

  /// The pages on the way to a login and away from one.
  private mutating func wayStation(_ request: ServerRequest) -> ServerResponse? {
    var response: ServerResponse
    switch request.path {
    case "/login.do": response = ServiceNowPages.login
    case "/session_timeout.do": response = .sent(to: switches.timeoutLoop ? "/session_timeout.do" : "/login.do")
    case "/auth_redirect.do":
      response = .sent(to: request.query.first { $0.name == "sysparm_url" }?.value ?? "/login.do")
    case "/logout.do":
      if let id = cookie("JSESSIONID", of: request) { sessions.end(id) }
      response = .sent(to: "/logout_success.do")
    case "/logout_success.do": response = .page(200, "You have logged out", title: "Logout")
    case "/security_interceptor.do":
      response = .page(200, "Security restricted", title: "Security")
      response.headers.add("X-Is-Logged-In", "true")
      return response
    default: return nil
    }
    response.headers.add("X-Is-Logged-In", "false")
    return response
  }

  private mutating func page(_ request: ServerRequest, _ visitor: Visitor) -> ServerResponse {
    let instance = "http://\(request.headers["Host"] ?? "")"
    var response: ServerResponse
    switch (request.method, request.path) {
    case ("GET", "/sysapproval_approver.do"): response = approvalPage(request, visitor, instance)
    case ("POST", "/sysapproval_approver.do"): response = decide(request, visitor)
    case ("GET", "/sp"), ("GET", "/sp/"): response = ServiceNowPages.portal(visitor, instance: instance)
    case ("GET", "/welcome.do"): response = .page(200, "Welcome, \(visitor.user.fullName)", title: "Welcome")
    case ("GET", "/nav_to.do"): response = .sent(to: request.query.first { $0.name == "uri" }?.value ?? "/welcome.do")
    default: response = .page(404, "Page not found", title: "Page not found")
    }
    if let id = visitor.opened { Self.addCookies(of: id, to: &response) }
    response.headers.add("X-Is-Logged-In", "true")
    return response
  }

  private func approvalPage(_ request: ServerRequest, _ visitor: Visitor, _ instance: String) -> ServerResponse {
    let id = request.query.first { $0.name == "sys_id" }?.value ?? ""
    guard let approval = record(id, in: "sysapproval_approver"),
      isVisible(approval, to: ServiceNowCaller(user: visitor.user))
    else { return .page(404, "Record not found", title: "Record not found") }
    let title = record(approval["sysapproval"], in: "task")?["short_description"] ?? ""
    return ServiceNowPages.approval(id, title, visitor, instance: instance)
  }

  /// The form of the approval's page; one with another session's token leads to the security page.
  private mutating func decide(_ request: ServerRequest, _ visitor: Visitor) -> ServerResponse {
    let fields = ServerRequest.queryItems(String(decoding: request.body, as: UTF8.self)[...]) ?? []
    let form = Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
    guard form["sysparm_ck"] == visitor.userToken else { return .sent(to: "/security_interceptor.do") }
    let id = form["sys_id"] ?? ""
    guard let approval = record(id, in: "sysapproval_approver"), approval["state"] == "requested",
      approval["approver"] == visitor.user.sysID
    else { return .page(403, "Not allowed", title: "Not allowed") }
    write([("state", form["sysverb"] == "reject" ? "rejected" : "approved")], to: approval, by: visitor.user.name)
    decisions[id, default: 0] += 1
    rollUp(after: approval)
    return .sent(to: "/sysapproval_approver.do?sys_id=\(id)")
  }

  private static func port(of request: ServerRequest) -> Substring {
    request.headers["Host"]?.split(separator: ":").last ?? "80"
  }
}

extension ServerResponse {
  fileprivate static func sent(to location: String) -> ServerResponse {
    ServerResponse(status: 302, headers: ["Location": location])
  }
}
