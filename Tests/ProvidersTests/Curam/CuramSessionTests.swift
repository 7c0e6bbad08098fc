import EventLoop
import HTTPServer
import JSON
import JSONRPC
import RingiCore
import RingiTestSupport
import Sandbox
import Testing

@Suite struct CuramSessionTests {
  private static let ada: JSONValue = ["id": "101"]

  /// K13, K14 and section 3.5: 401, a redirect to the login, or the login's page.
  @Test(arguments: CuramSwitches.Expired.allCases, [CuramSwitches.Server.was, .weblogic])
  func aLoginThatHasEndedIsRenewedOnceHoweverTheServerSaysIt(
    _ expired: CuramSwitches.Expired, _ server: CuramSwitches.Server
  ) async throws {
    try await onLoop {
      let rig = try CuramRig { ($0.expired, $0.server) = (expired, server) }
      try await rig.call("persons.get", Self.ada)
      rig.sandbox.with { $0.expireLogins() }
      try await rig.calls(10, "persons.get", Self.ada)
      #expect(rig.logins == 2)
    }
  }

  @Test(arguments: CuramSwitches.Expired.allCases)
  func aWriteThatMetAnEndedLoginIsDoneOnce(_ expired: CuramSwitches.Expired) async throws {
    try await onLoop {
      let rig = try CuramRig { $0.expired = expired }
      try await rig.call("persons.get", Self.ada)
      rig.sandbox.with { $0.expireLogins() }
      try await rig.call("resource.create", ["path": "ua/application_form", "body": ["a": 1]])
      #expect(rig.sandbox.with { $0.writes } == 1)
      #expect(rig.logins == 2)
    }
  }

  /// K10 and K28: no loop.
  @Test func aPageAfterANewLoginIsTheAnswer() async throws {
    try await onLoop {
      let rig = try CuramRig()
      try rig.inject(.loginPage, on: "GET /v1/persons/*", count: nil)
      let error = try await rig.failure("persons.get", Self.ada)
      #expect(error.kind == "login-required" && error.message.contains("a page"))
      #expect(rig.logins == 2)
    }
  }

  /// K15.
  @Test func aNewLoginCarriesNoneOfTheOldCookies() async throws {
    try await onLoop {
      let rig = try CuramRig()
      try await rig.call("persons.get", Self.ada)
      rig.sandbox.with { $0.expireLogins() }
      try await rig.call("persons.get", Self.ada)
      let logins = rig.requests.filter { $0.path == "/Rest/j_security_check" }
      #expect(logins.count == 2)
      #expect(logins.allSatisfy { $0.headers["Cookie"] == nil })
    }
  }

  /// K13: the token's life does not grow by use.
  @Test func aLoginEndsAfterTwoHoursOfUse() async throws {
    try await onLoop {
      let rig = try CuramRig()
      for _ in 0..<13 {
        try await rig.call("persons.get", Self.ada)
        rig.sandbox.with { $0.clock.advance(by: .seconds(600)) }
      }
      #expect(rig.logins == 2)
    }
  }

  /// K12.
  @Test func cookiesThatNobodyKnowsAreKept() async throws {
    try await onLoop {
      let rig = try CuramRig { ($0.replicas, $0.csrf) = (2, true) }
      for _ in 0..<4 { try await rig.call("persons.get", Self.ada) }
      #expect(rig.logins == 1)
      #expect(rig.lines.filter { $0 == "GET /v1/csrf/tokens" }.count == 1)
      #expect(rig.requests.dropFirst().allSatisfy { $0.headers["Cookie"]?.contains("route=") == true })
    }
  }

  /// BR-079: nor is there a login meanwhile.
  @Test(arguments: [Fault.RetryAfter.text("3600"), .date(.seconds(3600))])
  func aServiceThatAsksForPeaceIsLeftAlone(_ wait: Fault.RetryAfter) async throws {
    try await onLoop {
      let rig = try CuramRig()
      try await rig.call("persons.get", Self.ada)
      try rig.inject(.status(429, retryAfter: wait), on: "GET /v1/persons/*")
      #expect(try await rig.failure("persons.get", Self.ada).retryAfter == 3600)
      let sent = rig.lines.count
      rig.sandbox.with { $0.expireLogins() }
      rig.pass(.seconds(3500))
      #expect(try await rig.failure("persons.get", Self.ada).kind == "unavailable")
      #expect(rig.lines.count == sent)
      rig.pass(.seconds(101))
      try await rig.call("persons.get", Self.ada)
    }
  }

