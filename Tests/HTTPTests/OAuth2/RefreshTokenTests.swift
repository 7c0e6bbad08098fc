import EventLoop
import HTTPServer
import RingiTestSupport
import Synchronization
import Testing

@testable import HTTP

@Suite struct RefreshTokenTests {
  @Loop private func grant(_ server: LoopbackServer, _ store: Store) throws -> RefreshToken {
    RefreshToken(
      TokenEndpoint(
        url: try server.address(), clientID: "id", client: client(), clock: TestClock()
      ) { "secret" },
      store: store)
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
      #expect(store.saved == ["two"])
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

  @Test func aRefusedTokenThatIsStillTheOneKeptNeedsALogin() async throws {
    let server = try server(valid: "other", next: nil)
    try await onLoop {
      let error = TokenError.refused(status: 400, code: "token_reused")
      #expect(error.needsLogin)
      await #expect(throws: error) { try await grant(server, Store("one")).fetch() }
    }
  }

  @Test func withoutARefreshTokenSomebodyHasToLogIn() async throws {
    let server = try server(valid: "one", next: nil)
    try await onLoop {
      await #expect(throws: TokenError.noRefreshToken) { try await grant(server, Store()).fetch() }
      #expect(TokenError.noRefreshToken.needsLogin)
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

  func save(_ token: String) throws {
    if isReadOnly { throw ReadOnly() }
    saved.append(token)
  }

  private struct ReadOnly: Error, CustomStringConvertible { let description = "read-only" }
}
