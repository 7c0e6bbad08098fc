internal import RingiKit

/// Turns what the service or the way to it answered into an error that says what to do.
@Loop
struct RESTFailure {
  let instance: String
  let clock: any LoopClock
  let rules: RESTErrors

  /// The error for an answer that is no success.
  func error(_ response: HTTPResponse) -> RPCError {
    if (200...399).contains(response.status), response.isPage {
      return transport.login("answers with a page instead of data, as after the end of a login")
    }
    let refusal = Refusal(response, rules)
    switch rules.kind(status: response.status, code: refusal.code) {
    case .loginRequired: return transport.login("refuses the credentials\(refusal.reason)")
    case .notFound where response.isPage: return unknownAddress(response, refusal)
    case .notFound:
      return .notFound(
        "\(instance): the service does not know it\(refusal.reason).", details: details(response, refusal))
    case .conflict:
      return .conflict(
        "\(instance): the service refused the change (status \(response.status))\(refusal.reason); read it again.",
        details: details(response, refusal))
    case .unavailable:
      return .unavailable(
        "\(instance): the service is not available (status \(response.status))\(refusal.reason); try again later.",
        retryAfter: response.retryAfter(now: clock.now).map { Double($0.components.seconds) },
        details: details(response, refusal))
    case .backendError: return backend(response, refusal)
    }
  }

  /// The error for an answer that never came.
  func error(_ error: HTTPError, mayRepeat: Bool) -> RPCError {
    let failure = transport.error(error, mayRepeat: mayRepeat)
    guard case .token(let token) = error.kind, RefusedCredentials.stands(token) else { return failure }
    return .loginRequired(
      provider: instance,
      message: failure.message + " They are not sent again before they change or the plugin is restarted.")
  }

  /// The service's answer does not look as it should.
  func malformed(_ what: String) -> RPCError {
    .backendError(
      provider: instance, message: "\(instance): the service's answer makes no sense, \(what); check the settings.")
  }

  /// Something in an answer would take the credentials to another server.
  func leadsAway(_ what: String) -> RPCError {
    .backendError(
      provider: instance,
      message: "\(instance): \(what) is on another server than the url setting names, and was not fetched.")
  }

  private var transport: TransportFailure {
    TransportFailure(instance: instance, credentials: "auth in its settings", loginAddress: "url and auth")
  }

  private func unknownAddress(_ response: HTTPResponse, _ refusal: Refusal) -> RPCError {
    .backendError(
      provider: instance, status: response.status, code: refusal.code,
      message: "\(instance): the service knows no \(response.url); check url and path.",
      details: details(response, refusal))
  }

  private func backend(_ response: HTTPResponse, _ refusal: Refusal) -> RPCError {
    let what =
      switch response.status {
      case 206: "gave a part of the answer alone"
      case 300...399: "leads elsewhere, where no request goes"
      case 403: "does not allow this"
      case 405, 406, 415: "does not take such a request; check method and body in the settings"
      default: "refused the request"
      }
    return .backendError(
      provider: instance, status: response.status, code: refusal.code,
      message: "\(instance): the service \(what) (status \(response.status))\(refusal.reason).",
      details: details(response, refusal))
  }

  private func details(_ response: HTTPResponse, _ refusal: Refusal) -> [String: JSONValue] {
    var details: [String: JSONValue] = ["provider": JSONValue(instance), "status": JSONValue(response.status)]
    if let code = refusal.code { details["code"] = JSONValue(code) }
    if let message = refusal.message { details["message"] = JSONValue(message) }
    if let more = refusal.details { details["details"] = more }
    return details
  }
}

/// The body of a refusal, in whichever of its forms; every part may be missing.
private struct Refusal {
  let code: String?
  let message: String?
  let details: JSONValue?

  init(_ response: HTTPResponse, _ rules: RESTErrors) {
    let json = try? response.plainJSON()
    func first(_ pointers: [JSONPointer]) -> JSONValue? {
      pointers.lazy.compactMap { json?[pointer: $0] }.first { !$0.isNull }
    }
    func text(_ pointers: [JSONPointer]) -> String? {
      pointers.lazy.compactMap { json?[pointer: $0] }.first { $0.string != nil || $0.int != nil }?.plain
    }
    code = text(rules.code)
    message = text(rules.message)
    details = first(rules.details)
  }

  /// What to say of it, after the rest of the sentence.
  var reason: String {
    let fields =
      (details?.object?.map { name, value in
        "\(name) \(value.array?.map(\.plain).joined(separator: ", ") ?? value.plain)"
      } ?? [])
      .joined(separator: "; ")
    let parts = [message ?? code, fields.isEmpty ? nil : fields].compactMap(\.self).joined(separator: ": ")
    return parts.isEmpty ? "" : ": \(parts.hasSuffix(".") ? String(parts.dropLast()) : parts)"
  }
}
