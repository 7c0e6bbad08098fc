import EventLoop
import HTTP
import RingiTestSupport
import Testing
import Timing

@Suite struct RestingClientTests {
  private func answer(_ status: Int, _ headers: HTTPHeaders = [:]) throws -> Result<HTTPResponse, HTTPError> {
    .success(HTTPResponse(status: status, headers: headers, url: try HTTPURL("http://h/")))
  }

  /// The status of an answer, or the seconds that a refusal speaks of.
  @Loop private func ask(_ client: RestingClient) async throws -> Int {
    do throws(HTTPError) {
      return try await client.send(HTTPRequest(.post, try HTTPURL("http://h/"))).status
    } catch {
      guard case .resting(let left) = error.kind, !error.requestWasSent else { throw error }
      return -Int(left.components.seconds)
    }
  }

  @Test(arguments: [429, 503], ["3600", "Mon, 30 Nov 2026 01:00:00 GMT"])
  func aServerIsLeftAloneForAsLongAsItAsked(_ status: Int, _ wish: String) async throws {
    try await onLoop { () async throws in
      let clock = TestClock(now: Timestamp(milliseconds: 1_795_996_800_000))
      let stub = StubClient(try answer(status, ["Retry-After": wish]), try answer(200))
      let client = RestingClient(stub, clock: clock)
      #expect(try await ask(client) == status)
      #expect(try await ask(client) == -3600)
      clock.advance(by: .seconds(3599))
      #expect(try await ask(client) == -1)
      #expect(stub.requests.count == 1)
      clock.advance(by: .seconds(1))
      #expect(try await ask(client) == 200)
    }
  }

  @Test(arguments: ["", "soon", "-5", "0"])
  func withoutAWishTheNextRequestGoesOut(_ wish: String) async throws {
    try await onLoop { () async throws in
      let stub = StubClient(try answer(429, ["Retry-After": wish]), try answer(200))
      let client = RestingClient(stub, clock: TestClock())
      #expect(try await ask(client) == 429)
      #expect(try await ask(client) == 200)
    }
  }
}
