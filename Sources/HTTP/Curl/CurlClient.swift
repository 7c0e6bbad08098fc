public import EventLoop

/// The client that reaches the network, through libcurl; all of them share one pool of connections.
///
/// A redirect is a response like any other. HTTP/2 is used where TLS offers it, and a proxy where the environment names one (`https_proxy`, `no_proxy`, …).
@Loop public final class CurlClient: HTTPClient {
  private let tls: TLSSettings
  private let userAgent: String

  /// Keeps what all its requests have in common; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - tls: Whom to trust and who we are.
  ///   - userAgent: The program and its version, as in `Ringi/1.0`.
  public init(tls: TLSSettings = TLSSettings(), userAgent: String) {
    self.tls = tls
    self.userAgent = userAgent
  }

  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let transfer = try CurlTransfer(request, tls: tls, userAgent: userAgent)
    guard !Task.isCancelled else { throw HTTPError(.cancelled, of: request) }
    let (trace, began) = (HTTPTrace.current, HTTPTrace.current?.uptime ?? 0)
    let outcome = await withTaskCancellationHandler {
      await transfer.run()
    } onCancel: {
      Loop.run { transfer.cancel() }
    }
    trace?.note(request, outcome, since: began, certificateEnd: transfer.certificateEnd)
    return try outcome.get()
  }
}
