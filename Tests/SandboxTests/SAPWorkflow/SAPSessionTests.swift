import JSON
import RingiTestSupport
import Sandbox
import Testing

/// Basic authentication, sessions and XSRF tokens of the Neo environment.
@Suite struct SAPSessionTests {
  @Test(arguments: ["", "P1000009:wrong", "nobody:administer-9", "P1000009"])
  func refusesWrongCredentialsOnEveryPath(credentials: String) throws {
    let sandbox = try startedSandbox(.neo)
    let client = SandboxClient(sandbox, basic: credentials)
    for target in ["/workflow-service/rest/v1/xsrf-token", "/workflow-service/rest/v1/task-instances", "/", "/other"] {
      let answer = try client.send("GET", target)
      #expect(answer.status == 401)
      #expect(answer["WWW-Authenticate"]?.hasPrefix("Basic realm=") == true)
      #expect(answer["Content-Type"]?.hasPrefix("text/html") == true)
      #expect(answer.all("Set-Cookie").isEmpty)
    }
  }

  @Test func readsCredentialsAsUTF8AndThePasswordUpToTheEnd() throws {
    let sandbox = try startedSandbox(.neo)
    sandbox.control.setUser(SAPUser(name: "S0001", password: "稟議:ö", role: .admin))
    #expect(try SandboxClient(sandbox, basic: "S0001:稟議:ö").get("/v1/task-instances").status == 200)
  }

