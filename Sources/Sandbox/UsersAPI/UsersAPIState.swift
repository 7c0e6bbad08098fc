package import HTTPServer
internal import JSON
internal import Timing

/// A small REST API of users and approvals, of the kind that clients are written for by hand.
package typealias UsersAPISandbox = ServiceSandbox<UsersAPIState>

/// All that the service knows.
package struct UsersAPIState: SandboxService {
  package static let basePath = ["v2"]

  package let configuration: UsersAPIConfiguration
  package var switches: UsersAPISwitches
  package var clock: SandboxClock
  package var faults = FaultTable()
  package var log = RequestLog()
  package internal(set) var users: [APIUser] = []
  package internal(set) var approvals: [APIApproval] = []
  /// How many logins there were.
  package internal(set) var logins = 0
  /// Tokens with their ends; nil does not end.
  var tokens: [String: Timestamp?]
  var loginLimit = RateLimit(per: 60)
  var rateLimit = RateLimit(per: 60)
  var refusals = 0
  var lastID = 41
  var cursors: [String: Cursor] = [:]
  /// What was decided under which key, by its body.
  var keys: [String: (body: [UInt8], answer: ServerResponse)] = [:]
  var effects = Effects<ServerRequest>()

  /// Where a cursor goes on.
  struct Cursor: Sendable {
    let state: String?
    let after: Int
    let end: Timestamp
  }

  package init(_ configuration: UsersAPIConfiguration) {
    self.configuration = configuration
    switches = configuration.switches
    clock = SandboxClock(standingAt: configuration.clock)
    tokens = [configuration.token: nil]
  }

  mutating func newID() -> Int {
    lastID += 1
    return lastID
  }

  package mutating func settle() {
    while let (_, request) = effects.takeDue(at: clock.now) { replayNow(request) }
  }

  package mutating func tick() {
    for request in effects.takeTicked() { replayNow(request) }
  }

  package mutating func replay(_ request: ServerRequest, after latency: Latency) {
    effects.add(request, after: latency, now: clock.now)
  }

  /// Carries out what waited, which does not wait a second time.
  private mutating func replayNow(_ request: ServerRequest) {
    let later = switches.decidesLater
    switches.decidesLater = nil
    _ = process(request)
    switches.decidesLater = later
  }

  package func failure(_ status: Int) -> ServerResponse {
    // A gateway's page, which may call itself anything.
    var page = ServerResponse.page(status, "\(status)", title: "Gateway")
    if status == 502 { page.headers = ["Content-Type": "application/json"] }
    return page
  }

  package mutating func process(_ request: ServerRequest) -> ServerResponse {
    var response: ServerResponse
    do throws(UsersAPIError) {
      response = try answer(request)
    } catch {
      response = error.response(switches)
      if error.status == 429 { addRetryAfter(to: &response) }
    }
    response.headers.add("X-Request-Id", RandomText.uuid())
    return response
  }

  /// In seconds and as a date, by turns.
  private mutating func addRetryAfter(to response: inout ServerResponse) {
    refusals += 1
    let left = rateLimit.secondsLeft(at: clock.now)
    response.headers.add(
      "Retry-After", refusals.isMultiple(of: 2) ? (clock.now + .seconds(left)).httpDate : "\(left)")
  }

  private mutating func answer(_ request: ServerRequest) throws(UsersAPIError) -> ServerResponse {
    let target = request.target.prefix { $0 != "?" }
    if target.contains("%3F") || target.contains("//") { return .page(404, "Not Found") }
    guard request.segments.starts(with: Self.basePath) else { return .page(404, "Not Found") }
    let path = Array(request.segments.dropFirst(Self.basePath.count))
    guard rateLimit.allows(switches.rateLimit, at: clock.now) else {
      throw UsersAPIError(status: 429, code: "rate_limited", message: "Too many requests.")
    }
    if path == ["session"], request.method == "POST" { return try logIn(request) }
    try authenticate(request)
    switch (request.method, path.first, path.count) {
    case ("DELETE", "session", 1):
      if let token = request.headers["X-Authentication-Token"] { tokens[token] = .none }
      return ServerResponse(status: 204)
    case ("GET", "users", 1): return try listUsers(request)
    case ("POST", "users", 1): return try createUser(request)
    case (_, "users", 2): return try answerUser(request, path[1])
    case ("GET", "approvals", 1): return try listApprovals(request)
    case ("POST", "approvals", 3) where path[2] == "decision": return try decide(path[1], request)
    case (_, nil, _), (_, "", 1): return ServerResponse(status: 405, headers: ["Allow": "GET"])
    default: throw .unknown
    }
  }

  // MARK: - Access

  private mutating func logIn(_ request: ServerRequest) throws(UsersAPIError) -> ServerResponse {
    logins += 1
    guard loginLimit.allows(5, at: clock.now) else {
      if switches.lockout { throw UsersAPIError(status: 423, code: "locked", message: "The account is locked.") }
      throw UsersAPIError(status: 429, code: "rate_limited", message: "Too many logins.")
    }
    let json = (try? JSONValue(parsing: request.body)) ?? .null
    guard json["login"]?.string == configuration.login, json["password"]?.string == configuration.password else {
      throw UsersAPIError(status: 401, code: "bad_credentials", message: "Wrong login or password.")
    }
    let (token, end) = (Base64.encode(RandomText.bytes(24)), clock.now + switches.tokenLife)
    tokens[token] = end
    return success(["token": .init(token), "expires_at": .init(end.rfc3339)], status: 201)
  }

  private func authenticate(_ request: ServerRequest) throws(UsersAPIError) {
    guard let token = request.headers["X-Authentication-Token"] else { throw .unauthenticated }
    guard let end = tokens[token] else { throw .expired }
    if let end, end <= clock.now { throw .expired }
  }

  // MARK: - Forms

  func success(_ data: JSONValue, status: Int = 200, meta: JSONValue? = nil) -> ServerResponse {
    var json: JSONValue = ["status": "ok", "data": data]
    if let meta { json = json.setting("meta", to: meta) }
    return ServerResponse(status: status, headers: ["Content-Type": "application/json; charset=utf-8"], body: json.utf8)
  }
}
