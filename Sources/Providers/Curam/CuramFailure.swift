internal import RingiKit

/// Turns what the service or the way to it answered into an error that says what to do.
@Loop
struct CuramFailure {
  let instance: String
  let clock: any LoopClock

  /// The error for an answer that is no success.
  func error(_ response: HTTPResponse) -> RPCError {
    let body = CuramErrorBody(response)
    switch response.status {
    case 200...399, 401: return login("answers as if nobody were logged in, right after a login (\(shape(response)))")
    case 403: return forbidden(response, body)
    case 404:
      return .notFound(
        "\(instance): the service knows no \(response.url)\(body.reason); check the path, and the url setting.",
        details: details(response, body))
    case 408, 425, 429, 500...:
      return .unavailable(
        "\(instance): the service is not available (status \(response.status))\(body.reason); try again later.",
        retryAfter: response.retryAfter(now: clock.now).map { Double($0.components.seconds) },
        details: details(response, body))
    default: return backend("refused the request\(body.reason)", response, body)
    }
  }

  /// The error for an answer that never came.
  func error(_ error: HTTPError, mayRepeat: Bool) -> RPCError {
    .noAnswer(error, instance, mayRepeat: mayRepeat)
  }

  /// The service's answer does not look as it should.
  func malformed(_ what: String) -> RPCError {
    .backendError(provider: instance, message: "\(instance): the service's answer makes no sense, \(what).")
  }

  /// The login did not lead to a session.
  func login(_ what: String) -> RPCError {
    .loginRequired(provider: instance, message: "\(instance): the service \(what); check url, user and password.")
  }

  func backend(_ what: String, _ response: HTTPResponse) -> RPCError {
    backend(what, response, CuramErrorBody(response))
  }

  /// How an answer says that nobody is logged in; of a redirect the host alone, since the rest may hold a ticket.
  func shape(_ response: HTTPResponse) -> String {
    switch response.status {
    case 300...399:
      let target = response.headers["Location"].flatMap { try? response.url.resolving($0) }
      return "status \(response.status)\(target.map { ", to \($0.origin.host)" } ?? "")"
    case 401: return "status 401"
    default: return "status \(response.status) and a page"
    }
  }

  private func forbidden(_ response: HTTPResponse, _ body: CuramErrorBody) -> RPCError {
    if body.codes.contains(CuramErrorBody.refererCode) {
      return backend(
        "refuses the Referer; set referer to a value that begins with curam://, or have the site list it in curam.rest.refererDomains",
        response, body)
    }
    if body.codes.contains(CuramErrorBody.tokenCode) {
      return backend(
        "refuses the CSRF token; set csrf to auto, and check that nothing on the way removes cookies", response, body)
    }
    return backend("does not allow this\(body.reason); grant the right, or use a login that has it", response, body)
  }

  private func backend(_ what: String, _ response: HTTPResponse, _ body: CuramErrorBody) -> RPCError {
    .backendError(
      provider: instance, status: response.status, code: body.codes.first.map { String($0) },
      message: "\(instance): the service \(what).", details: details(response, body))
  }

  private func details(_ response: HTTPResponse, _ body: CuramErrorBody) -> [String: JSONValue] {
    var details: [String: JSONValue] = ["provider": JSONValue(instance), "status": JSONValue(response.status)]
    if let code = body.codes.first { details["code"] = JSONValue(String(code)) }
    if !body.messages.isEmpty {
      details["message"] = JSONValue(body.messages[0])
      details["messages"] = JSONValue(array: body.messages.map { JSONValue($0) })
    }
    return details
  }
}
