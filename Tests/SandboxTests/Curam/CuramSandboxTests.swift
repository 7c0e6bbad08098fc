import HTTPServer
import JSON
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// Login, Referer, sessions and CSRF tokens, request by request.
@Suite struct CuramSandboxTests {
  /// A client that does what the test says and keeps cookies.
  private struct Client {
    var state: CuramState
    var cookies: [String: String] = [:]
    var referer: String? = "curam://test"
    var token: String?

    init(_ change: (inout CuramSwitches) -> Void = { _ in }) {
      var configuration = CuramConfiguration()
      configuration.clock = Timestamp(milliseconds: 1_795_996_800_000)
      change(&configuration.switches)
      state = CuramState(configuration)
    }

    mutating func send(
      _ method: String, _ path: String, type: String? = nil, body: String = "", language: String = "en"
    ) throws -> ServerResponse {
      var headers: ServerHeaders = ["Accept-Language": language, "Host": "127.0.0.1:1"]
      if let referer { headers.add("Referer", referer) }
      if let type { headers.add("Content-Type", type) }
      if let token { headers.add("X-IBM-SPM-CSRF", token) }
      let pairs = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      if !pairs.isEmpty { headers.add("Cookie", pairs.joined(separator: "; ")) }
      let request = try #require(
        ServerRequest(method: method, target: "/Rest\(path)", headers: headers, body: Array(body.utf8)))
      let response = state.process(request)
      for line in response.headers.all("Set-Cookie") {
        let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        cookies[String(pair[0])] = String(pair[1])
      }
      return response
    }

    mutating func logIn(_ form: String = "j_username=caseworker&j_password=casework-1") throws -> ServerResponse {
      try send("POST", "/j_security_check", type: "application/x-www-form-urlencoded", body: form)
    }

