import EventLoop
import Glibc
import HTTP
import HTTPServer
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiModel
import RingiTestSupport
import Sandbox
import Synchronization
import Testing
import Timing

/// The session behind the pages: how it begins, how it ends, and how it begins again.
@Suite struct NowWebSessionTests {
  private typealias Rig = NowWebRig

  @Test func theFirstRequestCarriesTheTokenAndAllLaterOnesTheCookies() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = try rig.rig.makeApproval()
      let address = try await rig.open("/sysapproval_approver.do?sys_id=\(id)")
      let page = try await rig.get(address)
      let token = try Self.userToken(page)
      let answer = try await rig.get(
        "\(Rig.origin(address))/api/now/table/sysapproval_approver/\(id)",
        Rig.fetch(from: address).with("X-UserToken", token).with("Accept", "application/json"))
      #expect(answer.status == 200 && answer.text.string.contains("requested"))
      #expect(try await rig.get(address).status == 200)
      #expect(rig.pageRequests.map { $0.headers["Authorization"] != nil } == [true, false, false])
      #expect(rig.pageRequests.map { $0.headers["Cookie"]?.contains("JSESSIONID") == true } == [false, true, true])
      #expect(rig.rig.count("POST /oauth_token.do") == 1)
    }
  }

  @Test func nothingOfTheInstancesSessionReachesTheBrowserNorItsCookiesTheInstance() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("/welcome.do")
      let answer = try await rig.get(
        address, ["Cookie": "mine=1", "Authorization": "Basic YTpi", "X-Forwarded-For": "x"])
      #expect(answer.headers.values("Set-Cookie").count == 1 && answer.headers["Server"] == nil)
      let sent = try required(rig.pageRequests.first)
      #expect(sent.headers["Cookie"] == nil && sent.headers.all("Authorization").count == 1)
      #expect(sent.headers["Authorization"]?.hasPrefix("Bearer ") == true && sent.headers["X-Forwarded-For"] == nil)
      #expect(sent.headers["Host"].map { "http://\($0)" } == rig.rig.sandbox.url)
    }
  }

  /// Pitfall 13: cookies that get lost between requests would open a session each time.
  @Test func allPagesShareOneSessionAndTheTableAPIHasNoPartInIt() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      try await rig.rig.call("table.list", ["table": "sys_user"])
      for _ in 0..<3 { #expect(try await rig.get(try await rig.open("/welcome.do")).status == 200) }
      try await rig.rig.call("table.list", ["table": "sys_user"])
      let pages = rig.pageRequests.filter { $0.path == "/welcome.do" }
      #expect(pages.map { $0.headers["Authorization"] != nil } == [true, false, false])
      #expect(rig.pageRequests.filter { $0.path != "/welcome.do" }.allSatisfy { $0.headers["Cookie"] == nil })
    }
  }

  /// Pitfall 16: a user token without cookies is worth nothing, and so goes with none.
  @Test func aUserTokenNeverGoesWithTheBearer() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("/welcome.do")
      #expect(try await rig.get(address, ["X-UserToken": "stale"]).status == 200)
      #expect(rig.pageRequests.first?.headers["X-UserToken"] == nil)
      // The page's own script sees why it is refused.
      let refused = try await rig.get(
        "\(Rig.base(address))/api/now/table/sys_user", Rig.fetch(from: address).with("X-UserToken", "stale"))
      #expect(refused.status == 401 && refused.headers["X-UserToken-Response"]?.utf8.count == 72)
      #expect(refused.headers["WWW-Authenticate"] == nil && rig.bearers == 1)
    }
  }

  // MARK: Renewal

  enum Ending: CaseIterable { case idle, expired, withItsToken }

  @Test(arguments: Ending.allCases, ["/welcome.do", "/sp"])
  func aSessionThatHasEndedBeginsAgainWithTheSamePage(_ ending: Ending, _ url: String) async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open(url, ["lifetime": "12h"])
      #expect(try await rig.get(address).status == 200)
      switch ending {
      case .idle: rig.rig.pass(.seconds(1801))
      case .expired: rig.rig.sandbox.with { $0.expireSessions() }
      case .withItsToken:
        rig.rig.set { $0.uiTimeout = .seconds(86_400) }
        rig.rig.pass(.seconds(1801))
      }
      let again = try await rig.get(address)
      #expect(again.status == 200 && again.text.string.contains("Hanako Sato"))
      #expect(rig.bearers == 2)
      #expect(await rig.events(1) == ["session-renewed"])
    }
  }

  @Test func withSingleSignOnTheTokenStaysAtTheInstance() async throws {
    try await onLoop { () async throws in
      let rig = try Rig { $0.switches.sso = true }
      let address = try await rig.open("/welcome.do")
      #expect(try await rig.get(address).status == 200)
      rig.rig.sandbox.with { $0.expireSessions() }
      #expect(try await rig.get(address).text.string.contains("Hanako Sato"))
      rig.rig.sandbox.with { state in
        state.expireSessions()
        state.users["hanako"]?.isActive = false
      }
      #expect(try await rig.get(address).status == 502)
      #expect(rig.rig.sandbox.with { $0.leaks } == [])
      #expect(rig.rig.requests.allSatisfy { $0 != "GET /idp" })
    }
  }

  @Test func whatAPageAsksForWhenTheSessionHasEndedComesAfterTheLastKnownPage() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = try rig.rig.makeApproval()
      let address = try await rig.open("/sysapproval_approver.do?sys_id=\(id)")
      #expect(try await rig.get(address, Rig.navigation).status == 200)
      rig.rig.sandbox.with { $0.expireSessions() }
      let answer = try await rig.get(
        "\(Rig.base(address))/welcome.do", Rig.fetch(from: address).with("X-Requested-With", "XMLHttpRequest"))
      #expect(answer.status == 200)
      let bearers = rig.pageRequests.filter { $0.headers["Authorization"] != nil }
      #expect(bearers.map(\.path) == ["/sysapproval_approver.do", "/sysapproval_approver.do"])
    }
  }

  @Test func manyRequestsWhenTheSessionHasEndedRenewItOnce() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("/welcome.do")
      #expect(try await rig.get(address).status == 200)
      rig.rig.sandbox.with { $0.expireSessions() }
      let tasks = (0..<12).map { _ in Loop.task { try await rig.get(address).status } }
      for task in tasks { #expect(try await task.value == 200) }
      #expect(rig.bearers == 2 && rig.rig.events.count == 1)
    }
  }

  @Test func aTokenThatIsRefusedIsFetchedAnewOnce() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      try await rig.rig.call("table.list", ["table": "sys_user"])
      rig.rig.sandbox.with { $0.revokeTokens() }
      #expect(try await rig.get(try await rig.open("/welcome.do")).status == 200)
      #expect(rig.rig.count("POST /oauth_token.do") == 2 && rig.rig.count("GET /welcome.do") == 2)
    }
  }

  @Test func withoutATokenThePageSaysSoAndNothingIsTriedInALoop() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("/welcome.do")
      #expect(try await rig.get(address).status == 200)
      rig.rig.sandbox.with { state in
        state.expireSessions()
        state.revokeTokens()
        state.users["hanako"]?.password = "another"
      }
      let answer = try await rig.get(address)
      #expect(answer.status == 502 && answer.text.string.contains("refused the login"))
      #expect(await rig.events(1) == ["navigation-failed"])
      let logins = rig.rig.count("POST /oauth_token.do")
      // What else the page asks for tries nothing.
      for _ in 0..<5 { #expect(try await rig.get(address, Rig.fetch(from: address)).status == 502) }
      #expect(rig.rig.count("POST /oauth_token.do") == logins && logins == 2)
      let data = try required(rig.rig.events.first?.data)
      #expect(data["url"]?.string?.hasSuffix("/welcome.do") == true && data["page"] != nil)
      #expect(
        !data.description.contains(try required(address.split(separator: "/").dropFirst(2).first.map(String.init))))
    }
  }

  @Test func aChangeWhoseSessionHasEndedIsNotSentAgain() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = try rig.rig.makeApproval()
      let address = try await rig.open("/sysapproval_approver.do?sys_id=\(id)")
      let form = try NowWebPageTests.form(try await rig.get(address), id)
      rig.rig.sandbox.with { $0.expireSessions() }
      let headers: HTTPHeaders = [
        "Origin": Rig.origin(address), "Referer": address, "Content-Type": "application/x-www-form-urlencoded",
      ]
      let target = "\(Rig.base(address))/sysapproval_approver.do"
      let refused = try await rig.send(.post, target, headers, body: form)
      #expect(refused.status == 409 && refused.text.string.contains("nothing was changed"))
      #expect(refused.text.string.contains("href=\"\(address)\""))
      #expect(try await rig.send(.post, target, headers, body: form).status == 409)
      #expect(rig.rig.count("POST /sysapproval_approver.do") == 1)
      let now = try NowWebPageTests.form(try await rig.get(address), id)
      #expect(try await rig.send(.post, target, headers, body: now).status == 200)
      #expect(rig.rig.state(of: id) == "approved")
    }
  }

  enum AfterChange: String, CaseIterable { case login, dropped, reset, guest, elsewhere, circle, form }

  /// The change itself was taken; what it leads to fails.
  @Test(arguments: AfterChange.allCases)
  func aChangeThatMayHaveBeenMadeIsNeverCalledUndone(_ after: AfterChange) async throws {
    let instance = try StubInstance { request in
      let html: ServerHeaders = ["Content-Type": "text/html"]
      if request.method == "POST", after != .guest, after != .form {
        return ServerResponse(status: 303, headers: ["Location": "/after"])
      }
      guard request.method == "POST" || request.path == "/after" else {
        return ServerResponse(status: 200, headers: html, text: "ok")
      }
      switch after {
      case .login: return ServerResponse(status: 302, headers: ["Location": "/session_timeout.do"])
      case .dropped: return ServerResponse(status: 202)
      case .reset: return ServerResponse(status: 200, delivery: Delivery(ending: .reset))
      case .guest: return ServerResponse(status: 200, headers: ["X-Is-Valid-Logged-In": "false"])
      case .elsewhere: return ServerResponse(status: 302, headers: ["Location": "https://evil.example/?code=1"])
      case .circle: return ServerResponse(status: 302, headers: ["Location": "/after"])
      case .form: return ServerResponse(status: 200, headers: html, text: "user_password sysverb_login")
      }
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let address = try await rig.open("/page")
      #expect(try await rig.get(address).status == 200)
      let answer = try await rig.send(
        .post, "\(Rig.base(address))/change", ["Origin": Rig.origin(address), "Content-Type": "text/plain"], body: "x")
      let text = answer.text.string
      #expect(answer.status == 502 && text.contains("may have happened") && text.contains("href=\"\(address)\""))
      #expect(!text.contains("nothing was"))
    }
  }

  @Test(arguments: ["/login.do", "401", "sso"])
  func aChangeThatWasRefusedIsCalledUndone(_ kind: String) async throws {
    let instance = try StubInstance { request in
      if request.path == "/auth_redirect.do" {
        return ServerResponse(status: 302, headers: ["Location": "https://idp.example/"])
      }
      guard request.method == "POST" else {
        return ServerResponse(status: 200, headers: ["Content-Type": "text/html"], text: "ok")
      }
      return switch kind {
      case "401": ServerResponse(status: 401, headers: ["X-Is-Logged-In": "false"])
      case "sso": ServerResponse(status: 302, headers: ["Location": "/auth_redirect.do?x=1"])
      default: ServerResponse(status: 302, headers: ["Location": kind])
      }
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let address = try await rig.open("/page")
      #expect(try await rig.get(address).status == 200)
      let answer = try await rig.send(
        .post, "\(Rig.base(address))/change", ["Origin": Rig.origin(address), "Content-Type": "text/plain"], body: "x")
      #expect(answer.status == 409 && answer.text.string.contains("was refused: nothing was changed"))
    }
  }

  /// A form with another session's token leads to a page that is no login.
  @Test func aFormOfAnotherSessionShowsTheSecurityPage() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = try rig.rig.makeApproval()
      let address = try await rig.open("/sysapproval_approver.do?sys_id=\(id)")
      #expect(try await rig.get(address).status == 200)
      let answer = try await rig.send(
        .post, "\(Rig.base(address))/sysapproval_approver.do",
        ["Origin": Rig.origin(address), "Content-Type": "application/x-www-form-urlencoded"],
        body: "sys_id=\(id)&sysparm_ck=stale")
      #expect(answer.text.string.contains("Security restricted") && rig.bearers == 1)
      #expect(rig.rig.state(of: id) == "requested")
    }
  }

  @Test func afterALoginAsSomebodyElsePagesAreTheirs() async throws {
    try await onLoop { () async throws in
      let rig = try Rig("authorization-code", settings: ["redirectUri": .init(ServiceNowClient.standardRedirect)])
      try await rig.logIn(as: "hanako")
      try await rig.call("web.preload", ["urls": ["/sp"]])
      let portal = try await rig.open("/sp")
      let welcome = try await rig.open("/welcome.do")
      #expect(try await rig.get(portal).text.string.contains("Hanako Sato"))
      #expect(try await rig.get(welcome).text.string.contains("Hanako Sato"))
      try await rig.logIn(as: "taro")
      #expect(try await rig.get(portal).text.string.contains("Taro Suzuki"))
      #expect(try await rig.get(welcome).text.string.contains("Taro Suzuki"))
    }
  }

  @Test func anAnswerForTheLoginBeforeIsShownToNobody() async throws {
    let user = Atomic(0)
    let hold = Hold()
    defer { hold.release() }
    let asked = Counter()
    let instance = try StubInstance { request in
      let now = user.load(ordering: .relaxed)
      if request.path.hasPrefix("/api/") {
        return ServerResponse(
          status: 200, headers: ["Content-Type": "application/json"],
          text: #"{"result":[{"sys_id":"\#(now)","name":"user \#(now)"}]}"#)
      }
      asked.add()
      // Until the other login is there.
      if now == 1 { hold.wait() }
      return ServerResponse(
        status: 200, headers: ["Content-Type": "text/html", "Set-Cookie": "JSESSIONID=\(now); Path=/"],
        text: "user \(now) \(request.headers["Cookie"] ?? "")")
    }
    try await onLoop { () async throws in
      let rig = try Rig(
        "authorization-code", at: instance.url,
        settings: ["redirectUri": .init(ServiceNowClient.standardRedirect)])
      let login = try required(rig.rig.plugin.login)
      user.store(1, ordering: .relaxed)
      _ = try await login.logIn(code: "1", verifier: "v")
      let preload = Loop.task { try await rig.call("web.preload", ["urls": ["/page"]]) }
      while asked.value < 1 { await Task.yield() }
      user.store(2, ordering: .relaxed)
      _ = try await login.logIn(code: "2", verifier: "v")
      hold.release()
      let page = try await preload.value["pages"]?.array?.first
      #expect(page?["kept"] == false && page?["reason"]?.string?.contains("logged in meanwhile") == true)
      let answer = try await rig.get(try await rig.open("/page"))
      #expect(answer.text.string == "user 2 ")
      // Each login's session begins with its own token.
      #expect(asked.value == 2)
    }
  }

  @Test func theAnswerThatWaitsForABrowserIsForgottenWithTheLogin() async throws {
    try await onLoop { () async throws in
      let rig = try Rig("authorization-code", settings: ["redirectUri": .init(ServiceNowClient.standardRedirect)])
      try await rig.logIn(as: "hanako")
      let address = try await rig.open("/nav_to.do?uri=%2Fwelcome.do")
      let location = try required(try await rig.get(address, Rig.navigation).headers["Location"])
      try await rig.logIn(as: "taro")
      #expect(try await rig.get(location, Rig.navigation).text.string.contains("Taro Suzuki"))
    }
  }

  enum Forgetting: CaseIterable { case time, change, reload }

  @Test(arguments: Forgetting.allCases)
  func theAnswerThatWaitsForABrowserWaitsForNoOther(_ forgetting: Forgetting) async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("/nav_to.do?uri=%2Fwelcome.do")
      let location = try required(try await rig.get(address, Rig.navigation).headers["Location"])
      var headers = Rig.navigation
      switch forgetting {
      case .time: rig.rig.pass(.seconds(10))
      case .reload: headers["Cache-Control"] = "no-cache"
      case .change:
        _ = try await rig.send(
          .post, "\(Rig.base(address))/sysapproval_approver.do",
          ["Origin": Rig.origin(address), "Content-Type": "application/x-www-form-urlencoded"], body: "x=1")
      }
      #expect(try await rig.get(location, headers).status == 200)
      #expect(rig.rig.count("GET /welcome.do") == 2)
    }
  }

  // MARK: Pitfalls

  /// Pitfall 17: an endless loop of `/session_timeout.do`.
  @Test func aLoopOfTheTimeoutPageEndsAndIsTold() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("/welcome.do")
      #expect(try await rig.get(address).status == 200)
      rig.rig.set { $0.timeoutLoop = true }
      rig.rig.sandbox.with { $0.expireSessions() }
      #expect(try await rig.get(address).status == 200)
      rig.rig.sandbox.with { state in
        state.expireSessions()
        state.users["hanako"]?.isActive = false
      }
      #expect(try await rig.get(address).status == 502)
      #expect(rig.rig.count("GET /session_timeout.do") <= 6)
      #expect(await rig.events(2) == ["session-renewed", "navigation-failed"])
    }
  }

  @Test(arguments: ["/a", "/{n}"])
  func redirectsOnAndOnAreCutOff(_ target: String) async throws {
    let count = Counter()
    let instance = try StubInstance { _ in
      count.add()
      return ServerResponse(status: 302, headers: ["Location": target.replacing("{n}", with: "\(count.value)")])
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let answer = try await rig.get(try await rig.open("/a"))
      #expect(answer.status == 502 && answer.text.string.contains("in a circle"))
      #expect(count.value <= 11)
    }
  }

  /// Pitfall 18: 202 and nothing happened.
  @Test func aRequestThatTheQueueDropsIsNoSuccess() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = try rig.rig.makeApproval()
      let address = try await rig.open("/sysapproval_approver.do?sys_id=\(id)")
      let form = try NowWebPageTests.form(try await rig.get(address), id)
      rig.rig.set { $0.sessionQueue = 11 }
      let answer = try await rig.get(address)
      #expect(answer.status == 503 && answer.text.string.contains("nothing was done"))
      let change = try await rig.send(
        .post, "\(Rig.base(address))/sysapproval_approver.do",
        ["Origin": Rig.origin(address), "Content-Type": "application/x-www-form-urlencoded"], body: form)
      #expect(change.status == 503 && rig.rig.state(of: id) == "requested")
    }
  }

  /// Pitfall 18, its cause: the requests of a session wait for each other.
  @Test func theInstanceSeesOneRequestAtATime() async throws {
    let running = Counter()
    let most = Atomic(0)
    let instance = try StubInstance { _ in
      let now = running.enter()
      usleep(2000)  // so that others would come in between
      if now > most.load(ordering: .relaxed) { most.store(now, ordering: .relaxed) }
      var response = ServerResponse(status: 200, headers: ["Content-Type": "text/html"], text: "<p>ok")
      response.headers.add("Set-Cookie", "JSESSIONID=1; Path=/")
      running.leave()
      return response
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let address = try await rig.open("/a")
      let tasks = (0..<20).map { _ in Loop.task { try await rig.get(address).status } }
      for task in tasks { #expect(try await task.value == 200) }
    }
    #expect(most.load(ordering: .relaxed) == 1)
  }

  /// Pitfall 23: the instance may forget which page was wanted before the login.
  @Test func thePageThatWasWantedIsAskedForAgainAndNotHopedFor() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("/welcome.do?x=1")
      #expect(try await rig.get(address).status == 200)
      rig.rig.sandbox.with { $0.expireSessions() }
      #expect(try await rig.get(address).status == 200)
      #expect(rig.pageRequests.last?.target == "/welcome.do?x=1")
      #expect(rig.pageRequests.allSatisfy { !$0.target.contains("goto") })
    }
  }

  /// Pitfall 2, for pages.
  @Test func anInstanceThatSleepsIsNamedAsOne() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      try await rig.rig.call("table.list", ["table": "sys_user"])
      rig.rig.set { $0.hibernating = true }
      let answer = try await rig.get(try await rig.open("/welcome.do"))
      #expect(answer.status == 503 && answer.text.string.contains("asleep"))
      rig.rig.set { $0.hibernating = false }
      #expect(try await rig.get(try await rig.open("/welcome.do")).status == 200)
    }
  }

  @Test func aLogoutInThePageBeginsANewSessionWithTheLastPage() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("/sp")
      #expect(try await rig.get(address, Rig.navigation).status == 200)
      let answer = try await rig.get("\(Rig.base(address))/logout.do", Rig.navigation)
      #expect(answer.status == 303 && answer.headers["Location"] == address)
      #expect(rig.bearers == 2)
    }
  }

  // MARK: Redirects

  @Test func aBrowserIsSentToWhereThePageIsAndItIsFetchedOnce() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("/nav_to.do?uri=%2Fwelcome.do%3Fa%3D1")
      let sent = try await rig.get(address, Rig.navigation)
      #expect(sent.status == 303)
      let location = try required(sent.headers["Location"])
      #expect(location == "\(Rig.base(address))/welcome.do?a=1")
      let page = try await rig.get(location, Rig.navigation)
      #expect(page.status == 200 && page.text.string.contains("Welcome"))
      #expect(rig.pageRequests.map(\.path) == ["/nav_to.do", "/welcome.do"])
      // Whoever is no browser has the page at once.
      #expect(try await rig.get(address).status == 200)
    }
  }

  @Test(arguments: ["other", "//evil.example/x", "http://localhost:1/"])
  func aRedirectToAnotherServerGoesNoFurther(_ kind: String) async throws {
    let seen = Counter()
    let other = try LoopbackServer { _ in
      seen.add()
      return ServerResponse(status: 200)
    }
    let requests = Counter()
    let instance = try StubInstance { _ in
      requests.add()
      return ServerResponse(status: 302, headers: ["Location": kind == "other" ? "\(other.url)/<in>?a=1" : kind])
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let answer = try await rig.get(try await rig.open("/a"))
      #expect(answer.status == 502 && answer.text.string.contains("<a rel=\"noreferrer\" href="))
      #expect(!answer.text.string.contains("<in>"))
      #expect(await rig.events(1) == ["unsupported-url"])
      #expect(rig.rig.events.first?.data["url"]?.string?.hasPrefix("http") == true)
    }
    #expect(seen.value == 0 && requests.value <= 2)
  }

  @Test func aRedirectAwayFromALoginPathIsALogin() async throws {
    let instance = try StubInstance { request in
      switch request.path {
      case "/auth_redirect.do":
        ServerResponse(status: 302, headers: ["Location": "https://idp.example/?SAMLRequest=secret"])
      default: ServerResponse(status: 302, headers: ["Location": "/auth_redirect.do?sysparm_url=x"])
      }
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let answer = try await rig.get(try await rig.open("/a"))
      #expect(answer.status == 502 && answer.text.string.contains("asks for a login"))
      #expect(await rig.events(1) == ["navigation-failed"])
    }
  }

  @Test func aPictureOfAnotherServerEndsNoSession() async throws {
    let bearers = Counter()
    let instance = try StubInstance { request in
      if request.headers["Authorization"] != nil { bearers.add() }
      return request.path == "/picture"
        ? ServerResponse(status: 302, headers: ["Location": "https://cdn.example/picture?code=secret"])
        : ServerResponse(status: 200, headers: ["Content-Type": "text/html", "Set-Cookie": "a=b"], text: "ok")
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let address = try await rig.open("/a")
      #expect(try await rig.get(address).status == 200)
      for _ in 0..<3 {
        let picture = try await rig.get("\(Rig.base(address))/picture", Rig.fetch(from: address))
        #expect(picture.status == 502 && picture.text.string.contains("https://cdn.example/picture?code=secret"))
      }
      #expect(try await rig.get(address).status == 200)
      #expect(await rig.events(3) == ["unsupported-url", "unsupported-url", "unsupported-url"])
      #expect(rig.rig.events.first?.data["url"] == "https://cdn.example/picture")
    }
    #expect(bearers.value == 1)
  }

  @Test func aUsersNameInARedirectIsLeftOut() async throws {
    let authorizations = Counter()
    let instance = try StubInstance { request in
      if request.headers["Authorization"] != nil { authorizations.add() }
      let there = "http://a:b@\(request.headers["Host"] ?? "")/there"
      return request.path == "/there"
        ? ServerResponse(status: 200, headers: ["Content-Type": "text/html"], text: "there")
        : ServerResponse(status: 302, headers: ["Location": there])
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      #expect(try await rig.get(try await rig.open("/a")).text.string.contains("there"))
    }
    #expect(authorizations.value == 1)
  }

  // MARK: Trouble

  @Test func aPageWithoutAnEndIsCutOff() async throws {
    let instance = try StubInstance { _ in
      ServerResponse(
        status: 200, headers: ["Content-Type": "text/html"], body: [UInt8](repeating: 0x61, count: 20 << 20))
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let answer = try await rig.get(try await rig.open("/a"))
      #expect(answer.status == 502 && answer.text.string.contains("larger than the limit"))
    }
  }

  @Test func aChangeWhoseAnswerIsLostIsNotSentAgainAndSaysSo() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = try rig.rig.makeApproval()
      let address = try await rig.open("/sysapproval_approver.do?sys_id=\(id)")
      let form = try NowWebPageTests.form(try await rig.get(address), id)
      try rig.rig.inject(.reset(applied: true), on: "POST /sysapproval_approver.do")
      let answer = try await rig.send(
        .post, "\(Rig.base(address))/sysapproval_approver.do",
        ["Origin": Rig.origin(address), "Content-Type": "application/x-www-form-urlencoded"], body: form)
      #expect(answer.status == 502 && answer.text.string.contains("may have happened"))
      #expect(rig.rig.count("POST /sysapproval_approver.do") == 1 && rig.rig.state(of: id) == "approved")
    }
  }

  @Test func whenTheBrowserHangsUpAReadIsStoppedAndAChangeIsNot() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = try rig.rig.makeApproval()
      let address = try await rig.open("/sysapproval_approver.do?sys_id=\(id)")
      let form = try NowWebPageTests.form(try await rig.get(address), id)
      let origin = Rig.origin(address)
      let port = try required(origin.split(separator: ":").last.flatMap { UInt16($0) })
      let secret = Rig.base(address).dropFirst(origin.count)
      try rig.rig.inject(.hang(applied: false), on: "GET /welcome.do")
      try rig.rig.inject(.delay(.milliseconds(300)), on: "POST /sysapproval_approver.do")

      let reader = try RawConnection(port: port)
      reader.send("GET \(secret)/welcome.do HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
      while rig.rig.count("GET /welcome.do") < 1 { await Task.yield() }
      reader.hangUp()
      // It would wait for ever behind the read that hangs.
      let writer = try RawConnection(port: port)
      writer.send(
        "POST \(secret)/sysapproval_approver.do HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nOrigin: \(origin)\r\n"
          + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(form.utf8.count)\r\n\r\n\(form)")
      while rig.rig.count("POST /sysapproval_approver.do") < 1 { await Task.yield() }
      writer.hangUp()
      // Which comes when the change is through, redirect and all.
      #expect(try await rig.get(address).status == 200)
      #expect(rig.rig.state(of: id) == "approved")
      #expect(rig.rig.count("GET /sysapproval_approver.do") == 3)
    }
  }

  @Test func pagesRestWhenTheInstanceAsksForThat() async throws {
    let pages = Counter()
    let instance = try StubInstance { request in
      if request.path.hasPrefix("/api/") { return ServerResponse(status: 429, headers: ["Retry-After": "60"]) }
      pages.add()
      return ServerResponse(status: 200, headers: ["Content-Type": "text/html"], text: "ok")
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      _ = try? await rig.call("table.list", ["table": "sys_user"])
      let address = try await rig.open("/a")
      let answer = try await rig.get(address)
      #expect(answer.status == 502 && answer.text.string.contains("left alone") && pages.value == 0)
      rig.rig.pass(.seconds(60))
      #expect(try await rig.get(address).status == 200)
    }
  }

  @Test func pollsOfTheMessageBusHoldUpNothingAndForgetNothing() async throws {
    let polls = Counter()
    let hold = Hold()
    defer { hold.release() }
    let pages = Counter()
    let instance = try StubInstance { request in
      guard request.path.hasPrefix("/amb/") else {
        pages.add()
        return ServerResponse(status: 200, headers: ["Content-Type": "text/html"], text: "ok")
      }
      polls.add()
      hold.wait()
      return ServerResponse(status: 200)
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let address = try await rig.open("/a")
      #expect(try await rig.get(address).status == 200)
      try await rig.call("web.preload", ["urls": ["/kept"]])
      let held = (0..<20).map { number in
        Loop.task {
          try await rig.send(
            .post, "\(Rig.base(address))/amb/connect", ["Origin": Rig.origin(address), "Content-Type": "text/plain"],
            body: "\(number)"
          ).status
        }
      }
      while polls.value < 20 { await Task.yield() }
      #expect(try await rig.get(address).status == 200)
      let before = pages.value
      #expect(try await rig.get("\(Rig.base(address))/kept").status == 200)
      #expect(pages.value == before)
      hold.release()
      for task in held { #expect(try await task.value == 200) }
    }
  }

  @Test func moreThanTheQueueTakesIsRefusedAtOnce() async throws {
    let hold = Hold()
    defer { hold.release() }
    let asked = Counter()
    let instance = try StubInstance { _ in
      asked.add()
      hold.wait()
      return ServerResponse(status: 200, headers: ["Content-Type": "text/html"], text: "ok")
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let address = try await rig.open("/a")
      // One that is asked for, and sixty-four that wait.
      let tasks = (0..<65).map { number in
        Loop.task { try await rig.call("web.preload", ["urls": [.init("/\(number)")]]) }
      }
      while asked.value < 1 { await Task.yield() }
      let answer = try await rig.get(address)
      #expect(answer.status == 503 && answer.text.string.contains("Too many requests wait"))
      hold.release()
      for task in tasks { #expect(try await task.value["pages"]?.array?.first?["kept"] == true) }
      #expect(try await rig.get(address).status == 200)
    }
  }

  @Test func whoWaitsForAPageThatIsClosedGetsNothing() async throws {
    let hold = Hold()
    defer { hold.release() }
    let asked = Counter()
    let instance = try StubInstance { _ in
      asked.add()
      hold.wait()
      return ServerResponse(status: 200, headers: ["Content-Type": "text/html"], text: "ok")
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let address = try await rig.open("/a")
      let reader = Loop.task { try await rig.get(address).status }
      while asked.value < 1 { await Task.yield() }
      try await rig.call("web.close")
      await #expect(throws: HTTPError.self) { try await reader.value }
      hold.release()
      #expect(try await rig.get(try await rig.open("/a")).status == 200)
    }
  }

  @Test func eventsComeNoFasterThanTenAMinute() async throws {
    let instance = try StubInstance { _ in ServerResponse(status: 302, headers: ["Location": "https://evil.example/"]) }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let address = try await rig.open("/a")
      for _ in 0..<15 { #expect(try await rig.get(address).status == 502) }
      #expect(await rig.events(10).count == 10)
      #expect(rig.rig.logged.count { $0.contains("unsupported-url") } == 1)
      rig.rig.pass(.seconds(60))
      #expect(try await rig.get(address).status == 502)
      #expect(await rig.events(11).count == 11)
    }
  }

  static func userToken(_ page: HTTPResponse) throws -> String {
    let text = page.text.string
    let start = try required(text.firstRange(of: "g_ck = '")?.upperBound)
    return String(text[start...].prefix { $0 != "'" })
  }
}

extension HTTPHeaders {
  func with(_ name: String, _ value: String) -> HTTPHeaders {
    var headers = self
    headers[name] = value
    return headers
  }
}

extension Counter {
  func enter() -> Int {
    add()
    return value
  }

  func leave() { subtract() }
}
