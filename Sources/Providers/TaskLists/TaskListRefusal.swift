internal import RingiKit

/// Turns the refusals that list backends have in common into errors that say what to do.
@Loop
struct TaskListRefusal {
  let instance: String
  let clock: any LoopClock

  /// The token is not taken; `advice` says what renews the login.
  func login(_ reason: String?, _ advice: String) -> RPCError {
    .loginRequired(
      provider: instance, message: "\(instance): the service refuses the access token\(text(reason)); \(advice).")
  }

  func missing(_ response: HTTPResponse, _ reason: String?) -> RPCError {
    .notFound(
      "\(instance): the service does not know it\(text(reason)).",
      details: ["provider": JSONValue(instance), "status": JSONValue(response.status)])
  }

  func passing(_ response: HTTPResponse, _ reason: String?) -> RPCError {
    .unavailable(
      "\(instance): the service is not available (status \(response.status))\(text(reason)); try again later.",
      retryAfter: response.retryAfter(now: clock.now).map { Double($0.components.seconds) },
      details: ["provider": JSONValue(instance), "status": JSONValue(response.status)])
  }

  func backend(
    _ response: HTTPResponse, _ what: String, code: String? = nil, details: [String: JSONValue] = [:]
  ) -> RPCError {
    .backendError(
      provider: instance, status: response.status, code: code, message: "\(instance): the service \(what).",
      details: details)
  }

  private func text(_ reason: String?) -> String {
    reason.map { ": \($0.hasSuffix(".") ? String($0.dropLast()) : $0)" } ?? ""
  }
}
