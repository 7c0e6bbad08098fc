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

  /// The error for a write of which nobody knows whether it was made.
  ///
  /// - Parameters:
  ///   - unclear: Why.
  ///   - instance: The plugin instance.
  ///   - advice: What to do, as a part of a sentence.
  ///   - details: Further details.
  /// - Returns: The error (outcome-unknown).
  static func outcomeUnknown(
    _ unclear: UnclearOutcome, at instance: String, _ advice: String, details: [String: JSONValue] = [:]
  ) -> RPCError {
    .outcomeUnknown(
      "\(instance): the request was sent, and no answer tells what came of it (\(unclear.cause.message)): it may have happened; \(advice).",
      details: details.merging(["provider": JSONValue(instance), "cause": unclear.cause.json]) { $1 })
  }
}

extension HTTPError {
  /// What a write ends in that got no answer.
  ///
  /// - Parameter cause: The error as a client of the agent sees it.
  /// - Returns: The cause when nothing was sent, `UnclearOutcome` when the write may have arrived.
  func ofWrite(_ cause: RPCError) -> any Error { requestWasSent ? UnclearOutcome(cause: cause) : cause }
}
