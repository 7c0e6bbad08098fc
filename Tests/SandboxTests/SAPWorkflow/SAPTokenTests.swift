import JSON
import RingiTestSupport
import Sandbox
import Testing

/// OAuth tokens of the Cloud Foundry environments.
@Suite struct SAPTokenTests {
  private static let clientFields =
    "client_id=sb-clone-3f6c2c1e-58c5-4b7e-9a53-0d2f6b1c7e44%21b55889%7Cworkflow%21b10150"
    + "&client_secret=fR0m-The_Sandb0x%24aLone%3D"

  @Test(arguments: [SAPEnvironment.cf, .sbpa])
  func refusesAllWithoutALiveToken(environment: SAPEnvironment) throws {
    let sandbox = try startedSandbox(environment)
    for header in [nil, "Bearer unknown", "Basic " + base64(SandboxClient.admin), "Bearer"] {
      let client = SandboxClient(sandbox: sandbox, headers: header.map { [("Authorization", $0)] } ?? [])
      for target in ["/workflow-service/rest/v1/task-instances", "/public/workflow/rest/v1/task-instances", "/other"] {
        let answer = try client.send("POST", target, body: "not JSON")
        #expect(answer.status == 401)
        #expect(try answer.json()["error"] == "unauthorized")
        #expect(try answer.json()["error_description"]?.string != nil)
      }
    }
  }

  @Test func refusesATokenThatExpiredOrWasRevoked() throws {
    let sandbox = try startedSandbox(.cf)
    let client = try SandboxClient.oauth(sandbox)
    sandbox.control.advanceClock(by: .seconds(43_199))
    #expect(try client.get("/v1/task-instances").status == 200)
    sandbox.control.advanceClock(by: .seconds(1))
    #expect(try client.get("/v1/task-instances").status == 401)
    let next = try SandboxClient.oauth(sandbox)
    sandbox.control.revokeTokens()
    #expect(try next.get("/v1/task-instances").status == 401)
  }

  @Test func answersClientCredentialsAsTheServiceDoes() throws {
    let answer = try SandboxClient.tokenAnswer(try startedSandbox(.cf), form: "grant_type=client_credentials")
    #expect(answer.status == 200)
    #expect(answer["Cache-Control"] == "no-store")
    #expect(answer["Pragma"] == "no-cache")
    let token = try answer.json()
    #expect(token.object?.keys == ["access_token", "token_type", "expires_in", "scope", "jti"])
    #expect(token["token_type"] == "bearer")
    #expect(token["expires_in"] == 43199)
    #expect(token["scope"]?.string?.hasPrefix("workflow!b10150.TASK_GET ") == true)
    #expect(token["access_token"]?.string?.split(separator: ".").count == 3)
  }

  @Test func takesTheClientInTheFormAndTheFormInTheQuery() throws {
    let sandbox = try startedSandbox(.cf)
    let form = "grant_type=client_credentials&" + Self.clientFields
    #expect(try SandboxClient.tokenAnswer(sandbox, form: form, credentials: nil).status == 200)
    let bare = SandboxClient(sandbox: sandbox, headers: [])
    #expect(try bare.send("POST", "/oauth/token?" + form).status == 200)
    #expect(try bare.send("GET", "/oauth/token?" + form).status == 405)
  }

  @Test(arguments: [
    ("grant_type=client_credentials", "a:b", 401, "unauthorized"),
    ("grant_type=client_credentials", nil, 401, "unauthorized"),
    ("grant_type=magic", SAPClient.standardID + ":" + SAPClient.standardSecret, 400, "unsupported_grant_type"),
    ("a=b", SAPClient.standardID + ":" + SAPClient.standardSecret, 400, "invalid_request"),
    ("grant_type=a&grant_type=b", SAPClient.standardID + ":" + SAPClient.standardSecret, 400, "invalid_request"),
    ("grant_type=refresh_token", SAPClient.standardID + ":" + SAPClient.standardSecret, 400, "invalid_grant"),
    (
      "grant_type=password&username=P1000001", SAPClient.standardID + ":" + SAPClient.standardSecret, 401,
      "invalid_grant"
    ),
  ])
  func refusesWithTheStandardsWords(form: String, credentials: String?, status: Int, error: String) throws {
    let answer = try SandboxClient.tokenAnswer(try startedSandbox(.cf), form: form, credentials: credentials)
    #expect(answer.status == status)
    #expect(try answer.json()["error"]?.string == error)
  }

  @Test func anUncodedPlusInTheFormIsASpace() throws {
    let sandbox = try startedSandbox(.cf)
    sandbox.control.setClient(SAPClient(id: "a+b", secret: "c", scopes: []))
    let form = "grant_type=client_credentials&client_secret=c&client_id="
    #expect(try SandboxClient.tokenAnswer(sandbox, form: form + "a+b", credentials: nil).status == 401)
    #expect(try SandboxClient.tokenAnswer(sandbox, form: form + "a%2Bb", credentials: nil).status == 200)
  }

