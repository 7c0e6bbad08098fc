import JSON
import RingiTestSupport
import Sandbox
import Testing
import Timing

@Suite struct ServiceNowTokenTests {
  private static let refusal = #"{"error_description":"access_denied","error":"server_error"}"#

  private func access(_ answer: RawAnswer) throws -> String { try #require(try answer.json()["access_token"]?.string) }

  @Test func answersWithTheTimeThatIsLeft() throws {
    let answer = try ServiceNowRequests(startedServiceNow()).token(ServiceNowRequests.password)
    #expect(answer.status == 200)
    let json = try answer.json()
    #expect(json["expires_in"] == 1799 && json["token_type"] == "Bearer" && json["scope"] == "useraccount")
    #expect(json["refresh_token"]?.string != nil)
  }

  @Test(arguments: [
    "grant_type=password&username=hanako&password=wrong&" + ServiceNowRequests.client,
    "grant_type=password&username=integration&password=&" + ServiceNowRequests.client,
    "grant_type=password&username=hanako&password=approve-1&client_id=a&client_secret=b",
    "grant_type=refresh_token&refresh_token=x&" + ServiceNowRequests.client,
    "grant_type=authorization_code&code=x&redirect_uri=y&" + ServiceNowRequests.client, "grant_type=odd", "a=b",
  ])
  func allFailuresHaveOneFace(form: String) throws {
    let sandbox = try startedServiceNow()
    let answer = try ServiceNowRequests(sandbox).token(form)
    #expect(answer.status == 401 && answer.text == Self.refusal)
    #expect(sandbox.with { $0.refusals.count } == 1)
  }

  @Test func grantsThatAreSwitchedOffFailAlike() throws {
    let sandbox = try startedServiceNow {
      $0.switches.passwordGrant = false
      $0.switches.clientCredentials = false
    }
    for form in [ServiceNowRequests.password, "grant_type=client_credentials&" + ServiceNowRequests.client] {
      #expect(try ServiceNowRequests(sandbox).token(form).text == Self.refusal)
    }
  }

  @Test func takesAFormAloneAndParametersInItAlone() throws {
    let sandbox = try startedServiceNow()
    let requests = ServiceNowRequests(sandbox)
    #expect(try requests.token("{}", type: "application/json").status == 400)
    let query = "?" + ServiceNowRequests.password
    #expect(try requests.token("a=b", query: query).status == 401)
    sandbox.with { $0.switches.allowQueryParams = true }
    #expect(try requests.token("a=b", query: query).status == 200)
  }

  @Test func aSecondPasswordGrantGivesTheSameTokenALongerLife() throws {
    let sandbox = try startedServiceNow()
    let requests = ServiceNowRequests(sandbox)
    let first = try access(requests.token(ServiceNowRequests.password))
    sandbox.with { $0.clock.advance(by: .seconds(1700)) }
    #expect(try access(requests.token(ServiceNowRequests.password)) == first)
    sandbox.with { $0.clock.advance(by: .seconds(1700)) }
    #expect(try ServiceNowRequests(sandbox, bearer: first).get("task").status == 200)
    sandbox.with { $0.clock.advance(by: .seconds(100)) }
    #expect(try ServiceNowRequests(sandbox, bearer: first).get("task").status == 401)
    #expect(try access(requests.token(ServiceNowRequests.password)) != first)
  }

  @Test(arguments: ServiceNowSwitches.RefreshTokenAnswer.allCases)
  func aRefreshAnswersAsTheSwitchSays(_ kind: ServiceNowSwitches.RefreshTokenAnswer) throws {
    let sandbox = try startedServiceNow { $0.switches.refreshTokenAnswer = kind }
    let requests = ServiceNowRequests(sandbox)
    let token = sandbox.with { $0.makeRefreshToken(for: "hanako") }
    let form = "grant_type=refresh_token&refresh_token=\(token)&" + ServiceNowRequests.client
    let answer = try requests.token(form).json()["refresh_token"]?.string
    #expect(answer == (kind == .absent ? nil : kind == .same ? token : answer))
    #expect((answer == token) == (kind == .same))
    #expect(try requests.token(form).status == (kind == .rotated ? 401 : 200))
    sandbox.with { $0.clock.advance(by: .seconds(8_640_000)) }
    #expect(try requests.token(form).status == 401)
  }

  @Test func anybodyMayRevokeAToken() throws {
    let sandbox = try startedServiceNow()
    let token = try access(ServiceNowRequests(sandbox).token(ServiceNowRequests.password))
    #expect(
      try ServiceNowRequests(sandbox, basic: nil).send("GET", "/oauth_revoke_token.do?token=\(token)").status == 200)
    #expect(try ServiceNowRequests(sandbox, bearer: token).get("task").status == 401)
  }

  // MARK: Authorization codes

  // Verifier and challenge of RFC 7636, appendix B.
  private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
  private static let redirect = "http%3A%2F%2F127.0.0.1%3A17781%2Fcallback"

