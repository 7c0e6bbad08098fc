internal import RingiKit

/// Turns what the service or the way to it answered into an error that says what to do.
@Loop
struct ServiceNowFailure {
  let instance: String
  let host: String
  let login: ServiceNowSettings.LoginKind
  let clock: any LoopClock

  /// The code of an error for a list that took the service too long.
  static let cutShort = "transaction-cancelled"

  init(_ settings: ServiceNowSettings, context: ProviderContext) {
    instance = context.instance
    host = settings.url.origin.host
    login = settings.kind
    clock = context.clock
  }

  /// The error for an answer that is no success.
  func error(_ response: HTTPResponse, _ request: HTTPRequest) -> RPCError {
    let body = ServiceNowErrorBody(response)
    switch response.status {
    case 202: return passing("dropped the request, since too many wait in its queue", response, body)
    case 200...299: return page(response, body)
    case 300...399: return required("\(host) sends to another page instead of answering, as to a login")
    case 401: return refused(body)
    case 403: return forbidden(response, body)
    case 404: return missing(response, request, body)
    case 408, 425, 429, 500...: return passing("is not available (status \(response.status))", response, body)
    default: return backend("refused the request\(reason(body))", response, body)
    }
  }

  /// The error for an answer that never came.
  func error(_ error: HTTPError, mayRepeat: Bool) -> RPCError {
    if case .token(let token) = error.kind { return self.error(token) }
    return .noAnswer(error, instance, mayRepeat: mayRepeat)
  }

  /// The error for a code that brought no token, and is worth nothing a second time.
  func error(ofLogin token: TokenError) -> RPCError {
    switch token {
    case .transport(let cause): .noAnswer(cause, instance, mayRepeat: false)
    case .unavailable(let status, _):
      .unavailable(
        "\(instance): the login at \(host) is not available (status \(status)); log in again later.",
        isRetryable: false)
    default: error(token)
    }
  }

  /// The service's answer does not look as it should.
  func malformed(_ what: String) -> RPCError {
    .backendError(
      provider: instance, message: "\(instance): the answer of \(host) makes no sense, \(what); check the url setting.")
  }

  /// The service began an answer and ended it with an error; what came before that counts for nothing.
  func partial(_ response: HTTPResponse, _ body: ServiceNowErrorBody) -> RPCError {
    passing("broke its answer off", response, body)
  }

  private func error(_ token: TokenError) -> RPCError {
    switch token {
    case .refused(let status, let code):
      required(
        "\(host) refused the login (status \(status)\(code.map { ", \($0)" } ?? "")) without a reason; the instance's system log has it\(login == .password ? "; the same password is not sent again before the plugin is restarted" : "")"
      )
    case .noClientSecret(let why): .loginRequired(provider: instance, message: "\(instance): \(why)")
    case .noRefreshToken where login == .authorizationCode: required("nobody has logged in")
    case .noRefreshToken: .loginRequired(provider: instance, message: "\(instance): \(token)")
    case .storage: .unavailable("\(instance): \(token)")
    case .unavailable(let status, let wait):
      .unavailable(
        "\(instance): the login at \(host) is not available (status \(status)); try again later.",
        retryAfter: seconds(wait))
    case .unusable(let status, let why):
      .backendError(
        provider: instance, status: status,
        message:
          "\(instance): the answer of \(host) to the login is of no use (status \(status), \(why)); check the url setting, and that the instance is awake."
      )
    case .transport(let cause): error(cause, mayRepeat: true)
    }
  }

  private func required(_ what: String) -> RPCError {
    let advice =
      switch login {
      case .basic, .password:
        "check user and password, and that the user may log in this way (users of single sign-on may not)"
      case .clientCredentials: "check clientId and clientSecret, and that the instance allows this grant"
      case .refreshToken: "log in again"
      case .authorizationCode:
        "run `ringi login \(instance)`, and check clientId, clientSecret and redirectUri if that is refused, too"
      }
    return .loginRequired(provider: instance, message: "\(instance): \(what); login is \(login.rawValue): \(advice).")
  }

  private func refused(_ body: ServiceNowErrorBody) -> RPCError {
    let what = login == .basic ? "Basic authentication, which may not be allowed there," : "the access token"
    return required("\(host) refuses \(what) or a policy forbids it\(reason(body))")
  }

  /// A page where data should be: of an instance that sleeps, of single sign-on, or of a proxy.
  private func page(_ response: HTTPResponse, _ body: ServiceNowErrorBody) -> RPCError {
    if Self.isAsleep(response) {
      return .unavailable(
        "\(instance): the instance \(host) is asleep; wake it where it was made (developer.servicenow.com).",
        details: details(response, body))
    }
    return required("\(host) answers with a web page instead of data, as single sign-on and proxies do")
  }

  static func isAsleep(_ response: HTTPResponse) -> Bool {
    response.contentType?.essence == "text/html" && response.text.string.contains("instance-hibernating-page")
  }

  private func forbidden(_ response: HTTPResponse, _ body: ServiceNowErrorBody) -> RPCError {
    if let rule = body.businessRule {
      return backend("refused the change, by its business rule \(rule.debugDescription)", response, body)
    }
    return backend("does not allow this\(reason(body)); use a login that may", response, body)
  }

  /// A 404 with a message is about a record; one without is more likely about the address.
  private func missing(_ response: HTTPResponse, _ request: HTTPRequest, _ body: ServiceNowErrorBody) -> RPCError {
    guard body.message != nil else { return backend("knows no \(request.url); check the url setting", response, body) }
    return .notFound(
      "\(instance): there is no such record, or this login may not see it.", details: details(response, body))
  }

  private func passing(_ what: String, _ response: HTTPResponse, _ body: ServiceNowErrorBody) -> RPCError {
    .unavailable(
      "\(instance): \(host) \(what)\(reason(body)); try again later.",
      retryAfter: seconds(response.retryAfter(now: clock.now)), details: details(response, body))
  }

  private func backend(_ what: String, _ response: HTTPResponse, _ body: ServiceNowErrorBody) -> RPCError {
    .backendError(
      provider: instance, status: response.status, message: "\(instance): \(host) \(what).",
      details: details(response, body))
  }

  private func details(_ response: HTTPResponse, _ body: ServiceNowErrorBody) -> [String: JSONValue] {
    var details: [String: JSONValue] = ["provider": JSONValue(instance), "status": JSONValue(response.status)]
    if body.isCutShort { details["code"] = JSONValue(Self.cutShort) }
    if let message = body.message { details["message"] = JSONValue(message) }
    if let detail = body.detail { details["detail"] = JSONValue(detail) }
    if let rule = body.businessRule { details["businessRule"] = JSONValue(rule) }
    for (header, name) in [("X-RateLimit-Limit", "rateLimit"), ("X-RateLimit-Rule", "rateLimitRule")]
    where response.status == 429 {
      if let value = response.headers[header] { details[name] = JSONValue(value) }
    }
    return details
  }

  private func reason(_ body: ServiceNowErrorBody) -> String {
    let parts = [body.message, body.detail].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ": ")
    return parts.isEmpty ? "" : ": \(parts.hasSuffix(".") ? String(parts.dropLast()) : parts)"
  }

  private func seconds(_ duration: Duration?) -> Double? { duration.map { Double($0.components.seconds) } }
}
