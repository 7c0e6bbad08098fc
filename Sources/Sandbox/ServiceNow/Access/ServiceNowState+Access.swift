internal import HTTPServer
internal import Timing

/// Who sent a request.
struct ServiceNowCaller {
  let user: ServiceNowUser
  /// nil when the caller showed a session's cookies.
  var tokenEnds: Timestamp?
  var hasCredentials = true
  /// Served as a guest, because the token was no good.
  var isGuest = false

  static let guest = ServiceNowCaller(
    user: ServiceNowUser(name: "guest", fullName: "Guest", password: nil), isGuest: true)
}

extension ServiceNowState {
  enum Access {
    case caller(ServiceNowCaller)
    case refused(ServerResponse)
  }

  mutating func access(_ request: ServerRequest, at now: Timestamp) -> Access {
    if let header = request.headers["Authorization"] {
      guard let caller = caller(header, at: now) else {
        let isBearer = header.lowercased().hasPrefix("bearer ")
        return switches.guest && isBearer ? .caller(.guest) : .refused(unauthorized(isLoggedIn: false))
      }
      return .caller(caller)
    }
    guard let id = cookie("JSESSIONID", of: request), let session = sessions.use(id, at: now, switches),
      let user = users[session.user], user.isActive
    else { return .refused(unauthorized(isLoggedIn: false)) }
    guard request.headers["X-UserToken"] == session.userToken else {
      var response = unauthorized(isLoggedIn: true)
      response.headers.add("X-UserToken-Response", session.userToken)
      return .refused(response)
    }
    return .caller(ServiceNowCaller(user: user, hasCredentials: false))
  }

  private func caller(_ header: String, at now: Timestamp) -> ServiceNowCaller? {
    if let basic = BasicCredentials(header) {
      guard let user = users[basic.user], user.isActive, let password = user.password, password == basic.password,
        switches.basicAuth == .open || user.mayUseBasic
      else { return nil }
      return ServiceNowCaller(user: user)
    }
    let words = header.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bearer",
      let holder = tokens.holder(of: String(words[1]), at: now), let user = users[holder.grant.user], user.isActive
    else { return nil }
    return ServiceNowCaller(user: user, tokenEnds: holder.expires)
  }

  func unauthorized(isLoggedIn: Bool) -> ServerResponse {
    let message = switches.loginMessage == .newer ? "User is not authenticated" : "User Not Authenticated"
    var response = failure(ServiceNowError(401, message, "Required to provide Auth information"))
    response.headers.add("WWW-Authenticate", "Basic realm=\"Service-now\"")
    response.headers.add("X-Is-Logged-In", "\(isLoggedIn)")
    return response
  }

  /// The cookies of a session that begins with this request, which came with credentials and without cookies.
  mutating func addSession(_ caller: ServiceNowCaller, _ request: ServerRequest, to response: inout ServerResponse) {
    guard caller.hasCredentials, !caller.isGuest, request.headers["Cookie"] == nil else { return }
    Self.addCookies(
      of: sessions.open(caller.user.name, tokenEnds: caller.tokenEnds, at: clock.now), to: &response)
  }

  static let cookieAttributes = "Path=/; HttpOnly; Secure; SameSite=None"

  /// The cookies of a session that begins.
  static func addCookies(of id: String, to response: inout ServerResponse) {
    let attributes = cookieAttributes
    response.headers.add("Set-Cookie", "JSESSIONID=\(id); \(attributes)")
    response.headers.add("Set-Cookie", "glide_user=; Max-Age=0; \(attributes)")
    response.headers.add("Set-Cookie", "glide_user_session=; Max-Age=0; \(attributes)")
    response.headers.add(
      "Set-Cookie", "glide_user_route=glide.\(RandomText.lowerHex(32)); Max-Age=2147483647; \(attributes)")
    response.headers.add("Set-Cookie", "glide_session_store=\(RandomText.upperHex(32)); Max-Age=1800; \(attributes)")
  }

  func cookie(_ name: String, of request: ServerRequest) -> String? {
    for pair in request.headers.all("Cookie").joined(separator: "; ").split(separator: ";") {
      let trimmed = pair.drop { $0 == " " }
      if trimmed.hasPrefix("\(name)=") { return String(trimmed.dropFirst(name.count + 1)) }
    }
    return nil
  }
}
