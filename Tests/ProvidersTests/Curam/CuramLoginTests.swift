import EventLoop
import HTTPServer
import JSON
import JSONRPC
import RingiCore
import RingiTestSupport
import Sandbox
import Synchronization
import Testing

@Suite struct CuramLoginTests {
  private static let ada: JSONValue = ["id": "101"]

  /// K8 and K9.
  @Test(arguments: CuramSwitches.Server.allCases, CuramSwitches.LoginStyle.allCases)
  func theLoginOfEveryServerIsUnderstood(_ server: CuramSwitches.Server, _ style: CuramSwitches.LoginStyle) async throws
  {
    try await onLoop {
      let rig = try CuramRig { ($0.server, $0.loginStyle) = (server, style) }
      #expect(try await rig.call("persons.get", Self.ada)["fullName"] == "Ada Example")
      #expect(rig.logins == 1)
      let cookies = try required(rig.requests.last?.headers["Cookie"])
      let name =
        switch server {
        case .was, .liberty: "LtpaToken2"
        case .libertyOIDC: "SPMLtpa2Cookie"
        case .weblogic: "_WL_AUTHCOOKIE_JSESSIONID"
        }
      #expect(cookies.contains("\(name)=") && cookies.contains("JSESSIONID="))
    }
  }

  /// K7, and the same for spaces at the end.
  @Test(arguments: [("symbols", "p&ss=w+rd%41 "), ("cyrillic", "пароль"), ("trailing", "blank ")])
  func aPasswordArrivesWhateverIsInIt(_ user: String, _ password: String) async throws {
    try await onLoop {
      let rig = try CuramRig(settings: ["user": .init(user)])
      rig.password = password
      try await rig.call("persons.get", Self.ada)
    }
  }

  /// K18.
  @Test func aCitizenLogsInWithItsUserTypeAlone() async throws {
    try await onLoop {
      let rig = try CuramRig(settings: ["user": "citizen", "loginFields": ["user_type": "EXTERNAL;10.0.0.1"]])
      rig.password = "citizen-1"
      try await rig.call("persons.get", Self.ada)
      let without = try CuramRig(settings: ["user": "citizen"])
      without.password = "citizen-1"
      #expect(try await without.failure("persons.get", Self.ada).kind == "login-required")
    }
  }

