internal import RingiKit

/// How the page of a login is told from other pages.
enum CuramLoginPage {
  /// The pages of the product's form login.
  private static let names = ["logon.jsp", "login.jsp", "j_security_check"]

  /// Whether a redirect leads to a login: to the installation's, or to another host, as single sign-on does.
  ///
  /// A 303 tells where to see what came of a request that was carried out (RFC 9110 §15.4.4), whose host may be wrong
  /// behind a gateway; scheme and port may be so, too, in any redirect.
  static func isTarget(of response: HTTPResponse) -> Bool {
    guard let target = response.headers["Location"].flatMap({ try? response.url.resolving($0) }) else { return false }
    let name = target.text.prefix { $0 != "?" }.split(separator: "/").last?.prefix { $0 != ";" }
    if let name, names.contains(name.lowercased()) { return true }
    return target.origin.host != response.url.origin.host && response.status != 303
  }

  /// Whether a page asks for a password.
  static func isBody(of response: HTTPResponse) -> Bool {
    guard response.contentType?.essence == "text/html" else { return false }
    let text = response.text.string.lowercased().filter { $0 != "\"" && $0 != "'" }
    return text.contains("j_security_check") || text.contains("type=password")
  }
}
