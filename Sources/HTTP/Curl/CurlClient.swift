public import EventLoop

/// The client that reaches the network, through libcurl; all of them share one pool of connections.
///
/// HTTP/2 is used where TLS offers it, and a proxy where the environment names one (`https_proxy`, `no_proxy`, …).
@Loop public final class CurlClient: HTTPClient {
  private let tls: TLSSettings
  private let userAgent: String

  /// - Parameters:
  ///   - tls: Whom to trust and who we are.
  ///   - userAgent: The program and its version, as in `Ringi/1.0`.
  public init(tls: TLSSettings = TLSSettings(), userAgent: String) {
    self.tls = tls
    self.userAgent = userAgent
  }

  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    guard case .follow(let limit) = request.redirects else { return try await perform(request) }
    var response = try await perform(request)
    var current = request
    var count = 0
    while let next = try current.redirected(by: response) {
      count += 1
      guard count <= limit else {
        throw HTTPError(.tooManyRedirects(limit), requestWasSent: true, of: request)
      }
      do throws(HTTPError) {
        response = try await perform(next)
      } catch {
        throw HTTPError(error.kind, requestWasSent: true, target: error.target)
      }
      current = next
    }
    return response
  }

  private func perform(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
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
