import EventLoop
import HTTP
import HTTPServer
import RingiTestSupport
import Testing

@Suite struct CookieJarTests {
  /// Answers `/set` with `cookies`, one header line each, and anything with the `Cookie` header it got.
  private func server(_ cookies: [String]) throws -> LoopbackServer {
    try LoopbackServer { request in
      var response = ServerResponse(status: 200, text: request.headers["Cookie"] ?? "")
      if request.path.hasPrefix("/set") { for cookie in cookies { response.headers.add("Set-Cookie", cookie) } }
      return response
    }
  }

  /// What is sent to `path` after a visit to `/set`, sorted.
  @Loop private func sent(_ cookies: [String], to path: String) async throws -> [String] {
    let server = try server(cookies)
    let jar = CookieJar()
    _ = try await send(HTTPRequest(.get, server.address("/set"), cookies: jar))
    return try await send(HTTPRequest(.get, server.address(path), cookies: jar)).text.string
      .split(separator: "; ").map(String.init).sorted()
  }

  @Test func cookiesOfSeveralHeadersComeBackWithTheirOddNamesAndValues() async throws {
    try await onLoop { () async throws in
      let cookies = [
        "JSESSIONID=0123ABCD; Path=/workflow-service; Secure; HttpOnly",
        "JTENANTSESSIONID_p1=a%2Bb%3D; Path=/; Secure; HttpOnly",
        "BIGipServer~jpaas_folder~app.host=!abc/+==; path=/; httponly; secure",
      ]
      #expect(
        try await sent(cookies, to: "/workflow-service/rest") == [
          "BIGipServer~jpaas_folder~app.host=!abc/+==", "JSESSIONID=0123ABCD", "JTENANTSESSIONID_p1=a%2Bb%3D",
        ])
      #expect(try await sent(cookies, to: "/other").count == 2)
    }
  }

  @Test(arguments: [
    "a=1; Domain=example.org", "a=1; Domain=.hana.example", "a=1; Max-Age=0", "=", "a=1; Path=/elsewhere",
  ])
  func whatTheRulesRefuseIsNotSent(_ cookie: String) async throws {
    try await onLoop { () async throws in #expect(try await sent([cookie], to: "/").isEmpty) }
  }

  @Test func aCookieIsReplacedAndDeletedByTheServer() async throws {
    let server = try LoopbackServer { request in
      let cookie =
        request.path == "/1" ? "a=1" : request.path == "/2" ? "a=2" : "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"
      return ServerResponse(status: 200, headers: ["Set-Cookie": cookie], text: request.headers["Cookie"] ?? "none")
    }
    try await onLoop {
      let jar = CookieJar()
      var seen: [String] = []
      for path in ["/1", "/2", "/3", "/1"] {
        seen.append(try await send(HTTPRequest(.get, server.address(path), cookies: jar)).text.string)
      }
      #expect(seen == ["none", "a=1", "a=2", "none"])
      #expect(!jar.isEmpty)
      jar.removeAll()
      #expect(jar.isEmpty)
      #expect(try await send(HTTPRequest(.get, server.address("/1"), cookies: jar)).text.string == "none")
    }
  }

  @Test func jarsAndPortsAreKeptApart() async throws {
    let server = try server(["a=1; Path=/"])
    let other = try self.server([])
    try await onLoop {
      let jar = CookieJar()
      _ = try await send(HTTPRequest(.get, server.address("/set"), cookies: jar))
      #expect(try await send(HTTPRequest(.get, server.address(), cookies: jar)).text.string == "a=1")
      #expect(try await send(HTTPRequest(.get, other.address(), cookies: jar)).text.string == "")
      #expect(try await send(HTTPRequest(.get, server.address(), cookies: CookieJar())).text.string == "")
      #expect(try await send(HTTPRequest(.get, server.address())).text.string == "")
    }
  }

  @Test func requestsAtTheSameTimeDoNotUndoEachOthersCookies() async throws {
    let server = try LoopbackServer { request in
      // The slow request began with an empty jar and ends after all others.
      let number = request.path.dropFirst()
      var response = ServerResponse(
        status: 200, headers: ["Set-Cookie": "c\(number)=1; Path=/"], text: request.headers["Cookie"] ?? "")
      response.delivery.delay = .milliseconds(number == "0" ? 100 : 0)
      return response
    }
    try await onLoop {
      let jar = CookieJar()
      let requests = try (0..<8).map { HTTPRequest(.get, try server.address("/\($0)"), cookies: jar) }
      let tasks = requests.map { request in Loop.task { try await send(request) } }
      for task in tasks { _ = try await task.value }
      let cookies = try await send(HTTPRequest(.get, server.address("/9"), cookies: jar)).text.string
      #expect(Set(cookies.split(separator: "; ")) == Set((0..<8).map { "c\($0)=1" }))
    }
  }

  @Test func cookiesOfARedirectAreKept() async throws {
    let server = try LoopbackServer { request in
      request.path == "/"
        ? ServerResponse(status: 302, headers: ["Location": "/next", "Set-Cookie": "a=1; Path=/"])
        : ServerResponse(status: 200, text: request.headers["Cookie"] ?? "")
    }
    try await onLoop {
      let request = HTTPRequest(.get, try server.address(), cookies: CookieJar())
      #expect(try await sendOn(request).text.string == "a=1")
    }
  }
}
