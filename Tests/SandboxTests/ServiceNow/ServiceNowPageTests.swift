import HTTPServer
import JSON
import RingiTestSupport
import Sandbox
import Testing

/// The pages, and the sessions that they take.
@Suite struct ServiceNowPageTests {
  private func token(_ sandbox: ServiceNowSandbox) throws -> String {
    let answer = try ServiceNowRequests(sandbox, basic: nil).token(ServiceNowRequests.password)
    return try #require(try answer.json()["access_token"]?.string)
  }

  private func get(
    _ sandbox: ServiceNowSandbox, _ target: String, _ headers: [(String, String)] = []
  ) throws -> RawAnswer {
    try ServiceNowRequests(sandbox, basic: nil).send("GET", target, headers: headers)
  }

  /// The value of JSESSIONID that an answer sets.
  private func session(_ answer: RawAnswer) throws -> String {
    let line = try #require(answer.all("Set-Cookie").first { $0.hasPrefix("JSESSIONID=") })
    return String(line.prefix { $0 != ";" })
  }

  private func opened(_ sandbox: ServiceNowSandbox) throws -> (cookie: String, page: RawAnswer) {
    let page = try get(sandbox, "/welcome.do", [("Authorization", "Bearer \(try token(sandbox))")])
    return (try session(page), page)
  }

  /// Rules 11 and 13.
  @Test func aPageWithABearerBeginsASessionThatCookiesCarryOn() throws {
    let sandbox = try startedServiceNow()
    let guest = try session(try get(sandbox, "/welcome.do"))
    let page = try get(sandbox, "/welcome.do", [("Authorization", "Bearer \(try token(sandbox))"), ("Cookie", guest)])
    let cookie = try session(page)
    #expect(page.status == 200 && page["X-Is-Logged-In"] == "true" && cookie != guest)
    #expect(page["Cache-Control"]?.contains("no-store") == true && page["Server"] == "ServiceNow")
    #expect(try get(sandbox, "/welcome.do", [("Cookie", cookie)]).text.contains("Hanako Sato"))
    #expect(try get(sandbox, "/welcome.do", [("Cookie", guest)]).status == 302)
  }

  /// Rule 11.
  @Test func aSessionOfTheAPIOpensNoPage() throws {
    let sandbox = try startedServiceNow()
    let cookie = try session(try ServiceNowRequests(sandbox).get("sys_user"))
    #expect(try get(sandbox, "/welcome.do", [("Cookie", cookie)]).status == 302)
  }

  /// Rule 8.
  @Test func aBearerThatIsNoGoodIsRefused() throws {
    let answer = try get(try startedServiceNow(), "/welcome.do", [("Authorization", "Bearer none")])
    #expect(answer.status == 401 && answer["WWW-Authenticate"] != nil && answer["X-Is-Logged-In"] == "false")
  }

  /// Rule 12.
  @Test(arguments: ["idle", "token", "lasting"])
  func aSessionEndsWhenItIsIdleOrItsTokenEnds(_ end: String) throws {
    let sandbox = try startedServiceNow { $0.switches.cookieDiesWithToken = end != "lasting" }
    let cookie = try opened(sandbox).cookie
    if end == "idle" {
      sandbox.with { $0.clock.advance(by: .seconds(1800)) }
    } else {
      for _ in 0..<3 {
        sandbox.with { $0.clock.advance(by: .seconds(700)) }
        _ = try get(sandbox, "/welcome.do", [("Cookie", cookie)])
      }
    }
    #expect(try get(sandbox, "/welcome.do", [("Cookie", cookie)]).status == (end == "lasting" ? 200 : 302))
  }

  /// Rules 14 and 15.
  @Test func whoeverIsNotLoggedInIsSentToTheLogin() throws {
    let sandbox = try startedServiceNow()
    let page = try get(sandbox, "/sysapproval_approver.do?sys_id=1")
    #expect(page.status == 302 && page["Location"] == "/session_timeout.do" && page["X-Is-Logged-In"] == "false")
    #expect(try get(sandbox, "/session_timeout.do")["Location"] == "/login.do")
    #expect(try get(sandbox, "/login.do").text.contains("user_password"))
    let portal = try get(sandbox, "/sp?id=x")
    #expect(portal.status == 200 && portal.text.contains("user_password") && portal["X-Is-Logged-In"] == "false")
    #expect(try get(sandbox, "/api/now/table/sys_user").status == 401)
    sandbox.with { $0.switches.timeoutLoop = true }
    #expect(try get(sandbox, "/session_timeout.do")["Location"] == "/session_timeout.do")
  }

