internal import RingiKit

/// Takes an answer that was given to a guest for a refusal of the token.
///
/// Where anybody may call, a token that is not good any more is ignored, and the answer is a success; the one sign of it
/// is a header.
@Loop
final class GuestClient: HTTPClient {
  private let base: any HTTPClient

  init(_ base: any HTTPClient) { self.base = base }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let response = try await base.send(request)
    // What a guest's write has done stays done; who sent it has to find out.
    guard request.method == .get, response.isSuccess, Self.isForGuest(response) else { return response }
    return HTTPResponse(status: 401, headers: response.headers, url: response.url)
  }

  nonisolated static func isForGuest(_ response: HTTPResponse) -> Bool {
    response.headers["X-Is-Valid-Logged-In"]?.lowercased() == "false"
  }
}
