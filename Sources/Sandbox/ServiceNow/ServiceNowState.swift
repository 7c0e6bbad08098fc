package import HTTPServer
internal import JSON
internal import Timing

/// A ServiceNow instance, imitated strictly over real HTTP; docs/sandbox.md says what it does.
package typealias ServiceNowSandbox = ServiceSandbox<ServiceNowState>

/// All that a sandboxed instance knows.
package struct ServiceNowState: ReplayingService {
  package static let basePath = ["api", "now", "table"]

  package let configuration: ServiceNowConfiguration
  package var switches: ServiceNowSwitches
  package var clock: SandboxClock
  package var faults = FaultTable()
  package var log = RequestLog()
  package var users: [String: ServiceNowUser]
  package var clients: [String: ServiceNowClient]
  /// Records that only administrators see.
  package var hidden: Set<String> = []
  /// Fields, as `table.field`, that only administrators see.
  package var unreadable: Set<String> = []
  /// Fields, as `table.field`, that only administrators write.
  package var unwritable: Set<String> = []
  /// Tables whose approvals take a signature.
  package var signed: Set<String> = []
  /// Tasks that one approval of several is enough for.
  package var oneOf: Set<String> = []
  /// How often each approval was decided over the API.
  package internal(set) var decisions: [String: Int] = [:]
  /// Whom `/oauth_auth.do` takes for logged in.
  package var loggedInUser: String?
  /// Why the token endpoint refused, which it tells nobody.
  package internal(set) var refusals: [String] = []
  /// Credentials that reached another server than the instance.
  package internal(set) var leaks: [String] = []
  let tables: [String: ServiceNowTable]
  var records: [String: Table<ServiceNowRecord>] = [:]
  var tokens = ServiceNowTokens()
  var sessions = ServiceNowSessions()
  var rateRule = ServiceNowRateRule()
  package var effects = Effects<ServerRequest>()
  var nextNumber = 30001
  var random = SystemRandomNumberGenerator()

  package init(_ configuration: ServiceNowConfiguration) {
    self.configuration = configuration
    switches = configuration.switches
    clock = SandboxClock(standingAt: configuration.clock)
    users = Dictionary(configuration.users.map { ($0.id, $0) }) { $1 }
    clients = Dictionary(configuration.clients.map { ($0.id, $0) }) { $1 }
    tables = Dictionary(configuration.tables.map { ($0.name, $0) }) { $1 }
    for user in configuration.users { keepRecord(of: user) }
  }

  // MARK: Answering

  package mutating func process(_ request: ServerRequest) -> ServerResponse {
    var response = switches.hibernating ? Self.hibernatingPage : route(request, at: clock.now)
    let moment = clock.now + .seconds(switches.dateSkew)
    let common = [
      ("X-Is-Logged-In", "\(response.status != 401)"), ("X-Transaction-ID", RandomText.lowerHex(12)),
      ("Server", "ServiceNow"), ("Cache-Control", "no-cache,no-store,must-revalidate,max-age=-1"),
      ("Pragma", "no-store,no-cache"), ("Date", moment.httpDate),
    ]
    for (name, value) in common where response.headers[name] == nil { response.headers.add(name, value) }
    switches.headerCase.apply(to: &response.headers)
    return response
  }

  private mutating func route(_ request: ServerRequest, at now: Timestamp) -> ServerResponse {
    switch (request.method, request.path) {
    case ("POST", "/oauth_token.do"): return issueToken(request, at: now)
    case ("GET", "/oauth_auth.do"): return authorize(request, at: now)
    case ("GET", "/oauth_revoke_token.do"), ("POST", "/oauth_revoke_token.do"): return revokeToken(request)
    default: if let page = pageAnswer(request, at: now) { return page }
    }
    switch access(request, at: now) {
    case .refused(let response): return response
    case .caller(let caller):
      var response = limited(at: now) { state in state.tableAnswer(request, by: caller) }
      if caller.isGuest { response.headers.add("X-Is-Valid-Logged-In", "false") }
      addSession(caller, request, to: &response)
      return response
    }
  }

  /// Answers under the rate rule, if there is one.
  private mutating func limited(
    at now: Timestamp, _ answer: (inout ServiceNowState) -> ServerResponse
  ) -> ServerResponse {
    guard let limit = switches.rateLimit else { return answer(&self) }
    let isAllowed = rateRule.allows(limit, at: now)
    var response =
      isAllowed
      ? answer(&self)
      : failure(
        ServiceNowError(
          429, "Rate limit exceeded", "Rate limit of \(limit) requests per hour for Table API exceeded"))
    let reset = ServiceNowRateRule.reset(at: now)
    response.headers.add("X-RateLimit-Limit", "\(limit)")
    response.headers.add("X-RateLimit-Reset", "\(reset)")
    response.headers.add("X-RateLimit-Rule", ServiceNowRateRule.id)
    if !isAllowed { response.headers.add("Retry-After", "\(reset - now.seconds)") }
    return response
  }

  func failure(_ error: ServiceNowError) -> ServerResponse { .json(error.json, status: error.status) }

  package func failure(_ status: Int) -> ServerResponse {
    switch status {
    case 202: return ServerResponse(status: 202)
    case 429: return failure(ServiceNowError(429, "Too many requests"))
    case 500:
      return failure(
        ServiceNowError(
          500, "Transaction cancelled: maximum execution time exceeded",
          "Check logs for error trace or enable session debug."))
    case 400...499 where status != 408: return failure(ServiceNowError(status, "Operation Failed"))
    default: return .page(status, "HTTP Status \(status)")
    }
  }

  static let hibernatingPage = ServerResponse.page(
    200, "<div class=\"instance-hibernating-page\">Your instance is hibernating</div>", title: "Instance Hibernating")
}
