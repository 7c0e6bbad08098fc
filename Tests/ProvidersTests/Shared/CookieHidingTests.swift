import EventLoop
import HTTP
import HTTPServer
import RingiTestSupport
import Testing

@testable import Providers

@Suite struct CookieHidingTests {
  /// WebSphere gives its session by the first answer after the login.
  @Test func aSessionIsHiddenWhicheverAnswerSetsItAndAWordThatOthersUseTooIsNot() async throws {
    let session = String(repeating: "A", count: 16)
    let server = try LoopbackServer { request in
      request.path == "/login"
        ? ServerResponse(status: 200)
        : ServerResponse(status: 200, headers: ["Set-Cookie": "JSESSIONID=\(session)", "set-cookie": "locale=en_US"])
    }
    try await onLoop {
      let (jar, hidden) = (CookieJar(), Notes<String>())
      let client = CookieHidingClient(CurlClient(userAgent: "Ringi/test")) { hidden.add($0) }
      _ = try await client.send(HTTPRequest(.get, try HTTPURL(server.url + "/login"), cookies: jar))
      #expect(hidden.all.isEmpty)
      _ = try await client.send(HTTPRequest(.get, try HTTPURL(server.url), cookies: jar))
      #expect(jar.pairs.count == 2 && hidden.all == [session])
    }
  }
}
