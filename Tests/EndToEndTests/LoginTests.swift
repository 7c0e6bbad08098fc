import Foundation
import Glibc
import HTTPServer
import JSON
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// `ringi login` with the real agent and a sandbox as the backend; the tests are the browser.
@Suite(.timeLimit(.minutes(5)), .serialized) struct LoginTests {
  enum Backend: CaseIterable, Sendable { case todoist, wunderlist }

  /// A backend with a client whose callback leads to a free port, and an agent that watches it.
  private final class World: LoginWorld {
    let todoist: TodoistSandbox
    let wunderlist: WunderlistSandbox
    private let reserved: ReservedPort
    var port: UInt16 { reserved.number }
    let secret = TodoistConfiguration().clientSecret

    init(
      _ backend: Backend, settings: String = "", change: (inout WunderlistConfiguration) -> Void = { _ in }
    ) throws {
      reserved = try ReservedPort()
      let callback = "http://127.0.0.1:\(reserved.number)/callback"
      var (first, second) = (TodoistConfiguration(), WunderlistConfiguration())
      first.redirect = callback
      first.switches.needsPKCE = true
      second.redirects = [callback]
      change(&second)
      (todoist, wunderlist) = (TodoistSandbox(first), WunderlistSandbox(second))
      try todoist.start(port: 0, tls: nil)
      try wunderlist.start(port: 0, tls: nil)
      let (provider, url, base) =
        backend == .todoist
        ? ("todoist", todoist.url, todoist.baseURL) : ("wunderlist", wunderlist.url, wunderlist.baseURL)
      let plugin = """
        {"provider": "\(provider)", "poll": {"every": "1d"},
         "settings": {"url": "\(base)", "oauthUrl": "\(url)/oauth", "clientId": "\(first.clientID)", \(settings)
                      "clientSecret": {"env": "SECRET"}, "redirectUri": "\(callback)", "timezone": "UTC"}}
        """
      try super.init("todo", plugin: plugin, environment: ["SECRET": first.clientSecret])
    }

    deinit {
      todoist.stop()
      wunderlist.stop()
    }

    var kept: String? {
      get throws { try kept("oauth.access-token") }
    }
  }

  @Test(arguments: Backend.allCases)
  func aPersonLogsInAndTheTokenIsKeptAndSaidNowhere(_ backend: Backend) throws {
    let world = try World(backend)
    let client = try world.folder.client()
    let before = try client.refusal("todo.user.get")
    #expect(before?["data"]?["kind"] == "login-required")
    #expect(before?["message"]?.string?.contains("ringi login todo") == true)
    let login = try world.login()
    let page = try world.page(login)
    #expect(page.contains("code_challenge_method=S256") == (backend == .todoist))
    let callback = try WebPage.redirect(from: page)
    let answer = try WebPage.get(callback)
    #expect(answer.status == 200 && answer.text.contains("Logged in"))
    #expect(login.wait() == 0)
    #expect(login.outputText == "Logged in to todo as Ada.\n")
    #expect(try client.call("todo.user.get")["id"] != nil)
    let token = try #require(try world.kept?.filter { $0 != "\"" })
    let code = try World.code(of: callback)
    // Another agent on the same state is logged in, too.
    let first = world.agent
    try world.restart()
    let later = try world.folder.client()
    #expect(try later.call("todo.user.get")["id"] != nil)
    let audit = try later.call("audit.list").description
    #expect(audit.contains("plugins.finishLogin"))
    world.stop()
    for text in [first.errorText, world.agent.errorText, login.errorText, login.outputText, audit] {
      #expect(!text.contains(token) && !text.contains(code) && !text.contains(world.secret))
    }
  }

  /// Whoever finds the port changes nothing, and keeps nobody from logging in.
  @Test func strangersAtThePortGetAnErrorPage() throws {
    let world = try World(.todoist)
    let login = try world.login()
    let page = try world.page(login)
    let base = "http://127.0.0.1:\(world.port)"
    let silent = try RawConnection(to: base)
    silent.send("GET /callback?co")
    for (target, status) in [
      ("/callback?state=wrong&code=mine", 400), ("/callback?code=mine", 400), ("/callback", 400),
      ("/favicon.ico", 404), ("/callback?state=%zz&code=mine", 400),
    ] {
      #expect(try WebPage.get(base + target).status == status, "\(target)")
    }
    let poster = try RawConnection(to: base)
    poster.send("POST /callback?state=a HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try poster.answer().status == 405)
    #expect(try world.kept == nil)
    #expect(login.isRunning)
    _ = try WebPage.get(try WebPage.redirect(from: page))
    #expect(login.wait() == 0)
    world.stop()
  }

  @Test func aRefusalOnThePageEndsTheLogin() throws {
    let world = try World(.todoist)
    world.todoist.with { $0.switches.grants = false }
    let login = try world.login()
    let answer = try WebPage.get(try WebPage.redirect(from: world.page(login)))
    #expect(answer.status == 200 && answer.text.contains("refused"))
    #expect(login.wait() == 77)
    #expect(login.errorText.contains("access_denied"))
    #expect(try world.kept == nil)
    world.stop()
  }

  @Test func nobodyComesBackInTime() throws {
    let world = try World(.wunderlist)
    let login = try world.login(["--no-browser", "--wait", "1s"])
    #expect(login.wait() == 75)
    #expect(login.errorText.contains("not come back in time"))
    // What a backend does that sends the browser to another registered callback.
    #expect(login.errorText.contains("register http://127.0.0.1:\(world.port)/callback at the backend"))
    world.stop()
  }

  @Test func aTakenPortIsToldBeforeAnythingIsOpened() throws {
    let world = try World(.wunderlist)
    let first = try world.login()
    _ = try world.page(first)
    let second = try world.login()
    #expect(second.wait() == 75)
    #expect(second.errorText.contains("127.0.0.1:\(world.port)") && !second.errorText.contains("/oauth/authorize?"))
    first.send(SIGKILL)
    _ = first.wait()
    world.stop()
  }

  /// Pitfall A7/2: the page is 403, and what has to be registered is said here.
  @Test func aCallbackThatIsNotRegisteredIsNamed() throws {
    let world = try World(.wunderlist) { $0.redirects = ["http://127.0.0.1:9/other"] }
    let login = try world.login(["--no-browser", "--wait", "2s"])
    #expect(try WebPage.get(world.page(login)).status == 403)
    #expect(login.wait() == 75)
    #expect(login.errorText.contains("register http://127.0.0.1:\(world.port)/callback at the backend"))
    world.stop()
  }

  /// Pitfall A7/9: a code is worth nothing the second time, and the exchange is never repeated.
  @Test(arguments: [Backend.todoist, .wunderlist])
  func aCodeThatTheServerRefusesIsALoginRequired(_ backend: Backend) throws {
    let world = try World(backend)
    let login = try world.login()
    let callback = try WebPage.redirect(from: world.page(login))
    let code = try World.code(of: callback)
    let answer = try WebPage.get(callback.replacing(code, with: "used-before"))
    #expect(answer.text.contains("failed"))
    #expect(login.wait() == 77)
    #expect(login.errorText.contains("ringi: todo: the login server refused the code"))
    #expect(try world.kept == nil)
    let requests = world.todoist.with { $0.log.entries } + world.wunderlist.with { $0.log.entries }
    #expect(requests.count { $0.request.path == "/oauth/access_token" } == 1)
    world.stop()
  }

  @Test func anAnswerWithAnotherStateOrTwiceChangesNothing() throws {
    let world = try World(.todoist)
    let client = try world.folder.client()
    #expect(
      try client.refusal("plugins.finishLogin", ["plugin": "todo", "state": "a", "code": "b"])?["data"]?["kind"]
        == "not-found")
    let begun = try client.call("plugins.login", ["plugin": "todo"])
    #expect(begun["expiresIn"] == 600 && begun["redirect"] == JSONValue("http://127.0.0.1:\(world.port)/callback"))
    let other = try client.refusal("plugins.finishLogin", ["plugin": "todo", "state": "a", "code": "b"])
    #expect(other?["data"]?["kind"] == "conflict")
    // What such an answer brings along as a code is no secret of anybody's.
    _ = try client.refusal("plugins.finishLogin", ["plugin": "todo", "state": "a", "code": "login"])
    let again = try client.refusal("plugins.finishLogin", ["plugin": "todo", "state": "a", "code": "b"])
    #expect(again?["message"]?.string?.contains("no answer to the login of todo") == true)
    let state = begun["state"] ?? .null
    // The right state, and a code that was not made for this login's proof key.
    let page = try #require(begun["url"]?.string)
    let foreign = page.replacing("code_challenge=", with: "code_challenge=x")
    let callback = try WebPage.redirect(from: foreign)
    let code = try World.code(of: callback)
    let params: JSONValue = ["plugin": "todo", "state": state, "code": JSONValue(code)]
    #expect(try client.refusal("plugins.finishLogin", params)?["data"]?["kind"] == "login-required")
    #expect(try client.refusal("plugins.finishLogin", params)?["data"]?["kind"] == "not-found")
    #expect(try world.kept == nil)
    world.stop()
  }

  /// The second one must not take it from the first.
  @Test func twoLoginsAtOnceAreEachGoodForOneAnswer() throws {
    let world = try World(.todoist)
    let client = try world.folder.client()
    let begun = try (0..<2).map { _ in try client.call("plugins.login", ["plugin": "todo"]) }
    for login in begun {
      let code = try World.code(of: try WebPage.redirect(from: try #require(login["url"]?.string)))
      let params: JSONValue = ["plugin": "todo", "state": login["state"] ?? .null, "code": JSONValue(code)]
      #expect(try client.call("plugins.finishLogin", params)["plugin"] == "todo")
      #expect(try client.refusal("plugins.finishLogin", params)?["data"]?["kind"] != nil)
    }
    world.stop()
  }

  @Test func theBrowserIsOpenedByTheDesktopsProgram() throws {
    let world = try World(.todoist)
    let (opener, note) = (world.folder.path("bin/xdg-open"), world.folder.path("opened"))
    try FileManager.default.createDirectory(
      atPath: world.folder.path("bin"), withIntermediateDirectories: true)
    try "#!/bin/sh\nprintf '%s\\n' \"$1\" > '\(note)'\n".write(toFile: opener, atomically: true, encoding: .utf8)
    chmod(opener, 0o755)
    let login = try world.login([], path: "\(world.folder.path("bin")):/usr/bin:/bin")
    let page = try world.page(login)
    #expect(login.errorText.contains("If the browser does not open it"))
    #expect(login.waitFor { _ in (try? String(contentsOfFile: note, encoding: .utf8)) == "\(page)\n" })
    login.send(SIGKILL)
    #expect(login.wait() == -SIGKILL)
    world.stop()
  }

  /// Which settings hold the credentials of those that no browser logs in.
  @Test(
    arguments: [
      (
        "sap-workflow", #"{"environment": "neo", "url": "https://a.example", "user": "u", "password": "p"}"#,
        "check user and password in its settings"
      ),
      (
        "sap-workflow",
        #"{"environment": "cf", "url": "https://a.example", "uaaUrl": "https://b.example", "clientId": "c", "clientSecret": "s"}"#,
        "check clientId and clientSecret in its settings"
      ),
      (
        "sap-workflow",
        #"{"environment": "cf", "url": "https://a.example", "uaaUrl": "https://b.example", "clientId": "c", "clientSecret": "s", "refreshToken": "r"}"#,
        "check clientId, clientSecret and refreshToken in its settings"
      ),
      (
        "curam", #"{"url": "https://a.example/Rest", "user": "u", "password": "p"}"#,
        "check user and password in its settings"
      ),
      (
        "rest", #"{"url": "https://a.example", "resources": {}, "auth": {"type": "bearer", "token": "t"}}"#,
        "check auth.token in its settings"
      ),
      ("rest", #"{"url": "https://a.example", "resources": {}}"#, "it takes no credentials"),
      (
        "servicenow", #"{"url": "https://a.example", "login": "basic", "user": "u", "password": "p"}"#,
        "check user and password in its settings, or set login to authorization-code"
      ),
      ("todoist", "{}", "put token into its settings, or clientId, clientSecret and redirectUri"),
    ])
  func aLoginThatTakesNoBrowserSaysWhereItsCredentialsAre(
    _ provider: String, _ settings: String, _ advice: String
  ) throws {
    let plugin = #"{"provider": "\#(provider)", "poll": {"every": "1d"}, "settings": \#(settings)}"#
    let world = try LoginWorld("sap", plugin: plugin, environment: [:])
    let login = try world.login()
    #expect(login.wait() == 65)
    #expect(login.errorText.contains("sap has no login with a browser") && login.errorText.contains(advice))
    world.stop()
  }

  @Test func aPluginWithoutALoginSaysSo() throws {
    let world = try World(.todoist, settings: #""token": "secret-token","#)
    let result = try Program.run("ringi", ["--socket", world.folder.socket, "login", "todo", "--no-browser"])
    #expect(result.status == 73 && result.errors.contains("in the settings"))
    let nobody = try Program.run("ringi", ["--socket", world.folder.socket, "login", "nobody"])
    #expect(nobody.status == 66)
    world.stop()
  }
}
