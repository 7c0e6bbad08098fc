internal import HTTPServer
internal import JSON

extension ServerResponse {
  static func json(_ value: JSONValue, status: Int = 200) -> ServerResponse {
    ServerResponse(status: status, headers: ["Content-Type": "application/json"], body: value.utf8)
  }

  /// An HTML page like those of the web server before the service.
  static func page(_ status: Int, _ heading: String, title: String = "Error report") -> ServerResponse {
    let html = "<html><head><title>\(title)</title></head><body><h1>\(heading)</h1></body></html>"
    return ServerResponse(
      status: status, headers: ["Content-Type": "text/html;charset=utf-8", "Content-Language": "en"], text: html)
  }

  /// What a proxy answers instead of the service when the login has expired: success, and HTML.
  static let loginPage = ServerResponse(
    status: 200, headers: ["Content-Type": "text/html;charset=utf-8", "Content-Language": "en"],
    text: """
      <html><head><title>Login</title></head><body><h1>Unauthorized: log in to continue</h1>
      <form method="post" action="j_security_check"><input name="j_username"><input name="j_password" type="password">
      </form></body></html>
      """)
}
