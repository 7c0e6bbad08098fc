public import EventLoop

/// One way to obtain an access token; `TokenSource` keeps it and shares it.
@Loop public protocol TokenGrant: AnyObject {
  /// Asks the token endpoint for a new token.
  func fetch() async throws(TokenError) -> AccessToken
}
