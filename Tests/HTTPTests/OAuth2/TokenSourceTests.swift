import EventLoop
import RingiTestSupport
import Testing
import Timing

@testable import HTTP

@Suite struct TokenSourceTests {
  @Test func oneFetchServesAllWhoWait() async throws {
    try await onLoop { () async throws in
      let gate = Gate()
      let grant = CountingGrant(gate: gate)
      let source = TokenSource(grant, clock: TestClock())
      let tasks = (0..<20).map { _ in Loop.task { try await source.token().value } }
      gate.open()
      for task in tasks { #expect(try await task.value == "token-1") }
      #expect(try await source.token().value == "token-1")
      #expect(grant.count == 1)
    }
  }

  @Test func aFailureReachesAllWhoWaitAndTheNextCallerTriesAgain() async throws {
    try await onLoop {
      let gate = Gate()
      let grant = CountingGrant(failure: .unavailable(status: 503, retryAfter: nil), gate: gate)
      let source = TokenSource(grant, clock: TestClock())
      let tasks = (0..<3).map { _ in Loop.task { try await source.token() } }
      gate.open()
      for task in tasks { await #expect(throws: TokenError.self) { try await task.value } }
      #expect(grant.count == 1)
      await #expect(throws: TokenError.self) { try await source.token() }
      #expect(grant.count == 2)
    }
  }

  @Test func aCallerThatIsCancelledLeavesTheFetchToTheOthers() async throws {
    try await onLoop { () async throws in
      let gate = Gate()
      let grant = CountingGrant(gate: gate)
      let source = TokenSource(grant, clock: TestClock())
      let first = Loop.task { try await source.token() }
      let second = Loop.task { try await source.token() }
      first.cancel()
      await #expect(throws: TokenError.transport(HTTPError(.cancelled))) { try await first.value }
      gate.open()
      #expect(try await second.value.value == "token-1")
      #expect(grant.count == 1)
    }
  }

  @Test func aLoginWaitsForTheFetchUnderWayAndItsTokenIsTheOneThatStays() async throws {
    try await onLoop { () async throws in
      let gate = Gate()
      let grant = CountingGrant(gate: gate)
      let source = TokenSource(grant, clock: TestClock())
      let caller = Loop.task { try await source.token().value }
      while grant.count == 0 { await Task.yield() }
      var kept: [String] = []
      let login = Loop.task {
        try await source.replace(with: AccessToken("login")) { () async throws(TokenError) in kept.append("login") }
      }
      for _ in 0..<10 { await Task.yield() }
      #expect(kept.isEmpty)
      gate.open()
      #expect(try await caller.value == "token-1")
      try await login.value
      #expect(kept == ["login"])
      #expect(try await source.token().value == "login")
    }
  }

  @Test func aLoginThatCannotBeKeptLeavesTheTokenOfBefore() async throws {
    try await onLoop { () async throws in
      let source = TokenSource(CountingGrant(), clock: TestClock())
      _ = try await source.token()
      await #expect(throws: TokenError.storage("full")) {
        try await source.replace(with: AccessToken("login")) { () async throws(TokenError) in throw .storage("full") }
      }
      #expect(try await source.token().value == "token-1")
    }
  }

  @Test func whoSettlesWaitsForTheFetchUnderWayAndForNoOther() async throws {
    try await onLoop { () async throws in
      let gate = Gate()
      let grant = CountingGrant(gate: gate)
      let clock = TestClock()
      let source = TokenSource(grant, clock: clock)
      await source.settle(within: .seconds(5))
      #expect(grant.count == 0)
      let caller = Loop.task { try await source.token() }
      while grant.count == 0 { await Task.yield() }
      caller.cancel()
      await #expect(throws: TokenError.transport(HTTPError(.cancelled))) { try await caller.value }
      let settling = Loop.task { await source.settle(within: .seconds(5)) }
      try await clock.sleepers(1)
      gate.open()
      try await settling.value
      #expect(grant.count == 1)
      #expect(try await source.token().value == "token-1")
      #expect(clock.pending == 0)
    }
  }

  @Test func whoSettlesDoesNotWaitForEver() async throws {
    try await onLoop { () async throws in
      let gate = Gate()
      let clock = TestClock()
      let grant = CountingGrant(gate: gate)
      let source = TokenSource(grant, clock: clock)
      let caller = Loop.task { try await source.token() }
      while grant.count == 0 { await Task.yield() }
      let settling = Loop.task { await source.settle(within: .seconds(5)) }
      try await clock.sleepers(1)
      clock.advance(by: .seconds(5))
      try await settling.value
      gate.open()
      #expect(try await caller.value.value == "token-1")
    }
  }

  @Test func aTokenIsRenewedALittleBeforeItExpires() async throws {
    try await onLoop { () async throws in
      let clock = TestClock()
      let source = TokenSource(CountingGrant(lifetime: 3600, clock: clock), clock: clock)
      #expect(try await source.token().value == "token-1")
      clock.advance(by: .seconds(3539))
      #expect(try await source.token().value == "token-1")
      clock.advance(by: .seconds(1))
      #expect(try await source.token().value == "token-2")
    }
  }

  @Test(arguments: [(100, 90), (10, 9), (0, 0)])
  func aShortLifeHasAShorterMargin(_ lifetime: Int64, _ usable: Int64) async throws {
    try await onLoop {
      let now = TestClock().now
      #expect(AccessToken("x", lifetime: lifetime, now: now).renewAt == now + .seconds(usable))
    }
  }

  @Test func aTokenOfUnknownLifeIsUsedUntilItIsDropped() async throws {
    try await onLoop {
      let clock = TestClock()
      let source = TokenSource(CountingGrant(), clock: clock)
      let token = try await source.token()
      clock.advance(by: .seconds(1_000_000))
      #expect(try await source.token() == token)
      source.drop(token)
      #expect(try await source.token().value == "token-2")
      source.drop(token)
      #expect(try await source.token().value == "token-2")
    }
  }

  @Test func onlyAnOldTokenIsDroppedForItsAge() async throws {
    try await onLoop { () async throws in
      let clock = TestClock()
      let source = TokenSource(CountingGrant(), clock: clock)
      _ = try await source.token()
      clock.advance(by: .seconds(300))
      source.drop(olderThan: .seconds(300))
      #expect(try await source.token().value == "token-1")
      clock.advance(by: .seconds(1))
      source.drop(olderThan: .seconds(300))
      #expect(try await source.token().value == "token-2")
    }
  }
}