    mutating func person() throws -> Int { try send("GET", "/v1/persons/101").status }
  }

  private func code(_ response: ServerResponse) throws -> Int64? {
    try JSONValue(parsing: response.body)["errors"]?[0]?["code"]?.int
  }

  @Test func theRootAnswersWithoutAnything() throws {
    var client = Client()
    client.referer = nil
    let answer = try client.send("GET", "/")
    #expect(answer.status == 200)
    #expect(answer.headers["X-Frame-Options"] == "deny" && answer.headers["X-Content-Type-Options"] == "nosniff")
    #expect(answer.headers["X-XSS-Protection"] == "1; mode=block")
  }

  // MARK: Referer

  @Test(arguments: [
    ("curam://x", true), ("curam://", false), ("https://abc.com/page", true), ("https://ABC.com:8443", true),
    ("https://sub.abc.com", true), ("https://evilabc.com", false), ("https://localhost", false), ("abc.com", false),
    ("", false),
  ])
  func theRefererIsLookedAtFirst(_ referer: String, _ isTaken: Bool) throws {
    var client = Client { $0.refererDomains = ["abc.com"] }
    client.referer = referer.isEmpty ? nil : referer
    let login = try client.logIn()
    #expect(login.status == (isTaken ? 200 : 403))
    if !isTaken {
      #expect(try code(login) == -150_210)
      #expect(client.cookies.isEmpty)
    }
  }

  /// K3.
  @Test func withTokensASubdomainIsNoMatch() throws {
    var client = Client { ($0.refererDomains, $0.csrf) = (["abc.com"], true) }
    client.referer = "https://sub.abc.com"
    #expect(try client.logIn().status == 403)
    client.referer = "https://abc.com"
    #expect(try client.logIn().status == 200)
  }

  @Test func theRefererOfALoginAndTheLocalHostAreSwitches() throws {
    var client = Client { ($0.refererOnLogin, $0.devMode) = (false, true) }
    client.referer = nil
    #expect(try client.logIn().status == 200)
    #expect(try client.person() == 403)
    client.referer = "http://localhost:3000/"
    #expect(try client.person() == 200)
  }

  // MARK: Login

  @Test func aLoginIsAFormByPost() throws {
    var client = Client()
    #expect(try client.send("GET", "/j_security_check").status == 405)
    #expect(try client.send("POST", "/j_security_check", type: "application/json", body: "{}").status == 415)
    #expect(try client.logIn("j_username=caseworker&j_password=%zz").status == 400)
    #expect(client.cookies.isEmpty)
  }

  @Test(arguments: [
    ("j_username=symbols&j_password=p%26ss%3Dw%2Brd%2541+", 200),
    ("j_username=symbols&j_password=p&ss=w+rd%41 ", 401),
    ("j_username=cyrillic&j_password=%D0%BF%D0%B0%D1%80%D0%BE%D0%BB%D1%8C", 200),
    ("j_username=trailing&j_password=blank%20", 200), ("j_username=trailing&j_password=blank", 401),
    ("j_username=caseworker&j_password=casework-1&j_password=x&more=1", 200),
    ("j_username=caseworker&j_password=casework-1&user_type=EXTERNAL", 401),
    ("j_username=citizen&j_password=citizen-1&user_type=EXTERNAL%3B1.2.3.4", 200),
    ("j_username=citizen&j_password=citizen-1", 401), ("j_username=nobody&j_password=x", 401),
  ])
  func theFormIsDecodedStrictly(_ form: String, _ status: Int) throws {
    var client = Client()
    #expect(try client.logIn(form).status == status)
    #expect(client.cookies.isEmpty == (status == 401))
  }

  @Test func wrongPasswordsLockAnAccountUntilSomebodyResetsIt() throws {
    var client = Client { $0.lockout = 2 }
    for _ in 0..<2 { #expect(try client.logIn("j_username=caseworker&j_password=x").status == 401) }
    #expect(try client.logIn().status == 401)
    client.state.setUser(CuramUser(name: "caseworker", password: "casework-1"))
    #expect(try client.logIn().status == 200)
  }

  @Test(arguments: CuramSwitches.Server.allCases)
  func eachServerSetsItsCookiesOnTheRedirect(_ server: CuramSwitches.Server) throws {
    var client = Client { ($0.server, $0.loginStyle) = (server, .redirect302) }
    let answer = try client.logIn()
    #expect(answer.status == 302 && answer.headers["Location"] == "/Rest/" && answer.body.isEmpty)
    let lines = answer.headers.all("Set-Cookie")
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.hasSuffix("; Path=/; Secure; HttpOnly") })
    if server != .weblogic { #expect(try #require(lines.first).count > 300) }
  }

  @Test func weblogicWantsBothCookiesAndTheyBelongTogether() throws {
    var client = Client { $0.server = .weblogic }
    _ = try client.logIn()
    let first = client.cookies
    #expect(first["JSESSIONID"]?.contains("!") == true)
    client.cookies["JSESSIONID"] = nil
    #expect(try client.person() == 401)
    client.cookies = [:]
    _ = try client.logIn()
    client.cookies["_WL_AUTHCOOKIE_JSESSIONID"] = first["_WL_AUTHCOOKIE_JSESSIONID"]
    #expect(try client.person() == 401)
  }

  // MARK: Sessions

  @Test func aLoginLastsTwoHoursAndASessionHalfAnHour() throws {
    var client = Client()
    _ = try client.logIn()
    let session = client.cookies["JSESSIONID"]
    client.state.clock.advance(by: .seconds(31 * 60))
    #expect(try client.person() == 200)
    #expect(client.cookies["JSESSIONID"] != session)
    client.state.clock.advance(by: .seconds(90 * 60))
    #expect(try client.person() == 401)
  }

  @Test(arguments: [(CuramSwitches.Expired.status401, 401), (.redirect, 302), (.html200, 200)])
  func whoIsNotLoggedInIsToldAsTheSwitchSays(_ expired: CuramSwitches.Expired, _ status: Int) throws {
    var client = Client { $0.expired = expired }
    let answer = try client.send("PUT", "/v1/persons/101", type: "application/json", body: "{}")
    #expect(answer.status == status)
    #expect(client.state.writes == 0)
  }

  @Test(arguments: CuramSwitches.LogoutPath.allCases)
  func loggingOutEndsAllAtTheOnePath(_ path: CuramSwitches.LogoutPath) throws {
    var client = Client { $0.logoutPath = path }
    _ = try client.logIn()
    let cookies = client.cookies
    let other = path == .plain ? "/logout.jsp" : "/logout"
    #expect(try client.send("POST", other, body: "{}").status == 404)
    #expect(try client.send("GET", path.rawValue).status == 405)
    #expect(try client.send("POST", path.rawValue, body: "{}").headers.all("Set-Cookie").count == 2)
    client.cookies = cookies
    #expect(try client.person() == 401)
  }

  @Test func anotherNodeKnowsASessionOnlyAfterTwoMinutes() throws {
    var client = Client { ($0.replicas, $0.csrf) = (2, true) }
    _ = try client.logIn()
    client.token = try client.send("GET", "/v1/csrf/tokens").headers["X-IBM-SPM-CSRF"]
    #expect(try client.person() == 200)
    let cookies = client.cookies
    client.cookies["route"] = nil
    _ = try client.person()
    client.cookies["route"] = nil
    #expect(try client.person() == 403 || client.cookies["JSESSIONID"] != cookies["JSESSIONID"])
    client.cookies = cookies
    client.state.clock.advance(by: .seconds(121))
    for _ in 0..<2 {
      client.cookies["route"] = nil
      #expect(try client.person() == 200)
    }
  }

  // MARK: Tokens

  @Test func everyRequestNeedsATokenOfItsSession() throws {
    var client = Client { $0.csrf = true }
    _ = try client.logIn()
    #expect(try code(try client.send("GET", "/v1/persons/101")) == -150_220)
    let first = try client.send("GET", "/v1/csrf/tokens")
    let second = try client.send("GET", "/v1/csrf/tokens")
    #expect(first.body == Array("{}".utf8))
    #expect(first.headers["X-IBM-SPM-CSRF"] != second.headers["X-IBM-SPM-CSRF"])
    for answer in [first, second] {
      client.token = answer.headers["X-IBM-SPM-CSRF"]
      #expect(try client.person() == 200)
    }
    client.cookies["JSESSIONID"] = nil
    #expect(try client.person() == 403)
  }

  @Test func withoutTokensThereIsNoneToBeHad() throws {
    var client = Client()
    _ = try client.logIn()
    #expect(try client.send("GET", "/v1/csrf/tokens").status == 404)
  }

  // MARK: Resources

  @Test func personsAreFoundByDigitsAlone() throws {
    var client = Client()
    _ = try client.logIn()
    #expect(try client.send("GET", "/v1/persons/1x").status == 400)
    #expect(try client.send("GET", "/v1/persons/999").status == 404)
    #expect(try client.person() == 200)
    _ = try client.logIn("j_username=newcomer&j_password=newcomer-1")
    #expect(try client.person() == 403)
  }

  @Test func messagesFollowTheLanguage() throws {
    var client = Client { $0.twoErrors = true }
    _ = try client.logIn()
    let answers = try ["en", "fr", "ja"].map { language in
      try JSONValue(parsing: client.send("GET", "/v1/persons/9", language: language).body)["errors"]
    }
    #expect(answers.allSatisfy { $0?.array?.count == 2 && ($0?[0]?["code"]?.int ?? 0) < 0 })
    #expect(Set(answers.compactMap { $0?[0]?["message"]?.string }).count == 3)
  }

  // MARK: Tasks

  @Test func aTaskIsClosedOnceAndClosedAgainRefused() throws {
    var client = Client()
    let list = "/v1/acme/tasks"
    #expect(try client.send("GET", list).status == 401)
    _ = try client.logIn()
    func ids(_ query: String) throws -> [String?]? {
      try JSONValue(parsing: client.send("GET", list + query).body)["data"]?.array?.map { $0["taskID"]?.string }
    }
    #expect(try ids("?status=OPEN") == ["9007199254740992", "9007199254740993"])
    #expect(try client.send("GET", list + "?status=LATE").status == 400)
    let task = list + "/9007199254740993"
    #expect(try client.send("GET", task + "/close").status == 405)
    let closed = try JSONValue(parsing: client.send("POST", task + "/close", body: "{}").body)
    #expect(closed["status"] == "CLOSED" && closed["reservedBy"] == .null)
    #expect(try code(client.send("POST", task + "/close", body: "{}")) == -150_400)
    #expect(try client.send("POST", list + "/1/close", body: "{}").status == 404)
    #expect(try ids("?status=OPEN") == ["9007199254740992"])
    #expect(client.state.closings == ["9007199254740993": 1])
  }

  @Test func theControlCallsPlayTheWorld() throws {
    let sandbox = CuramSandbox(CuramConfiguration())
    func control(_ method: String, _ path: [String], _ body: String = "") throws -> JSONValue {
      let request = try #require(
        ServerRequest(method: method, target: "/_control/" + path.joined(separator: "/"), body: Array(body.utf8)))
      return try sandbox.with { state throws(ControlError) in try state.control(request, path) }
    }
    _ = try control("PUT", ["resources", "cases", "7"], #"{"id":"7"}"#)
    #expect(try control("GET", ["resources"])["cases/7"] == ["id": "7"])
    _ = try control("DELETE", ["resources", "cases", "7"])
    #expect(try control("GET", ["resources"])["cases/7"] == nil)
    _ = try control("PUT", ["users", "eve"], #"{"password":"x","external":true}"#)
    #expect(sandbox.with { $0.user("eve")?.isExternal } == true)
    #expect(try control("GET", ["logins"]) == ["logins": 0, "sessions": 0])
    let id = try #require(try control("POST", ["tasks"], #"{"subject":"Call"}"#)["id"]?.string)
    _ = try control("POST", ["tasks", id, "close"])
    #expect(try control("GET", ["tasks"])[2]?["status"] == "CLOSED")
    #expect(throws: ControlError.self) { try control("POST", ["tasks", "1", "close"]) }
    #expect(throws: ControlError.self) { try control("POST", ["nothing"]) }
  }
}
