public import EventLoop

/// Sends requests; a client that adds something (authorization, retries) wraps another one.
@Loop public protocol HTTPClient: AnyObject {
  /// Sends `request` and waits for the whole response. A status of 500 is a response.
  ///
  /// Cancelling the calling task stops the transfer.
  ///
  /// - Parameter request: What to send, with its limits of time and size.
  /// - Returns: The response, whatever its status.
  /// - Throws: `HTTPError` when no whole response arrived; its `requestWasSent` decides whether a retry is safe.
  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse
}
