internal import RingiKit

/// The errors for answers that never came, the login's included.
struct TransportFailure {
  let instance: String
  /// What to check when the credentials are refused, after "check".
  let credentials: String
  /// Which settings hold the addresses of the login, after "check".
  let loginAddress: String

  /// The error for an answer that never came.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - mayRepeat: Whether the request may be sent again although it may have arrived.
  /// - Returns: The error as a client of the agent sees it.
  func error(_ error: HTTPError, mayRepeat: Bool) -> RPCError {
    if case .token(let token) = error.kind {
      self.error(token)
    } else {
      .noAnswer(error, instance, mayRepeat: mayRepeat)
    }
  }

  /// The error for credentials that the service does not take.
  ///
  /// - Parameter what: What the service did, after "the service".
  /// - Returns: The error.
  func login(_ what: String) -> RPCError {
    .loginRequired(provider: instance, message: "\(instance): the service \(what); check \(credentials).")
  }

  private func error(_ token: TokenError) -> RPCError {
    switch token {
    case .refused(let status, let code):
      login("refuses the credentials (status \(status)\(code.map { ", \($0)" } ?? ""))")
    case .noClientSecret(let why): .loginRequired(provider: instance, message: "\(instance): \(why)")
    case .noRefreshToken: .loginRequired(provider: instance, message: "\(instance): \(token)")
    case .storage: .unavailable("\(instance): \(token)")
    case .unavailable(let status, let wait):
      .unavailable(
        "\(instance): the login is not available (status \(status)); try again later.",
        retryAfter: wait.map { Double($0.components.seconds) })
    case .unusable(let status, let why):
      .backendError(
        provider: instance, status: status,
        message: "\(instance): the login's answer is of no use (status \(status), \(why)); check \(loginAddress).")
    case .transport(let cause): error(cause, mayRepeat: true)
    }
  }
}
