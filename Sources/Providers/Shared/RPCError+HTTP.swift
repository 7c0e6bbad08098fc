internal import RingiKit

extension RPCError {
  /// The error for an answer that never came.
  ///
  /// - Parameters:
  ///   - error: What happened.
  ///   - instance: The plugin instance.
  ///   - mayRepeat: Whether the same may be sent again even if it arrived.
  /// - Returns: The error.
  static func noAnswer(_ error: HTTPError, _ instance: String, mayRepeat: Bool) -> RPCError {
    switch error.kind {
    case .cancelled: .cancelled()
    case .resting(let left): .unavailable("\(instance): \(error)", retryAfter: Double(left.components.seconds))
    case .badURL, .badHeader, .badRedirect, .tooManyRedirects, .tooLarge, .malformed:
      .backendError(provider: instance, message: "\(instance): \(error)")
    case .token: .loginRequired(provider: instance, message: "\(instance): \(error)")
    case .resolve, .connect, .tls, .timeout, .reset, .truncated, .failed:
      .unavailable("\(instance): \(error)", isRetryable: mayRepeat || !error.requestWasSent)
    }
  }
}
