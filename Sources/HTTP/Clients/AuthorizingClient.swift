public import EventLoop

/// Adds the access token of a `TokenSource` to each request.
///
/// A 401 drops the token; the request is repeated once with a new one, whatever its method, since a request refused for
/// its credentials was not carried out.
@Loop public final class AuthorizingClient: HTTPClient {
  private let base: any HTTPClient
  private let tokens: TokenSource

  public init(_ base: any HTTPClient, tokens: TokenSource) {
    self.base = base
    self.tokens = tokens
  }

  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let token = try await accessToken(for: request)
    let response = try await base.send(request.bearing(token))
    guard response.status == 401 else { return response }
    tokens.drop(token)
    return try await base.send(request.bearing(accessToken(for: request)))
  }

  private func accessToken(for request: HTTPRequest) async throws(HTTPError) -> AccessToken {
    do throws(TokenError) {
      return try await tokens.token()
    } catch {
      if case .transport(let cause) = error, cause.kind == .cancelled { throw HTTPError(.cancelled, of: request) }
      throw HTTPError(.token(error), of: request)
    }
  }
}

extension HTTPRequest {
  fileprivate func bearing(_ token: AccessToken) -> HTTPRequest {
    var request = self
    request.headers["Authorization"] = "Bearer \(token.value)"
    return request
  }
}
