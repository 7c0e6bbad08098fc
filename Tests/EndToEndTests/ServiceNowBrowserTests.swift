import Foundation
import Glibc
import HTTPServer
import JSON
import RingiTestSupport
import Sandbox
import Testing

/// `ringi login` at a sandboxed ServiceNow instance, with the real agent; the tests are the browser.
@Suite(.timeLimit(.minutes(5)), .serialized) struct ServiceNowBrowserTests {
  /// An instance with a client whose callback leads to a free port, and an agent that watches it.
  private final class World: LoginWorld {
    let sandbox: ServiceNowSandbox
    private let reserved: ReservedPort
    var port: UInt16 { reserved.number }

    init(isPublic: Bool = false, change: (inout ServiceNowConfiguration) -> Void = { _ in }) throws {
      reserved = try ReservedPort()
      let callback = "http://127.0.0.1:\(reserved.number)/callback"
      var configuration = ServiceNowConfiguration()
      configuration.clients[0].redirectURIs = ["http://127.0.0.1:9/other", callback]
      configuration.switches.publicClient = isPublic
      configuration.switches.publicRefresh = isPublic
      configuration.switches.refreshTokenAnswer = .rotated
      change(&configuration)
      sandbox = ServiceNowSandbox(configuration)
      try sandbox.start(port: 0, tls: nil)
      sandbox.with { $0.loggedInUser = "hanako" }
      let secret = isPublic ? "" : #""clientSecret": {"env": "SECRET"},"#
      let plugin = """
        {"provider": "servicenow", "poll": {"every": "1d"},
         "settings": {"url": "\(sandbox.url)", "login": "authorization-code", \(secret)
                      "clientId": "\(ServiceNowClient.standardID)", "redirectUri": "\(callback)"}}
        """
      try super.init("now", plugin: plugin, environment: ["SECRET": ServiceNowClient.standardSecret])
    }

    deinit { sandbox.stop() }

    var kept: String? {
      get throws { try kept("oauth.refresh-token") }
    }

    /// What the token endpoint was sent.
    var grants: [String] {
      sandbox.with { state in
        state.log.entries.filter { $0.request.path == "/oauth_token.do" }
          .map { String(decoding: $0.request.body, as: UTF8.self) }
      }
    }

    /// Logs in as whoever is in the browser.
    ///
    /// - Returns: What `ringi login` says.
    func logIn() throws -> String {
      let login = try login()
      _ = try WebPage.get(try WebPage.redirect(from: page(login)))
      #expect(login.wait() == 0)
      return login.outputText
    }

    /// The user names that the instance shows the agent as its own.
    func whoAmI() throws -> [String?]? {
      let own: JSONValue = ["table": "sys_user", "query": "sys_id=javascript:gs.getUserID()"]
      let records = try folder.client().call("now.table.list", own)["records"]?.array
      return records.map { $0.map { $0["user_name"]?.string } }
    }
  }

  @Test(arguments: [false, true])
  func aPersonLogsInOnceAndIsLoggedInAfterARestart(_ isPublic: Bool) throws {
    let world = try World(isPublic: isPublic)
    let before = try world.folder.client().refusal("now.table.list", ["table": "task"])
    #expect(before?["data"]?["kind"] == "login-required")
    #expect(before?["message"]?.string?.contains("nobody has logged in") == true)
    #expect(before?["message"]?.string?.contains("run `ringi login now`") == true)
    #expect(world.grants.isEmpty)

    let login = try world.login()
    let page = try world.page(login)
    #expect(page.contains("/oauth_auth.do?response_type=code&") && page.contains("code_challenge_method=S256"))
    let callback = try WebPage.redirect(from: page)
    let answer = try WebPage.get(callback)
    #expect(answer.status == 200 && answer.text.contains("Logged in"))
    #expect(login.wait() == 0)
    #expect(login.outputText == "Logged in to now as Hanako Sato.\n")
    #expect(try world.whoAmI() == ["hanako"])
    // The access token that came with the login is used, and no other one fetched.
    #expect(world.grants.count == 1)
    let grant = try #require(world.grants.first)
    #expect(grant.contains("code_verifier=") && grant.contains("client_secret=") == !isPublic)

    let kept = try #require(try world.kept)
    let first = world.agent
    try world.restart()
    #expect(try world.whoAmI() == ["hanako"])
    #expect(world.grants.count == 2 && world.grants[1].contains("grant_type=refresh_token"))
    #expect(try world.kept != kept)
    world.stop()
    var secrets = world.sandbox.with { state in
      state.log.entries.compactMap { $0.request.headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) } }
    }
    secrets += [ServiceNowClient.standardSecret, try World.code(of: callback)]
    secrets.append(String(try #require(kept.split(separator: "\"").max { $0.count < $1.count })))
    for text in [first.errorText, world.agent.errorText, login.errorText, login.outputText] {
      for secret in secrets { #expect(!text.contains(secret)) }
    }
  }

  /// The sheet's 2.5: the instance sends the browser to the first redirect that is registered.
  @Test func aRedirectThatIsNotRegisteredIsNamedWhenNobodyComesBack() throws {
    let world = try World { $0.clients[0].redirectURIs = ["http://127.0.0.1:9/other"] }
    let login = try world.login(["--no-browser", "--wait", "2s"])
    #expect(try WebPage.redirect(from: world.page(login)).hasPrefix("http://127.0.0.1:9/other?"))
    #expect(login.wait() == 75)
    #expect(login.errorText.contains("register http://127.0.0.1:\(world.port)/callback at the backend"))
    #expect(try world.kept == nil)
    world.stop()
  }

  @Test func whoeverSaysNoIsNotLoggedIn() throws {
    let world = try World { $0.switches.consent = .deny }
    let login = try world.login()
    _ = try WebPage.get(try WebPage.redirect(from: world.page(login)))
    #expect(login.wait() == 77)
    #expect(login.errorText.contains("access_denied"))
    // No documentation says that the browser is sent back then.
    world.sandbox.with { $0.switches.consent = .denyWithPage }
    let silent = try world.login(["--no-browser", "--wait", "2s"])
    #expect(try WebPage.get(world.page(silent))["Location"] == nil)
    #expect(silent.wait() == 75)
    #expect(try world.kept == nil && world.grants.isEmpty)
    world.stop()
  }

  @Test func anAnswerWithAnotherStateChangesNothing() throws {
    let world = try World()
    let login = try world.login()
    let callback = try WebPage.redirect(from: world.page(login))
    let state = try #require(callback.split(separator: "state=").last?.prefix { $0 != "&" })
    #expect(try WebPage.get(callback.replacing(state, with: "another")).status == 400)
    #expect(try world.kept == nil && world.grants.isEmpty && login.isRunning)
    _ = try WebPage.get(callback)
    #expect(login.wait() == 0)
    world.stop()
  }

  /// The refusal names the grant and the host (pitfall 22), and the login of before goes on.
  @Test func aCodeIsGoodOnceAndARefusedOneLeavesTheLoginAsItWas() throws {
    let world = try World()
    let first = try world.login()
    let used = try WebPage.redirect(from: world.page(first))
    _ = try WebPage.get(used)
    #expect(first.wait() == 0)
    let kept = try world.kept
    for code in [try World.code(of: used), "never-given"] {
      let login = try world.login()
      let callback = try WebPage.redirect(from: world.page(login))
      let answer = try WebPage.get(callback.replacing(try World.code(of: callback), with: code))
      #expect(answer.text.contains("failed"))
      #expect(login.wait() == 77)
      #expect(login.errorText.contains("login is authorization-code") && login.errorText.contains("127.0.0.1"))
    }
    #expect(world.grants.count == 3)
    #expect(try world.kept == kept && world.whoAmI() == ["hanako"])
    world.stop()
  }

  @Test func aSecondLoginReplacesTheFirst() throws {
    let world = try World()
    #expect(try world.logIn() == "Logged in to now as Hanako Sato.\n")
    #expect(try world.whoAmI() == ["hanako"])
    let kept = try world.kept
    world.sandbox.with { $0.loggedInUser = "taro" }
    #expect(try world.logIn() == "Logged in to now as Taro Suzuki.\n")
    #expect(try world.whoAmI() == ["taro"])
    #expect(try world.kept != kept)
    try world.restart()
    #expect(try world.whoAmI() == ["taro"])
    world.stop()
  }

  /// BR-108: the instance takes each refresh token once.
  @Test func anAgentThatIsKilledAfterARefreshIsStillLoggedIn() throws {
    let world = try World()
    _ = try world.logIn()
    for _ in 0..<5 {
      world.sandbox.with { $0.revokeTokens() }
      #expect(try world.whoAmI() == ["hanako"])
      try world.kill()
    }
    #expect(try world.whoAmI() == ["hanako"])
    #expect(world.sandbox.with { $0.refusals }.isEmpty)
    world.stop()
  }

  /// Pitfall 6.
  @Test func aLoginThatHasEndedIsAskedForOnceAndMadeAnew() throws {
    let world = try World()
    _ = try world.logIn()
    let ids = try world.sandbox.with { state throws(ControlError) in try state.makeApprovals(count: 2) }
    let client = try world.folder.client()
    try client.call("tasks.refresh")
    #expect(try client.call("tasks.list")["tasks"]?.array?.count == ids.count)
    world.sandbox.with { $0.revokeTokens(refreshTokensToo: true) }
    func asked() throws -> Int {
      try #require(try client.call("events.list")["events"]?.array).count { $0["type"] == "login-required" }
    }
    // One when the agent began without a login.
    let before = (grants: world.grants.count, asked: try asked())
    for _ in 0..<3 {
      let refusal = try client.refusal("tasks.refresh")
      #expect(refusal?["data"]?["kind"] == "login-required")
      #expect(refusal?["message"]?.string?.contains("run `ringi login now`") == true)
    }
    #expect(world.grants.count - before.grants == 1)
    #expect(try asked() - before.asked == 1)
    _ = try world.logIn()
    try client.call("tasks.refresh")
    #expect(try client.call("tasks.list")["tasks"]?.array?.count == ids.count)
    #expect(try asked() - before.asked == 1)
    world.stop()
  }
}
