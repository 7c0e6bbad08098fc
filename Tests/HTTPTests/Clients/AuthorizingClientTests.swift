import EventLoop
import RingiTestSupport
import Testing

@testable import HTTP

@Suite struct AuthorizingClientTests {
  private func answer(_ status: Int) throws -> Result<HTTPResponse, HTTPError> {
    .success(HTTPResponse(status: status, url: try HTTPURL("http://h/")))
  }

  @Loop private func client(_ stub: StubClient, _ grant: CountingGrant) -> AuthorizingClient {
    AuthorizingClient(stub, tokens: TokenSource(grant, clock: TestClock()))
  }

  @Test func theTokenGoesWithEachRequest() async throws {
    try await onLoop {
      let stub = StubClient(try answer(200), try answer(200))
      let client = client(stub, CountingGrant())
      for _ in 0..<2 { _ = try await client.send(HTTPRequest(.get, try HTTPURL("http://h/"))) }
      #expect(stub.requests.map { $0.headers["Authorization"] } == ["Bearer token-1", "Bearer token-1"])
    }
  }

  @Test func theTokenMayGoInAHeaderOfTheServicesOwn() async throws {
    try await onLoop {
      let stub = StubClient(try answer(200))
      let tokens = TokenSource(CountingGrant(), clock: TestClock())
      let client = AuthorizingClient(stub, tokens: tokens, header: "X-Authentication-Token", scheme: nil)
      _ = try await client.send(HTTPRequest(.get, try HTTPURL("http://h/")))
      #expect(stub.requests.map { $0.headers["X-Authentication-Token"] } == ["token-1"])
      #expect(stub.requests[0].headers["Authorization"] == nil)
    }
  }

  @Test func aRefusedTokenIsReplacedOnceAndTheRequestRepeated() async throws {
    try await onLoop {
      let stub = StubClient(try answer(401), try answer(201))
      #expect(try await client(stub, CountingGrant()).send(HTTPRequest(.post, try HTTPURL("http://h/"))).status == 201)
      #expect(stub.requests.map { $0.headers["Authorization"] } == ["Bearer token-1", "Bearer token-2"])
    }
  }

  @Test func aSecondRefusalIsTheAnswer() async throws {
    try await onLoop {
      let stub = StubClient(try answer(401), try answer(401))
      #expect(try await client(stub, CountingGrant()).send(HTTPRequest(.get, try HTTPURL("http://h/"))).status == 401)
    }
  }

  @Test func aFixedTokenIsNotSentToBeRefusedTwice() async throws {
    try await onLoop {
      let stub = StubClient(try answer(401), try answer(401))
      let client = AuthorizingClient(stub, tokens: TokenSource(SameGrant(), clock: TestClock()))
      for sent in 1...2 {
        #expect(try await client.send(HTTPRequest(.get, try HTTPURL("http://h/"))).status == 401)
        #expect(stub.requests.count == sent)
      }
    }
  }

  @Loop private final class SameGrant: TokenGrant {
    func fetch() async throws(TokenError) -> AccessToken { AccessToken("the-same") }
  }

  @Test func otherRefusalsKeepTheToken() async throws {
    try await onLoop {
      let grant = CountingGrant()
      let client = client(StubClient(try answer(403), try answer(200)), grant)
      for _ in 0..<2 { _ = try await client.send(HTTPRequest(.get, try HTTPURL("http://h/"))) }
      #expect(grant.count == 1)
    }
  }

  @Test func withoutATokenNothingIsSent() async throws {
    try await onLoop {
      let stub = StubClient()
      let grant = CountingGrant(failure: .refused(status: 401, code: "invalid_client"))
      do throws(HTTPError) {
        _ = try await client(stub, grant).send(HTTPRequest(.get, try HTTPURL("http://h/")))
        Issue.record("it was sent")
      } catch {
        #expect(error.kind == .token(.refused(status: 401, code: "invalid_client")))
        #expect(!error.requestWasSent)
      }
    }
  }
}
