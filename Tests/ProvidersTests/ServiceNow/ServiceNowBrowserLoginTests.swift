import EventLoop
import HTTP
import HTTPServer
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiTestSupport
import Sandbox
import Testing

/// The login with a browser, without browser and agent; `ServiceNowBrowserTests` are with both.
@Suite struct ServiceNowBrowserLoginTests {
  // Verifier and challenge of RFC 7636, appendix B.
  private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
  private static let users: JSONValue = ["table": "sys_user"]

  @Loop private func rig(_ settings: JSONValue = [:], store: Store? = nil) throws -> ServiceNowRig {
    let all: JSONValue = ["redirectUri": .init(ServiceNowClient.standardRedirect)]
    let rig = try ServiceNowRig("authorization-code", settings: all.merging(settings), store: store) {
      $0.switches.publicClient = settings["clientSecret"]?.isNull == true
    }
    rig.sandbox.with { $0.loggedInUser = "hanako" }
    return rig
  }

  /// The code of the page that the login shows, as the browser of a person who grants it.
  @Loop private func code(_ rig: ServiceNowRig) async throws -> String {
    let page = try required(rig.plugin.login).page(state: "a b+c", challenge: Self.challenge)
    let request = HTTPRequest(.get, page)
    let answer = try await CurlClient(tls: TLSSettings(), userAgent: "browser").send(request)
    let location = try required(answer.headers["Location"])
    #expect(location.hasPrefix("\(ServiceNowClient.standardRedirect)?state=a%20b%2Bc&"))
    return String(try required(location.split(separator: "code=").last))
  }

  @Loop private func logIn(_ rig: ServiceNowRig) async throws -> String {
    let code = try await code(rig)
    return try await required(rig.plugin.login).logIn(code: code, verifier: Self.verifier)
  }

  @Loop private func bodies(_ rig: ServiceNowRig) -> [String] {
    rig.entries.filter { $0.request.path == "/oauth_token.do" }.map { String(decoding: $0.request.body, as: UTF8.self) }
  }

  @Test(arguments: [nil, "useraccount approvals"])
  func thePageIsAskedForAllThatTheSheetSaysAndForTheScopesOfTheSettings(_ scope: String?) async throws {
    try await onLoop { () async throws in
      let rig = try rig(["scope": scope.map { .init($0) } ?? .null])
      let page = try required(rig.plugin.login).page(state: "s&t", challenge: Self.challenge).text
      #expect(
        page == "\(rig.sandbox.url)/oauth_auth.do?response_type=code&client_id=\(ServiceNowClient.standardID)"
          + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A17781%2Fcallback&state=s%26t&code_challenge=\(Self.challenge)"
          + "&code_challenge_method=S256" + (scope == nil ? "" : "&scope=useraccount%20approvals"))
    }
  }

  @Test(arguments: [true, false])
  func theCodeGoesIntoTheBodyWithWhatTheClientHasToShow(_ hasSecret: Bool) async throws {
    try await onLoop { () async throws in
      let rig = try rig(hasSecret ? [:] : ["clientSecret": .null])
      #expect(try await logIn(rig) == "Hanako Sato")
      let request = try required(rig.entries.first { $0.request.path == "/oauth_token.do" }?.request)
      #expect(request.target == "/oauth_token.do" && request.headers["Authorization"] == nil)
      #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
      let body = try required(bodies(rig).first)
      #expect(body.contains("grant_type=authorization_code&") && body.contains("code_verifier=\(Self.verifier)"))
      #expect(body.contains("redirect_uri=http%3A%2F%2F127.0.0.1%3A17781%2Fcallback"))
      #expect(body.contains("client_secret=S3cret%2Bof%26the%3Dsandbox") == hasSecret)
      #expect(rig.hidden.count == 2)
    }
  }

  /// A refresh that is under way would keep its token in the place of the one of the login.
  @Test func aLoginDuringARefreshIsTheOneThatCounts() async throws {
    try await onLoop { () async throws in
      let rig = try rig()
      rig.set { $0.refreshTokenAnswer = .rotated }
      _ = try await logIn(rig)
      rig.sandbox.with { $0.revokeTokens() }
      try rig.inject(.delay(.milliseconds(300)), on: "POST /oauth_token.do")
      let reading = Loop.task { try await rig.call("table.list", Self.users) }
      while bodies(rig).count < 2 { await Task.yield() }
      rig.sandbox.with { $0.loggedInUser = "taro" }
      #expect(try await logIn(rig) == "Taro Suzuki")
      _ = try await reading.value
      rig.sandbox.with { $0.revokeTokens() }
      let own: JSONValue = ["table": "sys_user", "query": "sys_id=javascript:gs.getUserID()"]
      #expect(try await rig.call("table.list", own)["records"]?[0]?["user_name"] == "taro")
    }
  }

  /// The refresh token of the login before is another person's, perhaps.
  @Test func aLoginWithoutARefreshTokenLeavesNoneBehind() async throws {
    try await onLoop { () async throws in
      let rig = try rig()
      _ = try await logIn(rig)
      let before = bodies(rig).count
      rig.set { $0.refreshTokenWithCode = false }
      rig.sandbox.with { $0.loggedInUser = "taro" }
      #expect(try await logIn(rig) == "Taro Suzuki")
      try await rig.call("table.list", Self.users)
      rig.pass(.seconds(1800))
      let error = try await rig.failure("table.list", Self.users)
      #expect(error.kind == "login-required" && error.message.contains("run `ringi login now`"))
      #expect(bodies(rig).count == before + 1)
    }
  }

  @Test func aLoginServerThatIsNotThereIsNotAskedTwiceForOneCode() async throws {
    try await onLoop { () async throws in
      let rig = try rig()
      let code = try await code(rig)
      try rig.inject(.status(503), on: "POST /oauth_token.do")
      let error = try await rig.failure {
        .init(try await required(rig.plugin.login).logIn(code: code, verifier: Self.verifier))
      }
      #expect(error.kind == "unavailable" && error.message.contains("log in again later"))
      #expect(bodies(rig).count == 1)
    }
  }

  /// BR-108: a login that could not be kept is none, and the one before goes on.
  @Test func aLoginThatCannotBeKeptIsNone() async throws {
    try await onLoop { () async throws in
      let rig = try rig()
      _ = try await logIn(rig)
      rig.sandbox.with { $0.loggedInUser = "taro" }
      rig.refusesState = true
      let error = try await rig.failure { .init(try await logIn(rig)) }
      #expect(error.kind == "unavailable")
      let own: JSONValue = ["table": "sys_user", "query": "sys_id=javascript:gs.getUserID()"]
      #expect(try await rig.call("table.list", own)["records"]?[0]?["user_name"] == "hanako")
    }
  }
}