  @Test func aTokenKeepsTheScopesItWasGivenWith() throws {
    let sandbox = try startedSandbox(.cf)
    var oauthClient = SAPClient(id: SAPClient.standardID, secret: SAPClient.standardSecret, scopes: SAPScope.fresh)
    sandbox.control.setClient(oauthClient)
    let old = try SandboxClient.oauth(sandbox)
    oauthClient.scopes.append(.instanceStart)
    sandbox.control.setClient(oauthClient)
    let start: JSONValue = ["definitionId": "ringi_purchase"]
    #expect(try old.write("POST", "/v1/workflow-instances", start).status == 403)
    #expect(try SandboxClient.oauth(sandbox).write("POST", "/v1/workflow-instances", start).status == 201)
  }

  @Test func aPersonsTokenActsAsThatPersonAndRefreshes() throws {
    let sandbox = try startedSandbox(.cf)
    let task = try #require(try sandbox.control.createTasks().first)
    let form = "grant_type=password&username=P1000001&password=approve-1"
    let refresh = try #require(try SandboxClient.tokenAnswer(sandbox, form: form).json()["refresh_token"]?.string)
    let client = try SandboxClient.oauth(sandbox, form: "grant_type=refresh_token&refresh_token=" + refresh)
    #expect(try client.get("/v1/task-instances").status == 403)
    #expect(try client.patchTask(task, ["status": "COMPLETED"]).status == 204)
    #expect(sandbox.control.task(task)?.processor == "P1000001")
  }

  @Test func aRotatedRefreshTokenWorksOnceMoreAndThenSaysReused() throws {
    let sandbox = try startedSandbox(.cf) { $0.switches.refreshTokens = .rotated }
    func use(_ token: String) throws -> JSONValue {
      try SandboxClient.tokenAnswer(sandbox, form: "grant_type=refresh_token&refresh_token=" + token).json()
    }
    let form = "grant_type=password&username=P1000001&password=approve-1"
    let first = try #require(try SandboxClient.tokenAnswer(sandbox, form: form).json()["refresh_token"]?.string)
    let lost = try #require(try use(first)["refresh_token"]?.string)
    let second = try #require(try use(first)["refresh_token"]?.string)
    #expect(Set([first, lost, second]).count == 3)
    #expect(try use(first)["error"] == "token_reused")
    #expect(try use(second)["access_token"] != nil)
  }

  @Test func usingTheNewRefreshTokenEndsTheOldOne() throws {
    let sandbox = try startedSandbox(.cf) { $0.switches.refreshTokens = .rotated }
    func use(_ token: String) throws -> JSONValue {
      try SandboxClient.tokenAnswer(sandbox, form: "grant_type=refresh_token&refresh_token=" + token).json()
    }
    let form = "grant_type=password&username=P1000001&password=approve-1"
    let first = try #require(try SandboxClient.tokenAnswer(sandbox, form: form).json()["refresh_token"]?.string)
    let second = try #require(try use(first)["refresh_token"]?.string)
    #expect(try use(second)["access_token"] != nil)
    #expect(try use(first)["error"] == "token_reused")
    sandbox.control.revokeTokens(refreshTokensToo: true)
    #expect(try use(second)["error"] == "invalid_grant")
  }

  @Test func anAuthorizationCodeWorksOnceForItsRedirect() throws {
    let sandbox = try startedSandbox(.cf)
    let browser = SandboxClient(sandbox: sandbox, headers: [])
    let target =
      "/oauth/authorize?response_type=code&state=a%26b&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcb&"
      + Self.clientFields
    #expect(try browser.send("GET", target)["Content-Type"]?.hasPrefix("text/html") == true)
    sandbox.control.logIn("P1000001")
    let location = try #require(try browser.send("GET", target)["Location"])
    let match = try #require(location.wholeMatch(of: /http:\/\/127\.0\.0\.1:1\/cb\?code=([0-9a-f]+)&state=a%26b/))
    let form = "grant_type=authorization_code&code=\(match.1)&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcb"
    #expect(try SandboxClient.tokenAnswer(sandbox, form: form).json()["refresh_token"] != nil)
    #expect(try SandboxClient.tokenAnswer(sandbox, form: form).json()["error"] == "invalid_grant")
  }

  @Test(arguments: [SAPEnvironment.cf, .sbpa])
  func neverAsksForNorGivesXSRFTokensOrCookies(environment: SAPEnvironment) throws {
    let sandbox = try startedSandbox(environment)
    let task = try #require(try sandbox.control.createTasks().first)
    let client = try SandboxClient.oauth(sandbox)
    let answers = [
      try client.get("/v1/task-instances", headers: [("X-CSRF-Token", "Fetch")]),
      try client.patchTask(task, ["status": "COMPLETED"]),
    ]
    for answer in answers {
      #expect(answer.status < 300)
      #expect(answer["X-CSRF-Token"] == nil)
      #expect(answer.all("Set-Cookie").isEmpty)
    }
    #expect(try client.get("/v1/xsrf-token").status == 404)
  }
}