  private func code(_ sandbox: ServiceNowSandbox, _ query: String = "") throws -> (location: String, code: String) {
    sandbox.with { $0.loggedInUser = "hanako" }
    let answer = try ServiceNowRequests(sandbox, basic: nil).send(
      "GET",
      "/oauth_auth.do?response_type=code&client_id=\(ServiceNowClient.standardID)&redirect_uri=\(Self.redirect)&state=a%20b\(query)"
    )
    let location = try #require(answer["Location"])
    return (location, String(try #require(location.split(separator: "code=").last)))
  }

  @Test func aCodeIsGoodOnceForItsClientItsRedirectAndItsVerifier() throws {
    let sandbox = try startedServiceNow { $0.switches.publicClient = true }
    let requests = ServiceNowRequests(sandbox, basic: nil)
    let query = "&code_challenge=\(Self.challenge)&code_challenge_method=S256"
    func form(_ code: String, verifier: String) -> String {
      "grant_type=authorization_code&code=\(code)&redirect_uri=\(Self.redirect)"
        + "&client_id=\(ServiceNowClient.standardID)&code_verifier=\(verifier)"
    }
    let first = try code(sandbox, query)
    #expect(first.location.hasPrefix("http://127.0.0.1:17781/callback?state=a%20b&code="))
    #expect(try requests.token(form(first.code, verifier: Self.verifier)).status == 200)
    #expect(try requests.token(form(first.code, verifier: Self.verifier)).status == 401)
    #expect(try requests.token(form(code(sandbox, query).code, verifier: "wrong")).status == 401)
    let late = try code(sandbox, query)
    sandbox.with { $0.clock.advance(by: .seconds(60)) }
    #expect(try requests.token(form(late.code, verifier: Self.verifier)).status == 401)
  }

  @Test func aClientWithASecretShowsItBesideTheVerifier() throws {
    let sandbox = try startedServiceNow()
    let requests = ServiceNowRequests(sandbox, basic: nil)
    let query = "&code_challenge=\(Self.challenge)&code_challenge_method=S256"
    func form(_ code: String, _ secret: String) -> String {
      "grant_type=authorization_code&code=\(code)&redirect_uri=\(Self.redirect)&code_verifier=\(Self.verifier)\(secret)"
    }
    let id = "&client_id=\(ServiceNowClient.standardID)"
    #expect(try requests.token(form(code(sandbox, query).code, id)).status == 401)
    #expect(try requests.token(form(code(sandbox, query).code, id + "&client_secret=wrong")).status == 401)
    let answer = try requests.token(form(code(sandbox, query).code, "&" + ServiceNowRequests.client))
    #expect(try answer.status == 200 && answer.json()["refresh_token"]?.string != nil)
  }

  @Test(arguments: [false, true])
  func aPublicClientRefreshesWithoutASecretWhereItMay(_ may: Bool) throws {
    let sandbox = try startedServiceNow {
      $0.switches.publicClient = true
      $0.switches.publicRefresh = may
    }
    let token = sandbox.with { $0.makeRefreshToken(for: "hanako") }
    let form = "grant_type=refresh_token&refresh_token=\(token)&client_id=\(ServiceNowClient.standardID)"
    #expect(try ServiceNowRequests(sandbox).token(form).status == (may ? 200 : 401))
  }

  @Test func whoeverSaysNoIsSentBackOrStaysAsTheSwitchSays() throws {
    let sandbox = try startedServiceNow { $0.switches.consent = .deny }
    sandbox.with { $0.loggedInUser = "hanako" }
    let target =
      "/oauth_auth.do?response_type=code&client_id=\(ServiceNowClient.standardID)&redirect_uri=\(Self.redirect)&state=s"
    let requests = ServiceNowRequests(sandbox, basic: nil)
    let location = try requests.send("GET", target)["Location"]
    #expect(location == ServiceNowClient.standardRedirect + "?state=s&error=access_denied")
    sandbox.with { $0.switches.consent = .denyWithPage }
    #expect(try requests.send("GET", target).status == 200)
  }

  @Test func withoutAStateThereIsAPageAndNoCode() throws {
    let answer = try ServiceNowRequests(startedServiceNow()).send("GET", "/oauth_auth.do?response_type=code")
    #expect(answer.status == 200 && answer.text.contains("Missing State parameter in request"))
  }

  @Test func anUnknownRedirectIsTheFirstOneThatIsRegistered() throws {
    let sandbox = try startedServiceNow()
    sandbox.with { $0.loggedInUser = "hanako" }
    let answer = try ServiceNowRequests(sandbox, basic: nil).send(
      "GET",
      "/oauth_auth.do?response_type=code&client_id=\(ServiceNowClient.standardID)&redirect_uri=http%3A%2F%2Felsewhere&state=s"
    )
    #expect(answer["Location"]?.hasPrefix(ServiceNowClient.standardRedirect) == true)
  }
}
