internal import RingiKit

/// What shows that a session is none, or none any more.
enum NowWebSigns {
  private static let loginPaths: Set<String> = [
    "/login.do", "/session_timeout.do", "/login_redirect.do", "/auth_redirect.do", "/login_with_sso.do",
    "/login_locate_sso.do", "/logout_success.do", "/external_logout_complete.do",
  ]

  /// Whether the address is one of those on the way to a login.
  static func isLogin(_ url: HTTPURL) -> Bool {
    loginPaths.contains(String(url.target.prefix { $0 != "?" }).lowercased())
  }

  /// Whether the address is one of the message bus, whose requests change nothing and are held open.
  static func isPoll(_ url: HTTPURL) -> Bool { url.target.hasPrefix("/amb/") }

  /// Whether the address is no page to come back to after a login.
  static func isPassedBy(_ url: HTTPURL) -> Bool { isLogin(url) || url.target.hasPrefix("/logout.do") }

  /// Whether the answer is for somebody who isn't logged in.
  @Loop
  static func isLogin(_ response: HTTPResponse) -> Bool {
    if isLogin(response.url) || GuestClient.isForGuest(response) { return true }
    let isLoggedOut = response.headers["X-Is-Logged-In"]?.lowercased() == "false"
    switch response.status {
    case 401: return isLoggedOut
    // Portals show the form in the place of the page, without a redirect. Other kinds of files may be anybody's.
    case 200 where response.contentType?.essence == "text/html": return isLoggedOut || hasLoginForm(response.body)
    default: return false
    }
  }

  /// The names of the form's parts; one alone may stand on a page that asks for a signature.
  private static func hasLoginForm(_ body: [UInt8]) -> Bool {
    NowWebBytes.contains("user_password", in: body) && NowWebBytes.contains("sysverb_login", in: body)
  }
}