  /// K26: the cookies of one instance are nobody else's.
  @Test func twoInstancesOfOneUserDoNotEndEachOthersSessions() async throws {
    try await onLoop {
      let first = try CuramRig()
      let second = try CuramRig(after: first)
      try await first.call("persons.get", Self.ada)
      try await second.call("persons.get", Self.ada)
      #expect(first.sandbox.with { $0.openSessions } == 2)
      await second.plugin.stop(isHurried: false)
      try await first.call("persons.get", Self.ada)
      #expect(first.logins == 2 && first.sandbox.with { $0.openSessions } == 1)
    }
  }

  /// K14: the server's session ends by idleness, and its token with it; the login does not.
  @Test func aSessionThatWasIdleIsRenewedWithoutALogin() async throws {
    try await onLoop {
      let rig = try CuramRig { $0.csrf = true }
      try await rig.call("persons.get", Self.ada)
      rig.sandbox.with { $0.clock.advance(by: .seconds(31 * 60)) }
      try await rig.call("resource.update", ["path": "persons/102", "body": ["a": 1]])
      #expect(rig.logins == 1 && rig.sandbox.with { $0.writes } == 1)
    }
  }

  // MARK: CSRF tokens

  /// K4: reads as well as writes.
  @Test(arguments: ["auto", "on"]) func everyRequestCarriesTheTokenWhereTheSiteWantsOne(_ csrf: String) async throws {
    try await onLoop {
      let rig = try CuramRig(settings: ["csrf": .init(csrf)]) { $0.csrf = true }
      try await rig.calls(5, "persons.get", Self.ada)
      try await rig.call("resource.update", ["path": "persons/102", "body": ["a": 1]])
      #expect(rig.lines.filter { $0 == "GET /v1/csrf/tokens" }.count == 1)
      #expect(rig.sandbox.with { $0.writes } == 1)
      #expect(rig.requests.last?.headers["X-IBM-SPM-CSRF"] != nil)
    }
  }

  /// K5.
  @Test func aNewLoginFetchesANewTokenBeforeAnythingElse() async throws {
    try await onLoop {
      let rig = try CuramRig { $0.csrf = true }
      try await rig.call("persons.get", Self.ada)
      rig.sandbox.with { $0.expireLogins() }
      let before = rig.lines.count
      try await rig.call("persons.get", Self.ada)
      #expect(
        Array(rig.lines.dropFirst(before)) == [
          "GET /v1/persons/101", "POST /j_security_check", "GET /v1/csrf/tokens", "GET /v1/persons/101",
        ])
    }
  }

  /// A session of the server's ends before the login does, and its tokens with it.
  @Test func aTokenOfAnEndedSessionIsRenewedWithoutALogin() async throws {
    try await onLoop {
      let rig = try CuramRig { $0.csrf = true }
      try await rig.call("persons.get", Self.ada)
      rig.sandbox.with { $0.expireSessions() }
      try await rig.calls(5, "persons.get", Self.ada)
      #expect(rig.logins == 1)
    }
  }

  @Test func aSiteWithoutTokensIsAskedOnce() async throws {
    try await onLoop {
      let rig = try CuramRig(settings: ["csrf": "on"])
      for _ in 0..<3 { try await rig.call("persons.get", Self.ada) }
      #expect(rig.lines.filter { $0 == "GET /v1/csrf/tokens" }.count == 1)
    }
  }

  @Test func aTokenThatIsSwitchedOffInTheSettingsIsMissed() async throws {
    try await onLoop {
      let rig = try CuramRig(settings: ["csrf": "off"]) { $0.csrf = true }
      let error = try await rig.failure("persons.get", Self.ada)
      #expect(error.kind == "backend-error" && error.details["code"] == "-150220")
      #expect(error.message.contains("auto"))
    }
  }
}
