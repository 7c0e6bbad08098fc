public import EventLoop

/// Adds the access token of a `TokenSource` to each request.
///
/// A 401 drops the token; the request is repeated once with a new one, whatever its method, since a request refused for
/// its credentials was not carried out. A fixed token is not sent to be refused twice.
@Loop public final class AuthorizingClient: HTTPClient {
  private let base: any HTTPClient
  private let tokens: TokenSource
  private let header: String
  private let scheme: String?

  /// Wraps a client.
  ///
  /// - Parameters:
  ///   - base: What sends.
  ///   - tokens: Where the token comes from.
  ///   - header: The header that carries it.
  ///   - scheme: The word before it; nil sends the token alone.
  public init(
    _ base: any HTTPClient, tokens: TokenSource, header: String = "Authorization", scheme: String? = "Bearer"
  ) {
    self.base = base
    self.tokens = tokens
    self.header = header
    self.scheme = scheme
  }

  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let token = try await accessToken(for: request)
    let response = try await base.send(authorized(request, by: token))
    guard response.status == 401 else { return response }
    tokens.drop(token)
    let newer = try await accessToken(for: request)
    // Some servers prolong a token in place of making one; what has no end is as it was.
    guard newer.value != token.value || newer.renewAt != nil else { return response }
    return try await base.send(authorized(request, by: newer))
  }

  private func accessToken(for request: HTTPRequest) async throws(HTTPError) -> AccessToken {
    do throws(TokenError) {
      return try await tokens.token()
    } catch {
      if case .transport(let cause) = error, cause.kind == .cancelled { throw HTTPError(.cancelled, of: request) }
      throw HTTPError(.token(error), of: request)
    }
  }

  private func authorized(_ request: HTTPRequest, by token: AccessToken) -> HTTPRequest {
    var request = request
    request.headers[header] = scheme.map { "\($0) \(token.value)" } ?? token.value
    return request
  }
}
