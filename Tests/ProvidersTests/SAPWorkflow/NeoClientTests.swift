import EventLoop
import HTTP
import HTTPServer
import RingiTestSupport
import Testing

@testable import Providers

@Suite struct NeoClientTests {
  /// A server that answers the handshake with `fetch` and refuses the token of every write.
  private func server(
    _ seen: Notes<String>, fetch: ServerResponse = ServerResponse(status: 200, headers: ["x-csrf-token": "T1"])
  ) throws -> LoopbackServer {
    try LoopbackServer { request in
      seen.add(request.method)
      return request.method == "GET"
        ? fetch
        : ServerResponse(
          status: 403, headers: ["x-csrf-token": "required", "Content-Type": "text/html", "Set-Cookie": "a=1"])
    }
  }

  @Loop private func client(_ server: LoopbackServer) throws -> NeoClient {
    NeoClient(
      CurlClient(userAgent: "Ringi/test"), tokenURL: try HTTPURL(server.url + "/v1/xsrf-token"), user: "P1",
      hide: { _ in }, clock: TestClock()
    ) { "secret" }
  }

  /// P5.
  @Test func aTokenThatIsAlwaysRefusedIsFetchedTwiceAndNoMore() async throws {
    let seen = Notes<String>()
    let server = try server(seen)
    try await onLoop { () async throws in
      let response = try await client(server).send(HTTPRequest(.post, try HTTPURL(server.url + "/x")))
      #expect(response.status == 403)
    }
    #expect(seen.all == ["GET", "POST", "GET", "POST"])
  }

  @Test func aTokenIsTakenFromAnErrorAnswerToo() async throws {
    let seen = Notes<String>()
    let server = try server(seen, fetch: ServerResponse(status: 404, headers: ["X-CSRF-TOKEN": "T1"]))
    try await onLoop { () async throws in
      _ = try await client(server).send(HTTPRequest(.post, try HTTPURL(server.url + "/x")))
    }
    #expect(seen.all.contains("POST"))
  }

  /// P6.
  @Test(arguments: [200, 302, 401, 403])
  func anAnswerWithoutATokenMeansThatNobodyIsLoggedIn(_ status: Int) async throws {
    let seen = Notes<String>()
    let page = ServerResponse(status: status, headers: ["Content-Type": "text/html"], text: "<html>Unauthorized</html>")
    let server = try server(seen, fetch: page)
    try await onLoop { () async throws in
      let (client, url) = (try client(server), try HTTPURL(server.url + "/x"))
      do throws(HTTPError) {
        _ = try await client.send(HTTPRequest(.post, url))
        Issue.record("it was sent")
      } catch {
        guard case .token(let reason) = error.kind else { throw error }
        #expect(reason.needsLogin)
        #expect(!error.requestWasSent)
      }
    }
    #expect(seen.all == ["GET"])
  }
}
