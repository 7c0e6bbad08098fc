import EventLoop
import HTTPServer
import RingiTestSupport
import Synchronization
import Testing

@testable import HTTP

@Suite struct RefreshTokenTests {
  @Loop private func grant(
    _ server: LoopbackServer, _ store: Store, clock: TestClock = TestClock()
  ) throws -> RefreshToken {
    RefreshToken(
      TokenEndpoint(
        url: try server.address(), clientID: "id", client: client(), clock: clock
      ) { "secret" },
      store: store, clock: clock)
  }

  /// Takes `valid` alone, exchanges it, and refuses anything else with a code of its own.
  private func server(valid: String, next: String?) throws -> LoopbackServer {
    try LoopbackServer { request in
      let json: ServerHeaders = ["Content-Type": "application/json"]
      guard String(decoding: request.body, as: UTF8.self) == "grant_type=refresh_token&refresh_token=\(valid)" else {
        return ServerResponse(status: 400, headers: json, text: #"{"error":"token_reused"}"#)
      }
      let newer = next.map { #","refresh_token":"\#($0)""# } ?? ""
      return ServerResponse(status: 200, headers: json, text: #"{"access_token":"access"\#(newer)}"#)
    }
  }

  @Test func anExchangedTokenIsKeptBeforeTheAccessTokenIsUsed() async throws {
    let server = try server(valid: "one", next: "two")
    try await onLoop { () async throws in
      let store = Store("one")
      #expect(try await grant(server, store).fetch().value == "access")
      #expect(store.saved == ["one > two"])
    }
  }

  @Test func aTokenThatStaysIsNotWrittenAgain() async throws {
    for next in [nil, "one"] as [String?] {
      let server = try server(valid: "one", next: next)
      try await onLoop {
        let store = Store("one")
        _ = try await grant(server, store).fetch()
        #expect(store.saved.isEmpty)
      }
    }
  }

  @Test func whatCannotBeKeptIsAnErrorAndNoAccessToken() async throws {
    let server = try server(valid: "one", next: "two")
    try await onLoop {
      let store = Store("one", isReadOnly: true)
      await #expect(throws: TokenError.storage("read-only")) { try await grant(server, store).fetch() }
    }
  }

  @Test func aTokenThatSomebodyElseExchangedIsReadAgain() async throws {
    let server = try server(valid: "two", next: nil)
    try await onLoop { () async throws in
      #expect(try await grant(server, Store("one", "two")).fetch().value == "access")
    }
  }

  @Test func theOneWhoWasFirstMayWriteALittleLater() async throws {
    let server = try server(valid: "two", next: nil)
    try await onLoop { () async throws in
      let clock = TestClock()
      let grant = try grant(server, Store("one", "one", "two"), clock: clock)
      let fetch = Loop.task { try await grant.fetch() }
      try await clock.sleepers(1)
      clock.advance(by: .seconds(1))
      #expect(try await fetch.value.value == "access")
    }
  }

  @Test func aStoreThatChangesAgainAndAgainIsNotFollowedForEver() async throws {
    let counter = Mutex(0)
    let server = try LoopbackServer { _ in
      counter.withLock { $0 += 1 }
      return ServerResponse(status: 400, headers: ["Content-Type": "application/json"], text: #"{"error":"no"}"#)
    }
    try await onLoop {
      let store = Store("1", "2", "3", "4", "5", "6", "7", "8")
      await #expect(throws: TokenError.refused(status: 400, code: "no")) { try await grant(server, store).fetch() }
    }
    #expect(counter.withLock { $0 } == 5)
  }

  @Test func aRefusedTokenThatIsStillTheOneKeptNeedsALogin() async throws {
    let server = try server(valid: "other", next: nil)
    try await onLoop { () async throws in
      let error = TokenError.refused(status: 400, code: "token_reused")
      #expect(error.needsLogin)
      let clock = TestClock()
      let grant = try grant(server, Store("one"), clock: clock)
      let fetch = Loop.task { try await grant.fetch() }
      try await clock.sleepers(1)
      clock.advance(by: .seconds(1))
      await #expect(throws: error) { try await fetch.value }
    }
  }

  @Test func withoutARefreshTokenSomebodyHasToLogIn() async throws {
    let server = try server(valid: "one", next: nil)
    try await onLoop {
      await #expect(throws: TokenError.noRefreshToken(nil)) { try await grant(server, Store()).fetch() }
      #expect(TokenError.noRefreshToken(nil).needsLogin)
    }
  }
}

/// Gives its tokens in turn, the last one for ever.
@Loop private final class Store: RefreshTokenStore {
  private(set) var saved: [String] = []
  private var tokens: [String]
  private let isReadOnly: Bool

  init(_ tokens: String..., isReadOnly: Bool = false) {
    self.tokens = tokens
    self.isReadOnly = isReadOnly
  }

  func load() -> String? { tokens.count > 1 ? tokens.removeFirst() : tokens.first }

  func save(_ token: String, replacing old: String) throws(TokenError) {
    if isReadOnly { throw .storage("read-only") }
    saved.append("\(old) > \(token)")
  }
}
