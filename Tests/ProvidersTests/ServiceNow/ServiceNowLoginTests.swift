import EventLoop
import HTTP
import HTTPServer
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiTestSupport
import Sandbox
import Synchronization
import Testing
import Timing

@Suite struct ServiceNowLoginTests {
  private static let list = "table.list"
  private static let users: JSONValue = ["table": "sys_user"]

  @Test(arguments: ["basic", "password", "client-credentials"])
  func eachLoginReadsATable(_ login: String) async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig(login)
      #expect(try await rig.call(Self.list, Self.users)["records"]?.array?.count == 4)
      #expect(rig.count("POST /oauth_token.do") == (login == "basic" ? 0 : 1))
    }
  }

  @Test func theClientsCredentialsGoIntoTheFormAndNeverIntoTheQuery() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      try await rig.call(Self.list, Self.users)
      let login = try required(rig.entries.first?.request)
      #expect(login.target == "/oauth_token.do")
      #expect(login.headers["Content-Type"] == "application/x-www-form-urlencoded")
      #expect(login.headers["Authorization"] == nil)
      #expect(String(decoding: login.body, as: UTF8.self).contains("client_secret=S3cret%2Bof%26the%3Dsandbox"))
    }
  }

  @Test func tokensAreHiddenFromWhatTheAgentSays() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      try await rig.call(Self.list, Self.users)
      let bearer = try required(rig.entries.last?.request.headers["Authorization"])
      #expect(rig.hidden.contains(String(bearer.dropFirst("Bearer ".count))))
    }
  }

  @Test func oneTokenServesAllCallers() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      let tasks = (0..<10).map { _ in Loop.task { try await rig.call(Self.list, Self.users) } }
      for task in tasks { _ = try await task.value }
      #expect(rig.count("POST /oauth_token.do") == 1)
    }
  }

  /// Pitfall 5.
  @Test(arguments: ["password", "client-credentials", "refresh-token"])
  func aTokenIsRenewedAMinuteBeforeItEnds(_ login: String) async throws {
    try await onLoop { () async throws in
      let rig = try refreshing(login)
      try await rig.call(Self.list, Self.users)
      rig.pass(.seconds(1730))
      try await rig.call(Self.list, Self.users)
      #expect(rig.count("POST /oauth_token.do") == 1)
      rig.pass(.seconds(15))
      try await rig.call(Self.list, Self.users)
      #expect(rig.count("POST /oauth_token.do") == 2)
      #expect(rig.entries.allSatisfy { $0.status == 200 })
    }
  }

  /// Pitfall 5.
  @Test func aRevokedTokenIsFetchedAnewOnce() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      try await rig.call(Self.list, Self.users)
      rig.sandbox.with { $0.revokeTokens() }
      try await rig.call(Self.list, Self.users)
      #expect(rig.entries.map(\.status) == [200, 200, 401, 200, 200])
    }
  }

  /// Pitfall 1: a release changed the words of the refusal.
  @Test(arguments: [ServiceNowSwitches.LoginMessage.older, .newer])
  func theWordsOfARefusalDoNotCount(_ message: ServiceNowSwitches.LoginMessage) async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig { $0.switches.loginMessage = message }
      try await rig.call(Self.list, Self.users)
      rig.sandbox.with { $0.revokeTokens() }
      #expect(try await rig.call(Self.list, Self.users)["complete"] == true)
    }
  }

  /// Pitfalls 3, 4 and 22: the error says how and where the login was tried, and that the way may be closed.
  @Test func basicThatIsNotAllowedSaysSo() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig("basic") { $0.switches.basicAuth = .restricted }
      let error = try await rig.failure(Self.list, Self.users)
      #expect(error.kind == "login-required")
      #expect(error.message.contains("Basic authentication") && error.message.contains("127.0.0.1"))
      #expect(error.message.contains("single sign-on"))
      // The same password is not tried again.
      #expect(rig.requests.count == 1)
    }
  }

  @Test func aPasswordThatHasChangedIsReadAgainAfterARefusal() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig("basic")
      try await rig.call(Self.list, Self.users)
      rig.sandbox.with { $0.users["hanako"]?.password = "approve-new" }
      rig.change(secret: "approve-1", to: "approve-new")
      try await rig.call(Self.list, Self.users)
      #expect(rig.entries.map(\.status) == [200, 401, 200])
    }
  }

  /// Every failure of the token endpoint has one face, so that there is nothing to find out by another try.
  @Test(
    arguments: [
      ["clientSecret": "wrong"], ["clientId": "nobody"], ["password": "wrong"], ["user": "integration"],
    ] as [JSONValue])
  func aRefusedLoginIsTriedOnceAndNamesTheGrant(_ settings: JSONValue) async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig(settings: settings)
      let error = try await rig.failure(Self.list, Self.users)
      #expect(error.kind == "login-required" && error.message.contains("login is password"))
      #expect(rig.requests == ["POST /oauth_token.do"])
    }
  }

  /// Several tries would lock the account.
  @Test func aPasswordThatTheGrantRefusedIsNotSentAgainBeforeItChanges() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig(settings: ["password": "wrong"])
      for _ in 0..<3 {
        let error = try await rig.failure(Self.list, Self.users)
        #expect(error.kind == "login-required" && error.message.contains("not sent again"))
      }
      #expect(rig.requests == ["POST /oauth_token.do"])
      rig.change(secret: "wrong", to: "approve-1")
      try await rig.call(Self.list, Self.users)
    }
  }

  @Test func aUserWhoIsNotActiveAnyMoreNeedsALogin() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      try await rig.call(Self.list, Self.users)
      rig.sandbox.with { $0.users["hanako"]?.isActive = false }
      #expect(try await rig.failure(Self.list, Self.users).kind == "login-required")
      #expect(rig.entries.map(\.status) == [200, 200, 401, 401])
    }
  }

  // MARK: Refresh tokens

  /// A rig whose login, where it is one by refresh token, has been made already.
  @Loop private func refreshing(
    _ login: String = "refresh-token", change: (inout ServiceNowConfiguration) -> Void = { _ in }
  ) throws -> ServiceNowRig {
    guard login == "refresh-token" else { return try ServiceNowRig(login, change: change) }
    let rig = try ServiceNowRig(login, settings: ["refreshToken": "the-token"], change: change)
    rig.change(secret: "the-token", to: rig.sandbox.with { $0.makeRefreshToken(for: "hanako") })
    return rig
  }

  /// BR-108.
  @Test(arguments: ServiceNowSwitches.RefreshTokenAnswer.allCases)
  func anAnswerMayBringARefreshTokenOrLeaveTheOldOneInForce(
    _ answer: ServiceNowSwitches.RefreshTokenAnswer
  ) async throws {
    try await onLoop { () async throws in
      let rig = try refreshing { $0.switches.refreshTokenAnswer = answer }
      for _ in 0..<3 {
        try await rig.call(Self.list, Self.users)
        rig.sandbox.with { $0.revokeTokens() }
      }
      let sent = Set(rig.entries.filter { $0.request.path == "/oauth_token.do" }.map(\.request.body))
      #expect(sent.count == (answer == .rotated ? 3 : 1))
    }
  }

  /// Pitfall 6.
  @Test func aRefreshTokenThatHasExpiredAsksForALoginAndIsNotTriedInALoop() async throws {
    try await onLoop { () async throws in
      let rig = try refreshing()
      rig.pass(.seconds(8_640_001))
      let error = try await rig.failure(Self.list, Self.users)
      #expect(error.kind == "login-required" && error.message.contains("log in again"))
      #expect(rig.requests == ["POST /oauth_token.do"])
    }
  }

  @Test func withoutARefreshTokenInTheSettingsTheOneThatALoginHasKeptIsUsed() async throws {
    try await onLoop { () async throws in
      let clock = TestClock()
      let store = try Store(inMemoryFor: clock, log: Log(level: .error, clock: clock, redactor: Redactor()))
      let rig = try ServiceNowRig("refresh-token", store: store) { $0.switches.refreshTokenAnswer = .rotated }
      let nobody = try await rig.failure(Self.list, Self.users)
      #expect(nobody.kind == "login-required" && rig.requests.isEmpty)
      let token = rig.sandbox.with { $0.makeRefreshToken(for: "hanako") }
      let state = PluginState(of: "now", in: store)
      try await state.set("oauth.refresh-token", ["origin": "", "token": .init(token)])
      try await rig.call(Self.list, Self.users)
      let kept = try await state.get("oauth.refresh-token")?["token"]?.string
      #expect(kept != nil && kept != token)
    }
  }

  // MARK: What is no data

  /// Pitfalls 2 and 20.
  @Test func aPageInPlaceOfDataIsAnErrorThatSaysWhatToDo() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      try rig.inject(.loginPage, on: "GET /api/now/table/sys_user")
      let error = try await rig.failure(Self.list, Self.users)
      #expect(error.kind == "login-required" && error.message.contains("web page instead of data"))
      #expect(rig.entries.last?.request.headers["Accept"] == "application/json")
    }
  }

  @Test(arguments: ["basic", "password"])
  func anInstanceThatSleepsIsNamedAsOne(_ login: String) async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig(login)
      try await rig.call(Self.list, Self.users)
      rig.set { $0.hibernating = true }
      let error = try await rig.failure(Self.list, Self.users)
      #expect(error.kind == "unavailable" && error.message.contains("asleep"))
    }
  }

  @Test func aLoginAtAnInstanceThatSleepsIsNoLogin() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig { $0.switches.hibernating = true }
      let error = try await rig.failure(Self.list, Self.users)
      #expect(error.kind == "backend-error" && error.message.contains("awake"))
    }
  }

  /// A public API answers a bearer that is no good with what a guest may see: nothing, and a success.
  @Test func whatAGuestWouldSeeIsNotTakenForTheUsersData() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig { $0.switches.guest = true }
      try await rig.call(Self.list, Self.users)
      rig.sandbox.with { $0.revokeTokens() }
      #expect(try await rig.call(Self.list, Self.users)["records"]?.array?.count == 4)
      #expect(rig.count("POST /oauth_token.do") == 2)
    }
  }

  // MARK: Where credentials go

  /// BR-112.
  @Test(arguments: ["basic", "password"])
  func aRedirectIsNotFollowedAndNoOtherHostSeesTheCredentials(_ login: String) async throws {
    let other = RequestCount()
    let stranger = try LoopbackServer { _ in
      other.add()
      return ServerResponse(status: 200)
    }
    let server = try LoopbackServer { request in
      request.path == "/oauth_token.do"
        ? ServerResponse(
          status: 200, headers: ["Content-Type": "application/json"], text: #"{"access_token":"x","expires_in":1799}"#)
        : ServerResponse(status: 302, headers: ["Location": "\(stranger.url)/auth_redirect.do"])
    }
    try await onLoop { () async throws in
      let rig = try ServiceNowRig(login, settings: ["url": .init(server.url)])
      let error = try await rig.failure(Self.list, Self.users)
      #expect(error.kind == "login-required" && error.message.contains("another page"))
    }
    #expect(other.value == 0)
  }

  /// Pitfall 17: a page that sends to itself.
  @Test func aCircleOfRedirectsIsNotEvenEntered() async throws {
    let requests = RequestCount()
    let server = try LoopbackServer { _ in
      requests.add()
      return ServerResponse(status: 302, headers: ["Location": "/session_timeout.do"])
    }
    try await onLoop { () async throws in
      let rig = try ServiceNowRig("basic", settings: ["url": .init(server.url)])
      #expect(try await rig.failure(Self.list, Self.users).kind == "login-required")
    }
    #expect(requests.value == 1)
  }

  /// Pitfall 21: credentials and policies are refused alike.
  @Test(arguments: ["basic", "password"])
  func aRefusalNamesAPolicyAsAPossibleCause(_ login: String) async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig(login)
      try rig.inject(.status(401), on: "GET /api/now/table/sys_user", count: nil)
      let error = try await rig.failure(Self.list, Self.users)
      #expect(error.kind == "login-required" && error.message.contains("or a policy forbids it"))
      #expect(rig.count("GET /api/now/table/sys_user") == (login == "basic" ? 1 : 2))
    }
  }

  /// Pitfalls 13 and 16: no cookies are better than half of them, and a session's token is none without them.
  @Test func noCookiesAreKept() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      try await rig.call(Self.list, Self.users)
      try await rig.call(Self.list, Self.users)
      #expect(
        rig.entries.allSatisfy { $0.request.headers["Cookie"] == nil && $0.request.headers["X-UserToken"] == nil })
    }
  }

  /// Pitfall 19: the token may be somebody else's too.
  @Test func noTokenIsEverRevoked() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      try await rig.call(Self.list, Self.users)
      await rig.plugin.stop(isHurried: false)
      #expect(rig.count("POST /oauth_revoke_token.do") == 0 && rig.count("GET /oauth_revoke_token.do") == 0)
    }
  }
}

/// Counts what happens on a server's threads.
final class RequestCount: Sendable {
  private let count = Atomic(0)
  var value: Int { count.load(ordering: .relaxed) }
  func add() { count.add(1, ordering: .relaxed) }
}
