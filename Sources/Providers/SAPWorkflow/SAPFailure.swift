internal import RingiKit

/// Turns what the service or the way to it answered into an error that says what to do.
@Loop
struct SAPFailure {
  let instance: String
  let clock: any LoopClock

  /// The error for an answer that is no success.
  func error(_ response: HTTPResponse, _ request: HTTPRequest) -> RPCError {
    let body = SAPErrorBody(response)
    switch response.status {
    case 200...399: return login("answers with a page instead of data, as after the end of a login")
    case 401: return login("refuses the credentials\(reason(body))")
    case 403: return forbidden(response, body)
    case 404: return missing(response, request, body)
    case 408, 409, 425, 429, 500...: return passing(response, body)
    default: return backend("refused the request\(reason(body))", response, body)
    }
  }

  /// The error for an answer that never came.
  func error(_ error: HTTPError, mayRepeat: Bool) -> RPCError { transport.error(error, mayRepeat: mayRepeat) }

  /// The service's answer does not look as it should.
  func malformed(_ what: String) -> RPCError {
    .backendError(
      provider: instance, message: "\(instance): the service's answer makes no sense, \(what); check the url setting.")
  }

  private var transport: TransportFailure {
    TransportFailure(
      instance: instance, credentials: "user and password, or the service key", loginAddress: "url and uaaUrl")
  }

  private func login(_ what: String) -> RPCError { transport.login(what) }

  private func forbidden(_ response: HTTPResponse, _ body: SAPErrorBody) -> RPCError {
    if NeoClient.refusesToken(response) {
      return backend(
        "refused a fresh CSRF token twice; check that nothing on the way removes cookies", response, body)
    }
    return backend(
      "does not allow this\(reason(body)); grant the scope or role, or use a login that has it", response, body)
  }

  /// A 404 with a code is about a record; one without is more likely about the address.
  private func missing(_ response: HTTPResponse, _ request: HTTPRequest, _ body: SAPErrorBody) -> RPCError {
    guard let code = body.code else {
      return backend("knows no \(request.url); check the url setting", response, body)
    }
    return .notFound(
      "\(instance): the service does not know it\(reason(body)).",
      details: ["provider": JSONValue(instance), "status": 404, "code": JSONValue(code)])
  }

  private func passing(_ response: HTTPResponse, _ body: SAPErrorBody) -> RPCError {
    let what = response.status == 409 ? "is busy with the workflow" : "is not available"
    return .unavailable(
      "\(instance): the service \(what) (status \(response.status))\(reason(body)); try again later.",
      retryAfter: seconds(response.retryAfter(now: clock.now)), details: details(response, body))
  }

  private func backend(_ what: String, _ response: HTTPResponse, _ body: SAPErrorBody) -> RPCError {
    .backendError(
      provider: instance, status: response.status, code: body.code,
      message: "\(instance): the service \(what).", details: details(response, body))
  }

  private func details(_ response: HTTPResponse, _ body: SAPErrorBody) -> [String: JSONValue] {
    var details: [String: JSONValue] = ["provider": JSONValue(instance), "status": JSONValue(response.status)]
    if let code = body.code { details["code"] = JSONValue(code) }
    if let message = body.message { details["message"] = JSONValue(message) }
    if let logID = body.logID { details["logId"] = JSONValue(logID) }
    if !body.details.isEmpty { details["details"] = JSONValue(array: body.details.map { JSONValue($0) }) }
    return details
  }

  private func reason(_ body: SAPErrorBody) -> String {
    let parts = ([body.message].compactMap(\.self) + body.details).joined(separator: " ")
    return parts.isEmpty ? "" : ": \(parts.hasSuffix(".") ? String(parts.dropLast()) : parts)"
  }

  private func seconds(_ duration: Duration?) -> Double? { duration.map { Double($0.components.seconds) } }
}