  /// Rules 14 and 17.
  @Test func singleSignOnIsAnotherServerWhereCredentialsHaveNoBusiness() throws {
    let sandbox = try startedServiceNow { $0.switches.sso = true }
    let page = try ServiceNowRequests(sandbox, basic: nil).send("GET", "/welcome.do")
    let way = try #require(page["Location"])
    #expect(page.status == 302 && way.hasPrefix("/auth_redirect.do?sysparm_url=http%3A%2F%2Flocalhost"))
    #expect(try get(sandbox, way)["Location"]?.hasPrefix("http://localhost:") == true)
    #expect(sandbox.with { $0.leaks } == [])
    let port = try #require(sandbox.url.split(separator: ":").last.flatMap { UInt16($0) })
    let connection = try RawConnection(port: port)
    connection.send("GET /idp HTTP/1.1\r\nHost: localhost:\(port)\r\nAuthorization: Bearer x\r\n\r\n")
    #expect(try connection.answer().status == 200)
    #expect(sandbox.with { $0.leaks } == ["Bearer x"])
  }

  /// Rule 16.
  @Test func theAPITakesAPagesCookiesWithThePagesToken() throws {
    let sandbox = try startedServiceNow()
    let id = try #require(try sandbox.with { state throws(ControlError) in try state.makeApprovals() }.first)
    let cookie = try opened(sandbox).cookie
    let page = try get(sandbox, "/sysapproval_approver.do?sys_id=\(id)", [("Cookie", cookie)])
    let start = try #require(page.text.firstRange(of: "g_ck = '")?.upperBound)
    let token = String(page.text[start...].prefix { $0 != "'" })
    #expect(token.utf8.count == 72)
    let target = "/api/now/table/sysapproval_approver/\(id)"
    #expect(try get(sandbox, target, [("Cookie", cookie), ("X-UserToken", token)]).status == 200)
    let refused = try get(sandbox, target, [("Cookie", cookie)])
    #expect(refused.status == 401 && refused["X-UserToken-Response"] == token && refused["X-Is-Logged-In"] == "true")
  }

  @Test func theFormOfAnApprovalTakesTheTokenOfItsSession() throws {
    let sandbox = try startedServiceNow()
    let id = try #require(try sandbox.with { state throws(ControlError) in try state.makeApprovals() }.first)
    let cookie = try opened(sandbox).cookie
    let page = try get(sandbox, "/sysapproval_approver.do?sys_id=\(id)", [("Cookie", cookie)])
    let start = try #require(page.text.firstRange(of: "g_ck = '")?.upperBound)
    let token = page.text[start...].prefix { $0 != "'" }
    func post(_ token: some StringProtocol) throws -> RawAnswer {
      try ServiceNowRequests(sandbox, basic: nil).send(
        "POST", "/sysapproval_approver.do", headers: [("Cookie", cookie)],
        body: "sys_id=\(id)&sysverb=approve&sysparm_ck=\(token)")
    }
    #expect(try post("another")["Location"] == "/security_interceptor.do")
    #expect(try post(token)["Location"] == "/sysapproval_approver.do?sys_id=\(id)")
    #expect(sandbox.with { $0.fields("sysapproval_approver", id)?["state"] } == "approved")
  }

  /// Rule 18.
  @Test func aFullQueueDropsARequest() throws {
    let sandbox = try startedServiceNow()
    let cookie = try opened(sandbox).cookie
    sandbox.with { $0.switches.sessionQueue = 10 }
    #expect(try get(sandbox, "/welcome.do", [("Cookie", cookie)]).status == 200)
    sandbox.with { $0.switches.sessionQueue = 11 }
    #expect(try get(sandbox, "/welcome.do", [("Cookie", cookie)]).status == 202)
  }

  @Test func aLogoutEndsTheSession() throws {
    let sandbox = try startedServiceNow()
    let cookie = try opened(sandbox).cookie
    #expect(try get(sandbox, "/logout.do", [("Cookie", cookie)])["Location"] == "/logout_success.do")
    #expect(try get(sandbox, "/welcome.do", [("Cookie", cookie)]).status == 302)
  }
}
