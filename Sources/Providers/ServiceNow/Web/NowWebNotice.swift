internal import HTTPServer
internal import RingiKit

/// A page that the proxy says something with.
struct NowWebNotice {
  let status: Int
  let title: String
  let text: String
  /// Where to go on, and what that is called; the address may be anybody's.
  var link: (address: String, name: String)?
  var themePath: String?

  var response: ServerResponse {
    var headers = NowWebHeaders.own
    headers.add("Content-Type", "text/html; charset=utf-8")
    headers.add("Content-Security-Policy", "default-src 'none'; style-src 'self'; frame-ancestors 'self'")
    let sheet = themePath.map { "<link rel=\"stylesheet\" href=\"\($0)\">" } ?? ""
    let anchor = link.map {
      "<p><a rel=\"noreferrer\" href=\"\(Self.escaped($0.address))\">\(Self.escaped($0.name))</a></p>"
    }
    return ServerResponse(
      status: status, headers: headers,
      text: """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8">\(sheet)<title>\(Self.escaped(title))</title></head>
        <body><main><h1>\(Self.escaped(title))</h1><p>\(Self.escaped(text))</p>\(anchor ?? "")</main></body></html>

        """)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }
}
