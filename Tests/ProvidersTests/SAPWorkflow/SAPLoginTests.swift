import EventLoop
import HTTP
import HTTPServer
import RingiKit
import JSON
import JSONRPC
import RingiTestSupport
import Sandbox
import Synchronization
import Testing
import Timing

@Suite struct SAPLoginTests {
  // MARK: Neo

  /// P1, P2 and P3.
  @Test(arguments: [HeaderCase.canonical, .lower, .random])
  func aWriteCarriesTheTokenAndAllCookiesOfItsSession(_ headerCase: HeaderCase) async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig {
        $0.switches.headerCase = headerCase; $0.switches.affinity = .strict
      }
      try await rig.call("workflow.start", ["definitionId": "ringi_purchase"])
      try await rig.call("workflow.start", ["definitionId": "ringi_purchase"])
      #expect(rig.count("GET /v1/xsrf-token") == 1)
      let write = try required(rig.control.requests.last?.request)
      let cookies = try required(write.headers["Cookie"])
      #expect(cookies.contains("JSESSIONID=") && cookies.contains("BIGipServer~"))
      // Its Domain is another host's, so a client that keeps the rules does not send it.
      #expect(!cookies.contains("JTENANTSESSIONID"))
      #expect(write.headers["Content-Type"] == "application/json")
    }
  }

  @Test func anExpiredSessionIsRenewedOnceAndTheWriteGoesThrough() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      try await rig.call("workflow.start", ["definitionId": "ringi_purchase"])
      rig.control.expireSessions()
      try await rig.call("workflow.start", ["definitionId": "ringi_purchase"])
      #expect(rig.count("GET /v1/xsrf-token") == 2)
      #expect(rig.control.requests.filter { $0.status == 403 }.count == 1)
      #expect(rig.control.instances.count == 2)
    }
  }

  @Test func manyWritesAfterAnExpiryAllGoThrough() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      try await rig.call("workflow.start", ["definitionId": "ringi_purchase"])
      rig.control.expireSessions()
      let tasks = (0..<12).map { number in
        Loop.task {
          try await number % 3 == 0
            ? rig.call("task.list") : rig.call("workflow.start", ["definitionId": "ringi_purchase"])
        }
      }
      for task in tasks { _ = try await task.value }
      #expect(rig.control.instances.count == 9)
    }
  }

  /// P5.
  @Test func aTokenThatIsRefusedAgainIsAnErrorAndNoLoop() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      // Every answer is that of a server that has lost the session.
      try rig.inject(.status(403), on: "POST /v1/workflow-instances", count: nil)
      let error = try await rig.failure("workflow.start", ["definitionId": "ringi_purchase"])
      #expect(error.kind == "backend-error")
      #expect(error.details["status"] == 403)
      #expect(rig.count("POST /v1/workflow-instances") == 1)
    }
  }

  @Test func wrongCredentialsNeedALogin() async throws {
    try await onLoop { () async throws in
      for settings: JSONValue in [["password": "wrong"], ["user": "nobody"]] {
        let rig = try SAPRig(settings: settings)
        #expect(try await rig.failure("task.list").kind == "login-required")
        #expect(rig.requests.count == 1)
      }
    }
  }

  /// P6.
  @Test func aLoginPageInPlaceOfTheTokenNeedsALogin() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig()
      try rig.inject(.loginPage, on: "GET /v1/xsrf-token")
      #expect(try await rig.failure("task.list").kind == "login-required")
      // The next request tries again.
      #expect(try await rig.call("task.list")["complete"] == true)
    }
  }

  /// BR-092: a login's page is no list.
  @Test(arguments: SAPEnvironment.allCases)
  func aLoginPageInPlaceOfDataNeedsALogin(_ environment: SAPEnvironment) async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(environment)
      let id = try rig.makeTask()
      try rig.inject(.loginPage, on: "GET /v1/task-instances")
      #expect(try await rig.failure("task.list").kind == "login-required")
      try rig.inject(.loginPage, on: "PATCH /v1/task-instances/*")
      #expect(try await rig.failure("task.complete", ["id": .init(id)]).kind == "login-required")
    }
  }

  /// BR-112.
  @Test(arguments: SAPEnvironment.allCases)
  func aRedirectTakesNoCredentialsAnywhere(_ environment: SAPEnvironment) async throws {
    let visits = Atomic(0)
    let stranger = try LoopbackServer { _ in
      visits.add(1, ordering: .relaxed)
      return ServerResponse(status: 200)
    }
    defer { stranger.stop() }
    let server = try LoopbackServer { request in
      if request.path.hasSuffix("/oauth/token") { return .data(#"{"access_token": "good-token"}"#) }
      if request.path.hasSuffix("/v1/xsrf-token") { return .data("", headers: ["X-CSRF-Token": "T1"]) }
      return ServerResponse(status: 302, headers: ["Location": "\(stranger.url)/saml2/idp"])
    }
    defer { server.stop() }
    try await onLoop { () async throws in
      let uaa: JSONValue = environment == .neo ? [:] : ["uaaUrl": .init(server.url)]
      let rig = try SAPRig(environment, settings: (["url": .init(server.url)] as JSONValue).merging(uaa))
      #expect(try await rig.failure("task.list").kind == "login-required")
      #expect(try await rig.failure("task.complete", ["id": "x"]).kind == "login-required")
    }
    #expect(visits.load(ordering: .relaxed) == 0)
  }

  // MARK: OAuth

  /// BR-109: the words of the refusal are not the standard's.
  @Test func aTokenThatSomebodyElseExchangedFirstIsReadAgain() async throws {
    let folder = try TemporaryFolder()
    try folder.write("token", "of-before")
    let server = try LoopbackServer { request in
      guard request.path == "/oauth/token" else { return .data("[]") }
      if String(decoding: request.body, as: UTF8.self).contains("refresh_token=of-now") {
        return .data(#"{"access_token": "good-token", "refresh_token": "of-now"}"#)
      }
      try? folder.write("token", "of-now")
      return .data(#"{"error": "token_reused"}"#, status: 400)
    }
    defer { server.stop() }
    try await onLoop { () async throws in
      let rig = try SAPRig(
        .cf,
        settings: [
          "url": .init(server.url), "uaaUrl": .init(server.url),
          "refreshToken": ["file": .init("\(folder.path)/token")],
        ])
      #expect(try await rig.call("task.list")["complete"] == true)
    }
  }

  @Test(arguments: [SAPEnvironment.cf, .sbpa])
  func oneTokenServesAllCallers(_ environment: SAPEnvironment) async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(environment)
      let tasks = (0..<10).map { _ in Loop.task { try await rig.call("task.list") } }
      for task in tasks { _ = try await task.value }
      #expect(rig.count("POST /oauth/token") == 1)
      #expect(rig.control.requests.last?.request.headers["X-CSRF-Token"] == nil)
    }
  }

  @Test func anExpiredOrRevokedTokenIsFetchedAnew() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(.cf)
      try await rig.call("task.list")
      rig.control.revokeTokens()
      try await rig.call("workflow.start", ["definitionId": "ringi_purchase"])
      #expect(rig.count("POST /oauth/token") == 2)
      #expect(rig.count("POST /v1/workflow-instances") == 2)
      #expect(rig.control.instances.count == 1)
    }
  }

  /// P7.
  @Test func aMissingScopeIsNeitherRetriedNorTakenForALogin() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(.cf) { $0.clients[0].scopes = SAPScope.fresh }
      try await rig.call("task.list")
      let error = try await rig.failure("workflow.start", ["definitionId": "ringi_purchase"])
      #expect(error.kind == "backend-error")
      #expect(error.message.contains("scope"))
      #expect(!error.isRetryable)
      #expect(rig.count("POST /v1/workflow-instances") == 1)
      #expect(rig.count("POST /oauth/token") == 1)
    }
  }

  /// P9.
  @Test func aScopeGrantedLaterIsFoundOnceTheTokenIsOldEnough() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(.cf) { $0.clients[0].scopes = SAPScope.fresh }
      try await rig.call("task.list")
      rig.control.setClient(
        SAPClient(id: SAPClient.standardID, secret: SAPClient.standardSecret, scopes: SAPScope.allCases))
      rig.clock.advance(by: .seconds(301))
      _ = try await rig.failure("workflow.start", ["definitionId": "ringi_purchase"])
      try await rig.call("workflow.start", ["definitionId": "ringi_purchase"])
      #expect(rig.count("POST /oauth/token") == 2)
    }
  }

  /// P28.
  @Test func everyInstanceHasATokenOfItsOwn() async throws {
    try await onLoop { () async throws in
      let first = try SAPRig(.cf)
      let second = try SAPRig(
        .cf, settings: ["url": .init(first.sandbox.baseURL), "uaaUrl": .init(first.sandbox.url)])
      for _ in 0..<2 { for rig in [first, second] { try await rig.call("task.list") } }
      #expect(first.count("POST /oauth/token") == 2)
      let bearers = first.control.requests.compactMap { entry in
        entry.request.path.hasSuffix("/task-instances") ? entry.request.headers["Authorization"] : nil
      }
      #expect(bearers.count == 4 && Set(bearers).count == 2 && bearers[0] == bearers[2] && bearers[1] == bearers[3])
    }
  }

  @Test func aWrongClientNeedsALogin() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(.cf, settings: ["clientSecret": "wrong"])
      #expect(try await rig.failure("task.list").kind == "login-required")
    }
  }

  @Test func aRefreshTokenMakesDecisionsTheUsers() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(.cf)
      let refresh = try await rig.refreshToken(for: "P1000001", password: "approve-1")
      let id = try rig.makeTask()
      let user = try SAPRig(
        .cf,
        settings: ["refreshToken": .init(refresh), "url": .init(rig.sandbox.baseURL), "uaaUrl": .init(rig.sandbox.url)])
      try await user.call("task.complete", ["id": .init(id), "context": ["approved": true]])
      #expect(rig.control.task(id)?.processor == "P1000001")
    }
  }

  /// P34.
  @Test func withoutARefreshTokenDecisionsAreTheClients() async throws {
    try await onLoop { () async throws in
      let rig = try SAPRig(.cf)
      let id = try rig.makeTask()
      try await rig.call("task.complete", ["id": .init(id)])
      #expect(rig.control.task(id)?.processor == SAPClient.standardID)
    }
  }
}
