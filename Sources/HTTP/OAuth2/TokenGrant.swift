public import EventLoop

/// One way to obtain an access token; `TokenSource` keeps it and shares it.
@Loop public protocol TokenGrant: AnyObject {
  /// Asks for a new token, at each call anew.
  ///
  /// - Returns: The token.
  /// - Throws: `TokenError` when none was given, or nobody answered.
  func fetch() async throws(TokenError) -> AccessToken
}
