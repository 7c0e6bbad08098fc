import EventLoop
import HTTP
import RingiTestSupport
import Testing
import Timing

@Suite struct RetryingClientTests {
  /// The outcome of a request through a retrying client, while a clock passes `seconds` at each sleep.
  @Loop private func outcome(
    of method: HTTPMethod, _ stub: StubClient, attempts: Int = 3, seconds: Int = 10
  ) async throws -> Result<HTTPResponse, HTTPError> {
    let clock = TestClock()
    let client = RetryingClient(stub, clock: clock, attempts: attempts, random: Fixed())
    let request = HTTPRequest(method, try HTTPURL("http://h/"))
    let task = Loop.task { () -> Result<HTTPResponse, HTTPError> in
      do throws(HTTPError) { return .success(try await client.send(request)) } catch { return .failure(error) }
    }
    var isDone = false
    let waiter = Loop.task {
      defer { isDone = true }
      return try await task.value
    }
    while !isDone {
      await Task.yield()
      if clock.pending > 0 { clock.advance(by: .seconds(seconds)) }
    }
    return try await waiter.value
  }

  private func answer(_ status: Int, _ headers: HTTPHeaders = [:]) throws -> Result<HTTPResponse, HTTPError> {
    .success(HTTPResponse(status: status, headers: headers, url: try HTTPURL("http://h/")))
  }

  private func lost(sent: Bool) -> Result<HTTPResponse, HTTPError> { .failure(HTTPError(.reset, requestWasSent: sent)) }

  @Test(arguments: [HTTPMethod.get, .head, .put, .delete])
  func anIdempotentRequestIsSentAgain(_ method: HTTPMethod) async throws {
    try await onLoop {
      let stub = StubClient(lost(sent: true), try answer(503), try answer(200))
      #expect(try await outcome(of: method, stub).get().status == 200)
      #expect(stub.requests.count == 3)
    }
  }

  @Test(arguments: [HTTPMethod.post, .patch])
  func aWriteIsSentAgainOnlyIfItWasNotSent(_ method: HTTPMethod) async throws {
    try await onLoop {
      let unsent = StubClient(lost(sent: false), try answer(201))
      #expect(try await outcome(of: method, unsent).get().status == 201)
      for first in [lost(sent: true), try answer(503), try answer(429), try answer(408)] {
        let stub = StubClient(first)
        _ = try await outcome(of: method, stub)
        #expect(stub.requests.count == 1)
      }
    }
  }

  /// That the last attempt did not get through says nothing of the one before it.
  @Test func whatAnEarlierAttemptMayHaveDeliveredCountsAsSent() async throws {
    try await onLoop {
      for first in [lost(sent: true), try answer(503)] {
        let outcome = try await outcome(of: .delete, StubClient(first, lost(sent: false), lost(sent: false)))
        guard case .failure(let error) = outcome else { throw HTTPError(.reset) }
        #expect(error.requestWasSent && error.kind == .reset)
      }
      let never = try await outcome(of: .delete, StubClient(lost(sent: false), lost(sent: false), lost(sent: false)))
      guard case .failure(let error) = never else { throw HTTPError(.reset) }
      #expect(!error.requestWasSent)
    }
  }

  @Test(arguments: [400, 401, 403, 404, 409, 422, 501])
  func aRefusalIsNotSentAgain(_ status: Int) async throws {
    try await onLoop {
      let stub = StubClient(try answer(status))
      #expect(try await outcome(of: .get, stub).get().status == status)
    }
  }

  @Test(arguments: [
    HTTPError.Kind.tls("x"), .tooLarge(1), .badURL("x"), .cancelled, .tooManyRedirects(1), .malformed("x"),
  ])
  func whatWouldFailAgainIsNotSentAgain(_ kind: HTTPError.Kind) async throws {
    try await onLoop {
      let stub = StubClient(.failure(HTTPError(kind)))
      let error = try await outcome(of: .get, stub)
      #expect(throws: HTTPError.self) { try error.get() }
      #expect(stub.requests.count == 1)
    }
  }

  @Test func theLastFailureIsHandedOn() async throws {
    try await onLoop {
      let stub = StubClient(try answer(500), try answer(502), try answer(503))
      #expect(try await outcome(of: .get, stub).get().status == 503)
      let errors = StubClient(lost(sent: true), lost(sent: true))
      let error = try await outcome(of: .get, errors, attempts: 2)
      #expect(throws: HTTPError.self) { try error.get() }
    }
  }

  @Test func theServersWishIsHonoured() async throws {
    try await onLoop {
      let clock = TestClock()
      let stub = StubClient(try answer(429, ["Retry-After": "7"]), try answer(200))
      let client = RetryingClient(stub, clock: clock, random: Fixed())
      let request = HTTPRequest(.get, try HTTPURL("http://h/"))
      let task = Loop.task { try await client.send(request).status }
      try await clock.sleepers(1)
      clock.advance(by: .milliseconds(6_999))
      await Task.yield()
      #expect(stub.requests.count == 1)
      clock.advance(by: .milliseconds(1))
      #expect(try await task.value == 200)
    }
  }

  @Test(arguments: [HTTPMethod.get, .patch]) func aShortRestIsWaitedOutAndALongOneIsSaid(_ method: HTTPMethod)
    async throws
  {
    try await onLoop {
      let short = StubClient(.failure(HTTPError(.resting(.seconds(10)))), try answer(200))
      #expect(try await outcome(of: method, short).get().status == 200)
      let long = StubClient(.failure(HTTPError(.resting(.seconds(11)))))
      let error = try await outcome(of: method, long)
      #expect(throws: HTTPError.self) { try error.get() }
      #expect(long.requests.count == 1)
    }
  }

  @Test func aWishForMorePatienceThanThereIsEndsAtOnce() async throws {
    try await onLoop {
      let stub = StubClient(try answer(503, ["Retry-After": "3600"]))
      #expect(try await outcome(of: .get, stub).get().status == 503)
    }
  }

  @Test func aCancelledWaitEnds() async throws {
    try await onLoop {
      let clock = TestClock()
      let client = RetryingClient(StubClient(try answer(503)), clock: clock, random: Fixed())
      let request = HTTPRequest(.get, try HTTPURL("http://h/"))
      let task = Loop.task { try await client.send(request) }
      try await clock.sleepers(1)
      task.cancel()
      await #expect(throws: HTTPError.self) { try await task.value }
      #expect(clock.pending == 0)
    }
  }
}

/// Draws the upper end each time.
private struct Fixed: RandomNumberGenerator {
  mutating func next() -> UInt64 { .max }
}
