import EventLoop
import HTTP
import HTTPServer
import RingiTestSupport
import Testing

@testable import Providers

@Suite struct CookieHidingTests {
  @Test func aSessionIsHiddenAndAWordThatOthersUseTooIsNot() async throws {
    let session = String(repeating: "A", count: 16)
    let server = try LoopbackServer { _ in
      ServerResponse(status: 200, headers: ["Set-Cookie": "LtpaToken2=\(session)", "set-cookie": "locale=en_US"])
    }
    try await onLoop {
      let jar = CookieJar()
      _ = try await CurlClient(userAgent: "Ringi/test").send(HTTPRequest(.get, try HTTPURL(server.url), cookies: jar))
      #expect(jar.pairs.count == 2)
      let hidden = Notes<String>()
      jar.hide { hidden.add($0) }
      #expect(hidden.all == [session])
    }
  }
}
