import EventLoop
import Foundation
import HTTPServer
import JSON
import JSONRPC
import Providers
import RingiCore
import RingiKit
import RingiTestSupport
import Sandbox
import Synchronization
import Testing

/// Logins that are renewed with a refresh token: what is refused, what somebody else exchanged, and when to rest.
@Suite struct ServiceNowRefreshTests {
  private static let users: JSONValue = ["table": "sys_user"]

  /// Pitfall 6: the service has one answer for every cause, so that another try would bring the same.
  @Test func aRefreshTokenThatWasRefusedIsNotSentAgainBeforeItChanges() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig("refresh-token", settings: ["refreshToken": "the-token"])
      rig.change(secret: "the-token", to: "out-of-date")
      for _ in 0..<3 {
        let error = try await rig.failure("table.list", Self.users)
        #expect(error.kind == "login-required" && error.message.contains("127.0.0.1"))
        rig.pass(.seconds(600))
      }
      #expect(rig.requests == ["POST /oauth_token.do"])
      rig.change(secret: "the-token", to: rig.sandbox.with { $0.makeRefreshToken(for: "hanako") })
      try await rig.call("table.list", Self.users)
    }
  }

  @Test func aCheckKnowsOfTheRefusalAndSendsNothing() async throws {
    try await onLoop { () async throws in
      let clock = TestClock()
      let store = try Store(inMemoryFor: clock, log: Log(level: .error, clock: clock, redactor: Redactor()))
      let settings: JSONValue = ["redirectUri": .init(ServiceNowClient.standardRedirect)]
      let rig = try ServiceNowRig("authorization-code", settings: settings, store: store)
      try await PluginState(of: "now", in: store).set("oauth.refresh-token", ["origin": "", "token": "out-of-date"])
      _ = try await rig.failure("table.list", Self.users)
      let findings = try await rig.passingTime { try await rig.checked() }
      let found = try required(findings.first { $0.subject == .credentials })
      #expect(found.message.contains("refused before") && found.advice == "Log in with `ringi login now`.")
      #expect(rig.requests == ["POST /oauth_token.do"])
    }
  }

  /// The refusal may have been about the client.
  @Test func anotherClientSecretIsAnotherTry() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig(
        "refresh-token", settings: ["refreshToken": "the-token", "clientSecret": "the-secret"])
      rig.change(secret: "the-token", to: rig.sandbox.with { $0.makeRefreshToken(for: "hanako") })
      #expect(try await rig.failure("table.list", Self.users).kind == "login-required")
      rig.change(secret: "the-secret", to: ServiceNowClient.standardSecret)
      try await rig.call("table.list", Self.users)
    }
  }

  /// BR-109.
  @Test func aTokenThatSomebodyElseExchangedFirstIsReadAgain() async throws {
    let folder = try TemporaryFolder()
    try folder.write("token", "of-before")
    let tries = Atomic(0)
    let server = try LoopbackServer { request in
      guard request.path == "/oauth_token.do" else {
        return .data(#"{"result": []}"#)
      }
      tries.add(1, ordering: .relaxed)
      if String(decoding: request.body, as: UTF8.self).contains("refresh_token=of-now") {
        return .data(#"{"access_token": "good-token", "refresh_token": "of-now", "expires_in": 1799}"#)
      }
      // The other process writes down what it got only now.
      try? folder.write("token", "of-now")
      return .data(#"{"error_description": "access_denied", "error": "server_error"}"#, status: 401)
    }
    defer { server.stop() }
    try await onLoop { () async throws in
      let run = try PluginRun(
        ServiceNow.self, "now",
        settings: [
          "url": .init(server.url), "login": "refresh-token", "clientId": "c", "clientSecret": "s",
          "refreshToken": ["file": .init("\(folder.path)/token")],
        ]
      ) { _ in }
      #expect(try await run.call("table.list", Self.users)["complete"] == true)
    }
    #expect(tries.load(ordering: .relaxed) == 2)
  }

  /// BR-079: login and tables are one server, which asked for peace.
  @Test func whileTheInstanceRestsNobodyLogsInEither() async throws {
    try await onLoop { () async throws in
      let rig = try ServiceNowRig()
      try await rig.call("table.list", Self.users)
      try rig.inject(.status(429, retryAfter: .text("3600")), on: "GET /api/now/table/sys_user")
      #expect(try await rig.failure("table.list", Self.users).retryAfter == 3600)
      let sent = rig.requests.count
      // The token has ended meanwhile.
      rig.pass(.seconds(1900))
      let error = try await rig.failure("table.list", Self.users)
      #expect(error.kind == "unavailable" && error.retryAfter == 1700)
      #expect(rig.requests.count == sent)
      rig.pass(.seconds(1701))
      try await rig.call("table.list", Self.users)
    }
  }
}
