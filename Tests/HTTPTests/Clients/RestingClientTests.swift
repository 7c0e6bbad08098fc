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

  @Test(arguments: [-86_400, 86_400]) func aDateIsOneOfTheServersClock(_ skew: Int) async throws {
    try await onLoop { () async throws in
      let clock = TestClock(now: Timestamp(milliseconds: 1_795_996_800_000))
      let there = clock.now + .seconds(skew)
      let headers: HTTPHeaders = ["Date": there.httpDate, "Retry-After": (there + .seconds(3600)).httpDate]
      let client = RestingClient(StubClient(try answer(503, headers)), clock: clock)
      #expect(try await ask(client) == 503)
      #expect(try await ask(client) == -3600)
    }
  }

  @Test func aDateOfTheServersThatIsNoneLeavesOurs() async throws {
    try await onLoop { () async throws in
      let clock = TestClock(now: Timestamp(milliseconds: 1_795_996_800_000))
      let headers: HTTPHeaders = ["Date": "today", "Retry-After": "Mon, 30 Nov 2026 01:00:00 GMT"]
      let client = RestingClient(StubClient(try answer(429, headers)), clock: clock)
      #expect(try await ask(client) == 429)
      #expect(try await ask(client) == -3600)
    }
  }

  /// A clock set back must not make it longer; a machine that slept has waited too, though its uptime stood still.
  @Test func theRestEndsByWhicheverClockIsFirst() async throws {
    try await onLoop { () async throws in
      for (isSetBack, left) in [(true, -3500), (false, 200)] {
        let clock = TestClock()
        let stub = StubClient(try answer(429, ["Retry-After": "3600"]), try answer(200))
        let client = RestingClient(stub, clock: clock)
        #expect(try await ask(client) == 429)
        clock.set(to: clock.now + .seconds(isSetBack ? -86_400 : 3500))
        clock.advance(by: .seconds(100))
        #expect(try await ask(client) == left)
      }
    }
  }

  @Test func whatIsLeftIsNeverSaidTooShort() async throws {
    try await onLoop { () async throws in
      let clock = TestClock()
      let client = RestingClient(StubClient(try answer(429, ["Retry-After": "3600"])), clock: clock)
      _ = try await ask(client)
      clock.advance(by: .milliseconds(3_599_900))
      #expect(try await ask(client) == -1)
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
