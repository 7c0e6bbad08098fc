public import EventLoop

/// Sends requests; a client that adds something (authorization, retries) wraps another one.
@Loop public protocol HTTPClient: AnyObject {
  /// Sends `request` and waits for the whole response. A status of 500 is a response.
  ///
  /// Cancelling the calling task stops the transfer.
  /// - Throws: `HTTPError` when no whole response arrived; its `requestWasSent` decides whether a retry is safe.
  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse
}
