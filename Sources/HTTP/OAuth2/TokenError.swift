/// Why there is no access token.
///
/// It holds none of the server's free text, since some servers repeat there what they were sent.
public enum TokenError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The token endpoint refused (RFC 6749 §5.2); with its error code, if it gave one.
  case refused(status: Int, code: String?)
  /// The token endpoint is overloaded or broken; with what it asks for in `Retry-After`.
  case unavailable(status: Int, retryAfter: Duration?)
  /// The answer is no token; with the reason.
  case unusable(status: Int, String)
  /// The client secret cannot be read; with the reason.
  case noClientSecret(String)
  /// There is no refresh token to begin with; with the reason, if there is one.
  case noRefreshToken(String?)
  /// The place where the refresh token is kept is of no use now; with the reason.
  case storage(String)
  /// No answer came.
  indirect case transport(HTTPError)

  /// Whether somebody has to log in, or to correct the credentials, before it can succeed.
  public var needsLogin: Bool {
    switch self {
    case .refused, .noClientSecret, .noRefreshToken: true
    case .unavailable, .unusable, .storage, .transport: false
    }
  }

  /// Whether the same may well succeed later.
  public var isPassing: Bool {
    switch self {
    case .unavailable: true
    case .transport(let error): error.isPassing
    case .refused, .unusable, .noClientSecret, .noRefreshToken, .storage: false
    }
  }

  public var description: String {
    switch self {
    case .refused(let status, let code):
      "no access token, the login server refused (status \(status)\(code.map { ", \($0)" } ?? "")): \(Self.advice(code))"
    case .unavailable(let status, _): "no access token, the login server is not available (status \(status)); try later"
    case .unusable(let status, let why):
      "no access token in the login server's answer (status \(status)), \(why); check the token URL"
    case .noClientSecret(let why): "no access token, the client secret cannot be read: \(why)"
    case .noRefreshToken(nil): "no access token, nobody has logged in yet; log in"
    case .noRefreshToken(let why?): "no access token, there is no refresh token: \(why)"
    case .storage(let why): "no access token, the refresh token cannot be read or kept: \(why)"
    case .transport(let error): "no access token, \(error)"
    }
  }

  private static func advice(_ code: String?) -> String {
    switch code {
    case "invalid_client": "check client id and client secret"
    case "invalid_grant": "the login has expired or was revoked, log in again"
    case "unauthorized_client", "unsupported_grant_type": "the client is not registered for this kind of login"
    case "invalid_scope": "check the scope"
    default: "check the credentials and the token URL"
    }
  }
}