  /// K28.
  @Test func aRefusedPasswordIsNotSentAgainBeforeItChanges() async throws {
    try await onLoop {
      let rig = try CuramRig(settings: ["watch": [["path": "persons/101"]]])
      rig.password = "wrong"
      for _ in 0..<3 { #expect(try await rig.failure("persons.get", Self.ada).kind == "login-required") }
      #expect(try await rig.failure { try await rig.poll() }.kind == "login-required")
      #expect(rig.lines == ["POST /j_security_check"])
      rig.password = "casework-1"
      try await rig.call("persons.get", Self.ada)
      #expect(rig.logins == 1)
    }
  }

  /// Servers count these as tries, too; what is about the address is none.
  @Test(arguments: [(400, 1), (403, 1), (423, 1), (404, 3), (405, 3)])
  func aLoginRefusedByAnotherStatusIsNotSentAgainEither(_ status: Int, _ sent: Int) async throws {
    try await onLoop {
      let rig = try CuramRig()
      try rig.inject(.status(status), on: "POST /j_security_check", count: nil)
      for _ in 0..<3 {
        let kind = try await rig.failure("persons.get", Self.ada).kind
        #expect(kind == (sent == 1 ? "login-required" : "backend-error"))
      }
      #expect(rig.lines.count == sent)
    }
  }

  @Test func aRefererThatIsRefusedIsNoTryOfThePassword() async throws {
    try await onLoop {
      let rig = try CuramRig(settings: ["referer": "https://elsewhere.example/"])
      for _ in 0..<2 { #expect(try await rig.failure("persons.get", Self.ada).details["code"] == "-150210") }
      #expect(rig.lines.count == 2)
    }
  }

  /// K1, K6 and K27.
  @Test(arguments: CuramSwitches.LoginStyle.allCases)
  func everyRequestCarriesTheReferer(_ style: CuramSwitches.LoginStyle) async throws {
    try await onLoop {
      let rig = try CuramRig { ($0.loginStyle, $0.csrf) = (style, true) }
      try await rig.call("persons.get", Self.ada)
      await rig.plugin.stop(isHurried: false)
      #expect(rig.lines.contains("GET /v1/csrf/tokens") && rig.lines.last == "POST /logout")
      #expect(rig.requests.allSatisfy { $0.headers["Referer"] == "curam://ringi" })
    }
  }

  /// K2.
  @Test func aRefererThatTheSiteDoesNotTakeIsToldAsSuch() async throws {
    try await onLoop {
      let rig = try CuramRig(settings: ["referer": "https://elsewhere.example/"])
      let error = try await rig.failure("persons.get", Self.ada)
      #expect(error.kind == "backend-error" && error.details["code"] == "-150210")
      #expect(error.message.contains("curam.rest.refererDomains"))
      #expect(rig.sandbox.with { $0.user("caseworker")?.failures } == 0)
    }
  }

  /// K20 and BR-112.
  @Test func anIdentityProviderInTheWayGetsNeitherPasswordNorCookies() async throws {
    let visits = Atomic(0)
    let other = try LoopbackServer { _ in
      visits.add(1, ordering: .relaxed)
      return ServerResponse(status: 200)
    }
    defer { other.stop() }
    try await onLoop {
      let rig = try CuramRig { $0.sso = other.url + "/saml?ticket=abc" }
      let error = try await rig.failure("persons.get", Self.ada)
      #expect(error.kind == "backend-error" && error.message.contains("j_security_check"))
      #expect(!error.message.contains("ticket"))
    }
    #expect(visits.load(ordering: .relaxed) == 0)
  }

  /// K10: what a login to another application's form gives.
  @Test func aPageAfterTheLoginIsNoLogin() async throws {
    try await onLoop {
      let rig = try CuramRig()
      try rig.inject(.loginPage, on: "POST /j_security_check")
      let error = try await rig.failure("persons.get", Self.ada)
      #expect(error.kind == "login-required" && error.message.contains("LtpaToken2"))
      #expect(rig.lines == ["POST /j_security_check"])
    }
  }

  /// K8.
  @Test func whichCookieALoginSetsIsASetting() async throws {
    try await onLoop {
      let rig = try CuramRig(settings: ["authCookies": ["SiteSSO"]])
      let error = try await rig.failure("persons.get", Self.ada)
      #expect(error.kind == "login-required" && error.message.contains("SiteSSO"))
    }
  }

  @Test func oneLoginServesManyRequests() async throws {
    try await onLoop {
      let rig = try CuramRig()
      try await rig.calls(20, "persons.get", Self.ada)
      #expect(rig.logins == 1)
      #expect(rig.lines.filter { $0 == "POST /j_security_check" }.count == 1)
    }
  }

  @Test func aServiceThatIsAwayIsNoRefusal() async throws {
    try await onLoop {
      let rig = try CuramRig()
      try rig.inject(.status(503, retryAfter: .text("1")), on: "POST /j_security_check")
      let error = try await rig.failure("persons.get", Self.ada)
      #expect(error.kind == "unavailable" && error.retryAfter == 1)
      rig.clock.advance(by: .seconds(2))
      try await rig.call("persons.get", Self.ada)
    }
  }

  /// K16.
  @Test(arguments: CuramSwitches.LogoutPath.allCases)
  func theSessionIsEndedAtTheEnd(_ path: CuramSwitches.LogoutPath) async throws {
    try await onLoop {
      let rig = try CuramRig { $0.logoutPath = path }
      try await rig.call("persons.get", Self.ada)
      await rig.plugin.stop(isHurried: true)
      #expect(rig.sandbox.with { $0.openSessions } == 0)
      #expect(rig.lines.last == "POST \(path.rawValue)")
      #expect(try await rig.failure("persons.get", Self.ada).kind == "plugin-down")
    }
  }

  @Test func whoNeverLoggedInDoesNotLogOut() async throws {
    try await onLoop {
      let rig = try CuramRig()
      await rig.plugin.stop(isHurried: false)
      #expect(rig.lines.isEmpty)
    }
  }

  /// BR-117.
  @Test func cookiesAndTokensAreKeptOutOfWhatTheAgentSays() async throws {
    try await onLoop {
      let rig = try CuramRig { $0.csrf = true }
      try await rig.call("persons.get", Self.ada)
      let last = try required(rig.requests.last)
      #expect(rig.hidden.contains(try required(last.headers["X-IBM-SPM-CSRF"])))
      for pair in try required(last.headers["Cookie"]).split(separator: "; ") {
        #expect(rig.hidden.contains(String(try required(pair.split(separator: "=", maxSplits: 1).last))))
      }
    }
  }
}
