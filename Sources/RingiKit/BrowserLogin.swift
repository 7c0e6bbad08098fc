public import EventLoop
public import HTTP

/// A backend where a person logs in with a browser: OAuth 2.0's authorization code (RFC 6749 §4.1) for a program on the
/// person's own machine (RFC 8252).
///
/// The agent makes the state and the proof key, and calls ``logIn(code:verifier:)`` only for an answer to what it began.
@Loop
public protocol BrowserLogin: AnyObject {
  /// Where the backend sends the browser back to, just as it is registered there: an http address of this machine, with
  /// a port.
  var redirect: String { get }

  /// The page on which the person grants the access.
  ///
  /// - Parameters:
  ///   - state: To be carried along to the redirect.
  ///   - challenge: The proof key's challenge, by the method S256 (RFC 7636 §4.2), for a backend that takes one.
  /// - Returns: The page's address.
  /// - Throws: `RPCError` where a login would be of no use.
  func page(state: String, challenge: String) throws -> HTTPURL

  /// Exchanges the code for tokens, once, and keeps them where the instance reads them.
  ///
  /// - Parameters:
  ///   - code: What came back with the browser.
  ///   - verifier: The proof key.
  /// - Returns: Who is logged in, as the backend calls them.
  /// - Throws: `RPCError`; the tokens of before stay then.
  func logIn(code: String, verifier: String) async throws -> String
}
