import EventLoop
import HTTPServer
import RingiTestSupport
import Testing

@testable import HTTP

@Suite struct RedirectTests {
  /// Redirects `/` to `location`, and tells of everything that arrives.
  private func server(_ status: Int = 302, to location: String, _ seen: Notes<ServerRequest>) throws -> LoopbackServer {
    try LoopbackServer { request in
      seen.add(request)
      return request.path == "/"
        ? ServerResponse(status: status, headers: ["Location": location]) : ServerResponse(status: 200)
    }
  }

  private let secrets: HTTPHeaders = [
    "Authorization": "Bearer x", "Cookie": "a=b", "X-CSRF-Token": "x", "X-Access-Token": "x", "X-Client-ID": "x",
    "Accept": "application/json",
  ]

  @Test func aRedirectIsAResponseLikeAnyOther() async throws {
    let seen = Notes<ServerRequest>()
    let server = try server(to: "/next", seen)
    try await onLoop {
      let response = try await send(HTTPRequest(.get, server.address()))
      #expect(response.status == 302)
      #expect(response.headers["location"] == "/next")
    }
    #expect(seen.all.count == 1)
  }

  @Test func withinAnOriginHeadersAndCookiesGoAlong() async throws {
    let seen = Notes<ServerRequest>()
    let server = try server(to: "next?x=1", seen)
    try await onLoop {
      let response = try await sendOn(HTTPRequest(.get, server.address(), headers: secrets))
      #expect(response.status == 200)
      #expect(response.url == (try server.address("/next?x=1")))
    }
    #expect(seen.all.last?.headers["X-Access-Token"] == "x")
    #expect(seen.all.last?.headers["Authorization"] == "Bearer x")
  }

  @Test func toAnotherPortGoesNoCredentialOfAnyKind() async throws {
    let seen = Notes<ServerRequest>()
    let stranger = try LoopbackServer { request in
      seen.add(request)
      return ServerResponse(status: 200)
    }
    let server = try LoopbackServer { _ in
      ServerResponse(status: 302, headers: ["Location": "\(stranger.url)/next", "Set-Cookie": "session=1"])
    }
    try await onLoop {
      var request = HTTPRequest(.get, try server.address(), headers: secrets)
      request.cookies = CookieJar()
      #expect(try await sendOn(request).status == 200)
    }
    let headers = try #require(seen.all.first).headers
    let names = Set(headers.fields.map { $0.name.lowercased() })
    #expect(names == ["host", "accept", "accept-encoding", "user-agent"])
  }

  @Test func userAndPasswordOfTheURLStayBehind() async throws {
    let seen = Notes<ServerRequest>()
    let stranger = try LoopbackServer { request in
      seen.add(request)
      return ServerResponse(status: 200)
    }
    let server = try LoopbackServer { _ in ServerResponse(status: 302, headers: ["Location": "\(stranger.url)/next"]) }
    try await onLoop {
      let url = try HTTPURL("http://user:s3cr3t@127.0.0.1:\(server.port)/")
      _ = try await sendOn(HTTPRequest(.get, url))
    }
    #expect(seen.all.count == 1)
    #expect(seen.all.first?.headers["Authorization"] == nil)
  }

  @Test(arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
  func whatBecomesOfAPostDependsOnTheStatus(_ status: Int, _ method: String) async throws {
    let seen = Notes<ServerRequest>()
    let server = try server(status, to: "/next", seen)
    try await onLoop {
      var request = HTTPRequest(.post, try server.address())
      request.setBody(form: [("a", "b")])
      _ = try await sendOn(request)
    }
    let last = try #require(seen.all.last)
    #expect(last.method == method)
    #expect(last.body.isEmpty == (method == "GET"))
    #expect((last.headers["Content-Type"] == nil) == (method == "GET"))
  }

  @Test func contentIsNotSentToAnotherOrigin() async throws {
    let seen = Notes<ServerRequest>()
    let stranger = try server(to: "/", seen)
    let server = try server(307, to: stranger.url, Notes())
    try await onLoop {
      let request = HTTPRequest(.post, try server.address(), body: [1])
      let error = await #expect(throws: HTTPError.self) { try await sendOn(request) }
      guard case .badRedirect = error?.kind else { Issue.record("\(String(describing: error))"); return }
      #expect(error?.requestWasSent == true)
    }
    #expect(seen.all.isEmpty)
  }

  @Test(arguments: ["ftp://127.0.0.1/", "file:///etc/passwd", "http://", "javascript:alert(1)"])
  func aRedirectToAnythingButHTTPIsNotFollowed(_ location: String) async throws {
    let server = try server(to: location, Notes())
    try await onLoop {
      let error = await #expect(throws: HTTPError.self) { try await sendOn(HTTPRequest(.get, server.address())) }
      guard case .badURL = error?.kind else { Issue.record("\(String(describing: error))"); return }
    }
  }

  @Test func httpsNeverLeadsToHTTP() async throws {
    let url = try HTTPURL("https://h/")
    let response = HTTPResponse(status: 302, headers: ["Location": "http://h/"], url: url)
    #expect(throws: HTTPError.self) { try HTTPRequest(.get, url).redirected(by: response) }
  }

  @Test func aRedirectWithoutALocationIsAResponse() async throws {
    let server = try LoopbackServer { _ in ServerResponse(status: 302) }
    try await onLoop { () async throws in
      #expect(try await sendOn(HTTPRequest(.get, server.address())).status == 302)
    }
  }
}
