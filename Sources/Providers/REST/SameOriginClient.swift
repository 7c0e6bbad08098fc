internal import RingiKit

/// Sends requests to one server and no other, so that the credentials in them reach nobody else.
///
/// It follows redirects by itself, for a client that strips `Authorization` alone would carry a header of the service's
/// own anywhere: a read goes where it leads within the server, a write where method and content stay (307, 308).
@Loop
final class SameOriginClient: HTTPClient {
  private let base: any HTTPClient
  private let origin: HTTPURL.Origin

  private static let mostRedirects = 5

  init(_ base: any HTTPClient, origin: HTTPURL.Origin) {
    self.base = base
    self.origin = origin
  }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    guard request.url.origin == origin else {
      throw HTTPError(.badURL("it is another server than the settings name"), of: request)
    }
    var current = request
    for _ in 0...Self.mostRedirects {
      let response = try await base.send(current)
      guard let target = try target(of: response, to: current) else { return response }
      current.url = target
    }
    throw HTTPError(.tooManyRedirects(Self.mostRedirects), requestWasSent: true, of: request)
  }

  /// Where a redirect leads; nil for any other answer, and for a redirect that a write must not follow.
  private func target(of response: HTTPResponse, to request: HTTPRequest) throws(HTTPError) -> HTTPURL? {
    let statuses = request.method == .get ? [301, 302, 303, 307, 308] : [307, 308]
    guard statuses.contains(response.status), let location = response.headers["Location"] else { return nil }
    let target: HTTPURL
    do throws(HTTPError) {
      target = try response.url.resolving(location)
    } catch {
      throw HTTPError(error.kind, requestWasSent: false, of: request)
    }
    guard target.origin == origin else {
      // A server that sends a request elsewhere has not carried it out.
      throw HTTPError(.badRedirect("it leads to another server"), requestWasSent: false, of: request)
    }
    return target
  }
}