  @Test func opensASessionWithThreeCookieLines() throws {
    let sandbox = try startedSandbox(.neo)
    let cookies = try SandboxClient(sandbox, basic: SandboxClient.admin).get("/v1/task-instances").all("Set-Cookie")
    try #require(cookies.count == 3)
    #expect(cookies[0].wholeMatch(of: /JSESSIONID=[0-9A-F]{64}; Path=\/workflow-service; Secure; HttpOnly/) != nil)
    #expect(
      cookies[1].wholeMatch(
        of:
          /JTENANTSESSIONID_p100000trial=[A-Za-z0-9%]+%3D; Domain=\.hanatrial\.ondemand\.com; Path=\/; Secure; HttpOnly/
      )
        != nil)
    #expect(
      cookies[2].wholeMatch(of: /BIGipServer~jpaas_folder~[a-z0-9.]+=![A-Za-z0-9+\/]+\/\+=; path=\/; httponly; secure/)
        != nil)
  }

  @Test func keepsALiveSessionWithoutNewCookies() throws {
    let sandbox = try startedSandbox(.neo)
    #expect(try SandboxClient.neo(sandbox).get("/v1/task-instances").all("Set-Cookie").isEmpty)
  }

  @Test func anotherUserWithTheCookiesGetsANewSession() throws {
    let sandbox = try startedSandbox(.neo)
    var client = try SandboxClient.neo(sandbox)
    client.headers[0] = SandboxClient(sandbox, basic: SandboxClient.recipient).headers[0]
    #expect(try client.get("/v1/xsrf-token").all("Set-Cookie").count == 3)
    #expect(try client.patchTask("x", [:]).status == 403)
  }

  @Test(arguments: ["Fetch", "fetch", "FETCH"])
  func givesTheSessionsTokenOnAnyReadThatAsks(word: String) throws {
    let sandbox = try startedSandbox(.neo)
    var client = SandboxClient(sandbox, basic: SandboxClient.admin)
    let first = try client.get("/v1/xsrf-token", headers: [("x-csrf-token", word)])
    #expect(first.status == 200)
    #expect(first.body.isEmpty)
    #expect(first["Content-Length"] == "0")
    #expect(first["X-CSRF-Token"]?.wholeMatch(of: /[0-9A-F]{32}/) != nil)
    client.headers.append(("Cookie", first.cookies))
    for path in ["/v1/xsrf-token", "/v1/task-instances", "/v1/task-instances/none"] {
      #expect(try client.get(path, headers: [("X-CSRF-Token", word)])["X-CSRF-Token"] == first["X-CSRF-Token"])
    }
    #expect(try client.get("/v1/xsrf-token")["X-CSRF-Token"] == nil)
  }

  @Test func refusesAWriteWithoutTheTokenBeforeAnythingElse() throws {
    let sandbox = try startedSandbox(.neo)
    let client = SandboxClient(sandbox, basic: SandboxClient.recipient)
    for (method, path) in [
      ("POST", "/v1/workflow-instances"), ("PATCH", "/v1/task-instances/none"), ("PUT", "/v1/unknown"),
      ("DELETE", "/v1/task-instances"),
    ] {
      let answer = try client.send(method, "/workflow-service/rest" + path, body: "not JSON")
      #expect(answer.status == 403)
      #expect(answer["X-CSRF-Token"] == "Required")
      #expect(answer["Content-Type"] == "text/html;charset=utf-8")
      #expect(answer["Content-Language"] == "en")
      #expect(answer["Content-Length"] == "121")
      #expect(
        answer.text == "<html><head><title>Error report</title></head><body>"
          + "<h1>HTTP Status 403 - CSRF nonce validation failed</h1></body></html>")
      #expect(answer.all("Set-Cookie").count == 3)
    }
  }

  @Test func aRefusedWriteChangesNothing() throws {
    let sandbox = try startedSandbox(.neo)
    let task = try #require(try sandbox.control.createTasks().first)
    var client = try SandboxClient.neo(sandbox)
    client.headers.removeLast()
    #expect(try client.patchTask(task, ["status": "COMPLETED"]).status == 403)
    #expect(sandbox.control.task(task)?.status == .ready)
    #expect(sandbox.control.completions(of: task) == 0)
  }

  @Test func theTokenWithoutItsCookiesIsNoToken() throws {
    let sandbox = try startedSandbox(.neo)
    var client = try SandboxClient.neo(sandbox)
    client.headers.remove(at: 1)
    #expect(try client.patchTask("x", [:])["X-CSRF-Token"] == "Required")
  }

  @Test func aRefetchWithTheNewCookiesLetsTheWriteThrough() throws {
    let sandbox = try startedSandbox(.neo)
    let task = try #require(try sandbox.control.createTasks().first)
    let client = SandboxClient(sandbox, basic: SandboxClient.admin)
    let refusal = try client.patchTask(task, ["status": "COMPLETED"])
    let cookies = [("Cookie", refusal.cookies)]
    let token = try #require(
      try client.get("/v1/xsrf-token", headers: cookies + [("X-CSRF-Token", "Fetch")])["X-CSRF-Token"])
    let again = SandboxClient(sandbox: sandbox, headers: client.headers + cookies + [("X-CSRF-Token", token)])
    #expect(try again.patchTask(task, ["status": "COMPLETED"]).status == 204)
  }

  @Test func sessionsDieOfIdlenessAndNotOfUse() throws {
    let sandbox = try startedSandbox(.neo)
    let client = try SandboxClient.neo(sandbox)
    for _ in 1...3 {
      sandbox.control.advanceClock(by: .seconds(19 * 60))
      #expect(try client.patchTask("none", [:]).status == 404)
    }
    sandbox.control.advanceClock(by: .seconds(20 * 60 + 1))
    #expect(try client.patchTask("none", [:])["X-CSRF-Token"] == "Required")
  }

  @Test func sessionsEndWhenTheyAreExpired() throws {
    let sandbox = try startedSandbox(.neo)
    let client = try SandboxClient.neo(sandbox)
    sandbox.control.expireSessions()
    #expect(try client.patchTask("none", [:])["X-CSRF-Token"] == "Required")
    #expect(try client.get("/v1/task-instances").all("Set-Cookie").count == 3)
  }

  @Test func withStrictAffinityTheBalancersCookieDecides() throws {
    let sandbox = try startedSandbox(.neo)
    let client = try SandboxClient.neo(sandbox)
    var astray = client
    astray.headers[1].1 = client.headers[1].1.split(separator: "; ").dropLast().joined(separator: "; ")
    #expect(try astray.patchTask("none", [:]).status == 404)
    sandbox.control.changeSwitches { $0.affinity = .strict }
    #expect(try astray.patchTask("none", [:])["X-CSRF-Token"] == "Required")
    #expect(try client.patchTask("none", [:]).status == 404)
  }

  @Test func cookiesKeepSecureOverPlainHTTP() throws {
    let sandbox = try startedSandbox(.neo)
    let cookies = try SandboxClient(sandbox, basic: SandboxClient.admin).get("/v1/xsrf-token").all("Set-Cookie")
    #expect(cookies.allSatisfy { $0.lowercased().contains("; secure") })
  }
}
