internal import HTTPServer
internal import JSON
internal import Timing

/// What an auth cookie stands for.
struct CuramAuthorization: Sendable {
  let user: String
  let issuedAt: Timestamp
  /// WebLogic's two cookies belong together.
  let session: String

  static let life = Duration.seconds(120 * 60)
}

/// What a `JSESSIONID` stands for.
struct CuramSession: Sendable {
  let id: String
  let user: String
  let createdAt: Timestamp
  let node: Int
  var usedAt: Timestamp
  var tokens: Set<String> = []

  static let idle = Duration.seconds(30 * 60)
  /// After so long the other node knows it, too.
  static let spread = Duration.seconds(120)
}

extension CuramState {
  /// The session of a request; its user is logged in.
  mutating func session(of request: ServerRequest, _ cookies: inout [String]) throws(CuramError) -> CuramSession {
    let sent = Self.cookies(of: request)
    let node = node(sent, &cookies)
    guard let value = sent[switches.server.authCookie], let authorization = authorizations[value],
      clock.now.duration(since: authorization.issuedAt) < CuramAuthorization.life
    else { throw .loggedOut }
    if let id = sent["JSESSIONID"], var session = sessions[id], session.user == authorization.user,
      switches.server != .weblogic || authorization.session == id, isKnown(session, on: node)
    {
      session.usedAt = clock.now
      sessions[id] = session
      return session
    }
    guard switches.server != .weblogic else { throw .loggedOut }
    return open(authorization.user, on: node, &cookies)
  }

  private func isKnown(_ session: CuramSession, on node: Int) -> Bool {
    clock.now.duration(since: session.usedAt) < CuramSession.idle
      && (session.node == node || clock.now.duration(since: session.createdAt) >= CuramSession.spread)
  }

  mutating func open(_ user: String, on node: Int, _ cookies: inout [String]) -> CuramSession {
    let tail = switches.server == .weblogic ? "!-\(Int.random(in: 100_000_000...999_999_999))" : ":-1"
    let session = CuramSession(
      id: "0000" + RandomText.lowerHex(23) + tail, user: user, createdAt: clock.now, node: node, usedAt: clock.now)
    sessions[session.id] = session
    cookies.append(Self.line("JSESSIONID", session.id))
    return session
  }

  static func line(_ name: String, _ value: String) -> String { "\(name)=\(value); Path=/; Secure; HttpOnly" }

  static func cookies(of request: ServerRequest) -> [String: String] {
    var cookies: [String: String] = [:]
    for header in request.headers.all("Cookie") {
      for pair in header.split(separator: ";") {
        let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = sides[0].drop { $0 == " " }
        if sides.count == 2 { cookies[String(name)] = String(sides[1]) }
      }
    }
    return cookies
  }

  /// The node that a request reaches: by its affinity cookie, else each in its turn.
  mutating func node(_ sent: [String: String], _ cookies: inout [String]) -> Int {
    guard switches.replicas > 1 else { return 0 }
    if let node = sent["route"].flatMap({ routes[$0] }) { return node }
    let node = nextNode
    nextNode = (nextNode + 1) % switches.replicas
    let route = RandomText.lowerHex(32)
    routes[route] = node
    cookies.append("route=\(route); Path=/")
    return node
  }

  // MARK: - CSRF tokens

  mutating func issueToken(_ session: CuramSession) throws(CuramError) -> ServerResponse {
    guard switches.csrf else { throw .notFound }
    let token = RandomText.uuid()
    sessions[session.id]?.tokens.insert(token)
    var response = ServerResponse.json(.emptyObject)
    response.headers.add("X-IBM-SPM-CSRF", token)
    return response
  }

  func checkToken(_ request: ServerRequest, _ session: CuramSession) throws(CuramError) {
    guard switches.csrf else { return }
    guard let token = request.headers["X-IBM-SPM-CSRF"], session.tokens.contains(token) else { throw .token }
  }
}
