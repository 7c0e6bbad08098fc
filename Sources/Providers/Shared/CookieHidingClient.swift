internal import RingiKit

/// Keeps the cookies of a session out of what the agent says, whichever answer sets them.
@Loop
final class CookieHidingClient: HTTPClient {
  private let base: any HTTPClient
  private let hide: @Loop @Sendable (String) -> Void

  init(_ base: any HTTPClient, hide: @escaping @Loop @Sendable (String) -> Void) {
    (self.base, self.hide) = (base, hide)
  }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let response = try await base.send(request)
    if response.headers["Set-Cookie"] != nil { request.cookies?.hide(with: hide) }
    return response
  }
}
