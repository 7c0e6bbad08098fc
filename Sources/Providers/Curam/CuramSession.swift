internal import RingiKit

/// What one login gave: its cookies, whatever their names, and the CSRF token that ends with the session.
@Loop
final class CuramSession {
  /// All cookies of the login, the load balancer's too; never those of an earlier login.
  let cookies = CookieJar()
  /// The token that requests carry; nil as long as none was needed.
  var token: String?
  let tokenFetch = SingleFlight<Void, RPCError>()
}
