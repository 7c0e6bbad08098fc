import EventLoop
import Foundation
import HTTPServer
import JSON
import Providers
import RingiCore
import RingiKit
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// What a check finds at each of the services, and what it sends there.
@Suite(.timeLimit(.minutes(3))) struct ServiceCheckupTests {
  // MARK: Sound services

  @Test func aServiceThatIsWellIsWellByOneReadAtEach() async throws {
    try await onLoop {
      let sap = try SAPRig()
      try Self.expectWell(try await sap.checked())
      #expect(sap.requests == ["GET /v1/xsrf-token", "GET /v1/task-instances"])
      let now = try ServiceNowRig("basic")
      try Self.expectWell(try await now.checked())
      #expect(now.requests == ["GET /api/now/table/sysapproval_approver"])
      let todoist = try ListRig<TodoistState>()
      try Self.expectWell(try await todoist.run.checked())
      #expect(todoist.requests == ["GET /user"])
      let wunderlist = try ListRig<WunderlistState>()
      try Self.expectWell(try await wunderlist.run.checked())
      #expect(wunderlist.requests == ["GET /user"])
      let curam = try CuramRig()
      try Self.expectWell(try await curam.checked(), except: .clock)
      #expect(curam.lines.allSatisfy { $0.hasPrefix("GET ") || $0 == "POST /j_security_check" }, "\(curam.lines)")
      let rest = try RESTRig()
      try Self.expectWell(try await rest.checked())
      #expect(rest.sandbox?.with { $0.log.entries.map(\.request.method) } == ["GET"])
    }
  }

  @Test(arguments: [SAPEnvironment.cf, .sbpa]) func aLoginByTokenIsCheckedToo(_ environment: SAPEnvironment)
    async throws
  {
    try await onLoop {
      let rig = try SAPRig(environment)
      try Self.expectWell(try await rig.checked())
      #expect(rig.requests == ["POST /oauth/token", "GET /v1/task-instances"])
    }
  }

  private static func expectWell(_ findings: [Finding], except subject: Finding.Subject? = nil) throws {
    #expect(findings.allSatisfy { $0.status == .ok || $0.subject == .tls || $0.subject == subject }, "\(findings)")
    for subject in [Finding.Subject.reachability, .credentials] {
      #expect(findings.contains { $0.subject == subject && $0.status == .ok }, "\(subject)")
    }
    #expect(findings.first { $0.subject == .tls }?.status == .skipped)
  }

  // MARK: Credentials

  @Test func aWrongPasswordIsTriedOnceAndNotAgainUntilItChanges() async throws {
    try await onLoop {
      let now = try ServiceNowRig("basic")
      now.change(secret: "approve-1", to: "wrong")
      for round in 1...3 {
        let finding = try Self.finding(.credentials, try await now.checked())
        #expect(finding.status == .problem && finding.advice?.contains("user and password") == true)
        #expect(finding.message.hasPrefix("refused before") == (round > 1), "\(finding)")
        #expect(now.requests.count == 1)
      }
      now.change(secret: "approve-1", to: "approve-1")
      #expect(try Self.finding(.credentials, try await now.checked()).status == .ok)
    }
  }

  @Test func aPasswordThatAPollFoundRefusedIsNotTriedByTheCheck() async throws {
    try await onLoop {
      let sap = try SAPRig(settings: ["password": "wrong"])
      let source = try sap.source
      _ = try? await sap.passingTime { try await source.tasks() }
      let sent = sap.requests.count
      let findings = try await sap.checked()
      #expect(try Self.finding(.credentials, findings).message.hasPrefix("refused before"))
      #expect(try Self.finding(.reachability, findings).status == .skipped)
      #expect(sap.requests.count == sent)
    }
  }

  @Test func aFormsLoginThatWasRefusedIsNotSentAgain() async throws {
    try await onLoop {
      let rig = try CuramRig()
      rig.password = "wrong"
      for _ in 1...2 {
        #expect(try Self.finding(.credentials, try await rig.checked()).status == .problem)
        #expect(rig.lines.count { $0 == "POST /j_security_check" } == 1)
      }
    }
  }

  @Test func aTokenThatIsRefusedIsSaidWithTheSettingThatHoldsIt() async throws {
    try await onLoop {
      let todoist = try ListRig<TodoistState>(settings: ["token": "0123456789"])
      for _ in 1...2 {
        let finding = try Self.finding(.credentials, try await todoist.run.checked())
        #expect(finding.status == .problem && finding.advice?.contains("Correct token") == true, "\(finding)")
        #expect(!"\(finding)".contains("0123456789"))
      }
      #expect(todoist.requests.count == 1)
    }
  }

  // MARK: The way

  @Test func aServiceThatIsDownIsNotReachable() async throws {
    try await onLoop {
      let rig = try ServiceNowRig("basic")
      rig.sandbox.stop()
      let findings = try await rig.checked()
      let reachability = try Self.finding(.reachability, findings)
      #expect(reachability.status == .problem && reachability.message.contains("refused"), "\(reachability)")
      #expect(reachability.advice?.contains("settings.url of /plugins.d/x.json") == true)
      #expect(try Self.finding(.credentials, findings).status == .skipped)
    }
  }

  @Test func aServiceThatGivesNoAnswerIsGivenUpAtTheDeadline() async throws {
    try await onLoop {
      let rig = try ServiceNowRig("basic")
      try rig.inject(.hang(applied: false), on: "GET /api/now/table/sysapproval_approver")
      let check = Loop.task { try await rig.checked() }
      while rig.requests.isEmpty { await Task.yield() }
      rig.clock.advance(by: .seconds(15))
      let reachability = try Self.finding(.reachability, try await check.value)
      #expect(reachability.status == .problem && reachability.message.contains("15s"), "\(reachability)")
      #expect(rig.requests.count == 1)
    }
  }

  /// The login is another task's, so that no request of the check's own tells of it.
  @Test func aLoginThatGivesNoAnswerIsAProblemAndNoWantOfCredentials() async throws {
    try await onLoop {
      let rig = try SAPRig(.cf)
      try rig.inject(.hang(applied: false), on: "POST /oauth/token", count: nil)
      let check = Loop.task { try await rig.checked() }
      while rig.requests.isEmpty { await Task.yield() }
      rig.clock.advance(by: .seconds(15))
      let finding = try Self.finding(.reachability, try await check.value)
      #expect(finding.status == .problem && finding.message.contains("nothing came of asking"), "\(finding)")
      rig.sandbox.stop()
    }
  }

  @Test func anAnswerOf503IsNotRepeated() async throws {
    try await onLoop {
      let rig = try ServiceNowRig("basic")
      try rig.inject(.status(503), on: "GET /api/now/table/sysapproval_approver", count: nil)
      #expect(try Self.finding(.reachability, try await rig.checked()).message.contains("status 503"))
      #expect(rig.requests.count == 1)
    }
  }

  @Test func aServiceThatWantsToBeLeftAloneIsLeftAlone() async throws {
    try await onLoop {
      let rig = try ServiceNowRig("basic")
      try rig.inject(
        .status(429, retryAfter: .text("120")), on: "GET /api/now/table/sysapproval_approver", count: nil)
      for _ in 1...2 {
        let finding = try Self.finding(.rateLimit, try await rig.checked())
        #expect(finding.status == .warning && finding.message.contains("120 s"), "\(finding)")
      }
      #expect(rig.requests.count == 1)
    }
  }

  // MARK: The clock

  @Test(arguments: [
    (0, Finding.Status.ok), (50, .ok), (120, .warning), (-120, .warning), (600, .problem), (-600, .problem),
  ])
  func theServicesClockIsComparedWithOurs(_ skew: Int, _ status: Finding.Status) async throws {
    try await onLoop {
      let rig = try ServiceNowRig("basic")
      rig.set { $0.dateSkew = skew }
      let finding = try Self.finding(.clock, try await rig.checked())
      #expect(finding.status == status, "\(finding)")
      if skew.magnitude >= 600 {
        #expect(finding.message.contains("10 min \(skew > 0 ? "ahead of" : "behind") ours"), "\(finding)")
      }
    }
  }

  // MARK: TLS

  @Test func aCertificateIsVerifiedAsTheSettingsSay() async throws {
    let tls = LoopbackServer.TLS(certificate: TestCertificate.certificate, key: TestCertificate.key)
    let server = try LoopbackServer(tls: tls) { _ in Self.json }
    let authority = FileManager.default.temporaryDirectory.appending(path: "ringi-\(UUID()).pem").path
    try TestCertificate.certificate.write(toFile: authority, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: authority) }
    try await onLoop {
      let url = JSONValue("https://127.0.0.1:\(server.port)/api/v1")
      let distrustful = try PluginRun(Todoist.self, "todo", settings: ["url": url, "token": "x"]) { _ in }
      let refused = try Self.finding(.tls, try await distrustful.checked())
      #expect(refused.status == .problem && refused.message.contains("certificate"), "\(refused)")
      #expect(refused.advice?.contains("settings.tls.authorityFile of /plugins.d/x.json") == true)

      let settings: JSONValue = ["url": url, "token": "x", "tls": ["authorityFile": JSONValue(authority)]]
      let trusting = try PluginRun(Todoist.self, "todo", settings: settings) { _ in }
      let trusted = try Self.finding(.tls, try await trusting.checked())
      #expect(trusted.status == .ok && trusted.message.contains(authority), "\(trusted)")
      #expect(trusted.message.contains("until \(TestCertificate.end)"), "\(trusted)")
      // The connection of before is not asked, for it would know nothing of certificates.
      #expect(try Self.finding(.tls, try await trusting.checked()) == trusted)

      let time = try required(Timestamp(rfc3339: "\(TestCertificate.end)T00:00:00Z"))
      trusting.clock.advance(by: time.duration(since: trusting.clock.now) - .seconds(10 * 86_400))
      let ending = try Self.finding(.tls, try await trusting.checked())
      #expect(ending.status == .warning && ending.advice?.contains("renew") == true, "\(ending)")
    }
  }

  @Test func plainHTTPToAnotherMachineIsWarnedOf() async throws {
    let server = try LoopbackServer { _ in Self.json }
    try await onLoop {
      let url = JSONValue("http://todo.localhost:\(server.port)/api/v1")
      let run = try PluginRun(Todoist.self, "todo", settings: ["url": url, "token": "x"]) { _ in }
      #expect(try Self.finding(.tls, try await run.checked()).status == .warning)
    }
  }

  // MARK: A service that is declared

  @Test func aServiceWithoutAReadIsOnlyReached() async throws {
    let server = try LoopbackServer { _ in ServerResponse(status: 404, headers: Self.json.headers, text: "{}") }
    try await onLoop {
      let rig = try RESTRig(settings: ["url": .init("http://127.0.0.1:\(server.port)/"), "resources": [:]])
      let findings = try await rig.checked()
      #expect(try Self.finding(.reachability, findings).status == .ok)
      #expect(try Self.finding(.credentials, findings).status == .skipped)
    }
  }

  private static let json = ServerResponse(
    status: 200, headers: ["Content-Type": "application/json"], text: #"{"id": "1"}"#)

  private static func finding(_ subject: Finding.Subject, _ findings: [Finding]) throws -> Finding {
    try required(findings.first { $0.subject == subject })
  }
}

extension PluginRig {
  /// What a check finds; no time passes meanwhile.
  func checked() async throws -> [Finding] {
    await (try required(plugin.checkup)).findings(file: "/plugins.d/x.json", within: .seconds(15))
  }
}
