import EventLoop
import HTTP
import HTTPServer
import JSON
import JSONRPC
import RingiCore
import RingiTestSupport
import Sandbox
import Testing

/// Opening and closing pages, and who may see them.
@Suite struct NowWebPageTests {
  private typealias Rig = NowWebRig

  @Test(arguments: ["welcome.do", "/welcome.do", "welcome.do?a=b%20c", "./x/../welcome.do"])
  func aRelativeAddressIsShownToAnyBrowser(_ url: String) async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open(url)
      #expect(rig.rig.requests.isEmpty)
      let answer = try await rig.get(address)
      #expect(answer.status == 200 && answer.contentType?.essence == "text/html")
      #expect(answer.text.string.contains("Welcome, Hanako Sato"))
      #expect(rig.pageRequests.map(\.path) == ["/welcome.do"])
    }
  }

  @Test func anAbsoluteAddressOfTheInstanceKeepsItsFragment() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("\(rig.rig.sandbox.url)/welcome.do?x=1#part<1>")
      #expect(address.hasSuffix("/welcome.do?x=1#part%3C1%3E"))
      #expect(try await rig.get(address).status == 200)
    }
  }

  @Test(
    arguments: [
      "//evil", "//evil/welcome.do", "\\\\evil", "/\\evil", "https://acme@evil", "http://127.0.0.1@evil/",
      "javascript:1",
      "https://evil/welcome.do", "data:text/html,1", "http:evil", "http:/evil", "file:///etc/passwd", "/a b",
      "/a\r\nX: 1",
      " //evil", "HTTPS://127.0.0.1/", "http://user:pw@{instance}/", "http://{instance}.evil/", "http://{instance}1/",
    ])
  func anAddressThatIsNotTheInstancesIsRefused(_ url: String) async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let host = rig.rig.sandbox.url.dropFirst("http://".count)
      let error = try await rig.failure("web.open", ["url": .init(url.replacing("{instance}", with: host))])
      #expect(error.kind == "invalid-params" && error.message.contains("url got"))
      let preload = try await rig.failure("web.preload", ["urls": [.init(url.replacing("{instance}", with: host))]])
      #expect(preload.kind == "invalid-params" && rig.rig.requests.isEmpty)
    }
  }

  @Test func anUnsupportedAddressIsCalledSo() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let error = try await rig.failure("web.open", ["url": "https://elsewhere.example/x"])
      #expect(error.message.contains("unsupported URL (on https://elsewhere.example)"))
    }
  }

  @Test func basicOpensNoPages() async throws {
    try await onLoop { () async throws in
      let rig = try Rig("basic")
      for (name, params) in [("web.open", ["url": "/"]), ("web.preload", ["urls": ["/"]])] as [(String, JSONValue)] {
        let error = try await rig.failure(name, params)
        #expect(error.kind == "login-required" && error.message.contains("login is basic"))
      }
    }
  }

  // MARK: Whose request it is

  @Test func aPagesSecretIsNeverGuessed() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("/welcome.do")
      let origin = Rig.origin(address)
      let secret = Rig.base(address).dropFirst(origin.count + 1)
      #expect(secret.utf8.count == 64)
      let guesses = [
        "", "welcome.do", String(secret.dropLast()), "\(secret)0", secret.uppercased(), "%2e%2e/\(secret)",
      ]
      for guess in guesses where guess != secret {
        let answer = try await rig.get("\(origin)/\(guess)")
        #expect(answer.status == 404 && answer.text.string.contains("now.web.open"))
      }
      #expect(rig.rig.requests.isEmpty)
      #expect(try await rig.open("/welcome.do") != address)
    }
  }

  @Test func whatAPageAsksForByAPathOfItsOwnIsItsPages() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("/sysapproval_approver.do?sys_id=\(try rig.rig.makeApproval())")
      let page = try await rig.get(address)
      let origin = Rig.origin(address)
      // By the Referer.
      let script = try await rig.get("\(origin)/scripts/approval.js", Rig.fetch(from: address))
      #expect(script.status == 200 && script.text.string.contains("fetch"))
      // After history.pushState there is the cookie alone.
      let cookie = try required(page.headers["Set-Cookie"])
      #expect(cookie.contains("HttpOnly; SameSite=Strict") && cookie.hasPrefix("ringi-page-"))
      let pair = String(cookie.prefix { $0 != ";" })
      let style = try await rig.get(
        "\(origin)/styles/approval.css",
        ["Cookie": "a=b; \(pair)", "Referer": "\(origin)/somewhere", "Sec-Fetch-Site": "same-origin"])
      #expect(style.status == 200)
      // It is no address, and changes nothing.
      let value = try required(pair.split(separator: "=").last)
      #expect(!address.contains(value))
      // Nor does it lead to the address.
      let secret = Rig.base(address).dropFirst(origin.count + 1)
      for target in ["/sp", "/nav_to.do?uri=%2Fsp", "/amb/x", "/%zz"] {
        let read = try await rig.get(origin + target, ["Cookie": pair, "Sec-Fetch-Mode": "navigate"])
        #expect(!read.text.string.contains(secret) && read.headers["Location"]?.contains(secret) != true)
      }
      #expect(try await rig.get("\(origin)/\(value)/welcome.do").status == 404)
      let change = try await rig.send(
        .post, "\(origin)/sysapproval_approver.do",
        ["Cookie": pair, "Origin": origin, "Sec-Fetch-Site": "same-origin"], body: "x=1")
      #expect(change.status == 404 && rig.rig.count("POST /sysapproval_approver.do") == 0)
      // From another port of this machine a browser sends the cookie along.
      for headers: HTTPHeaders in [
        [:], ["Cookie": pair, "Sec-Fetch-Site": "same-site"], ["Cookie": pair, "Sec-Fetch-Site": "cross-site"],
        ["Cookie": pair, "Referer": "http://127.0.0.1:1/"], ["Cookie": pair, "Origin": "http://127.0.0.1:1"],
        ["Cookie": pair.replacing("ringi-page-", with: "ringi-page-1")], ["Referer": "http://evil/\(address)"],
      ] {
        #expect(try await rig.get("\(origin)/styles/approval.css", headers).status == 404)
      }
    }
  }

  @Test func anotherHostsNameIsRefused() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("/welcome.do")
      let port = try required(Rig.origin(address).split(separator: ":").last)
      for host in ["evil.example", "evil.example:\(port)", "localhost:\(port)", "127.0.0.1", "127.0.0.1:1"] {
        #expect(try await rig.get(address, ["Host": host]).status == 421)
      }
      #expect(rig.rig.requests.isEmpty)
    }
  }

  @Test func aChangeHasToComeFromThePageItself() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let id = try rig.rig.makeApproval()
      let address = try await rig.open("/sysapproval_approver.do?sys_id=\(id)")
      let page = try await rig.get(address)
      let origin = Rig.origin(address)
      let pair = String(try required(page.headers["Set-Cookie"]).prefix { $0 != ";" })
      let form = try Self.form(page, id)
      let type = "application/x-www-form-urlencoded"
      for headers: HTTPHeaders in [
        [:], ["Origin": "null"], ["Origin": "http://evil"], ["Origin": origin, "Sec-Fetch-Site": "cross-site"],
        ["Sec-Fetch-Site": "same-site"], ["Referer": "http://evil/"],
        ["Origin": "http://127.0.0.1:1", "Referer": address],
      ] {
        var headers = headers
        headers["Content-Type"] = type
        headers["Cookie"] = pair
        let target = "\(Rig.base(address))/sysapproval_approver.do"
        #expect(try await rig.send(.post, target, headers, body: form).status == 403)
      }
      #expect(rig.rig.state(of: id) == "requested")
      let done = try await rig.send(
        .post, "\(origin)/sysapproval_approver.do", ["Origin": origin, "Referer": address, "Content-Type": type],
        body: form)
      #expect(done.status == 200 && rig.rig.state(of: id) == "approved")
    }
  }

  @Test func methodsAndWorkersThatNoPageNeedsAreRefused() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("/welcome.do")
      #expect(try await rig.send(.options, address).status == 405)
      #expect(try await rig.get(address, ["Upgrade": "websocket", "Connection": "Upgrade"]).status == 403)
      #expect(try await rig.get(address, ["Service-Worker": "script"]).status == 403)
      #expect(rig.rig.requests.isEmpty)
    }
  }

  @Test func aHeadHasNoBodyAndTheInstancesStatus() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let address = try await rig.open("/styles/approval.css")
      #expect(try await rig.get(address).status == 200)
      let answer = try await rig.send(.head, address)
      #expect(answer.status == 200 && answer.body.isEmpty)
      #expect(rig.pageRequests.map(\.method) == ["GET", "HEAD"])
    }
  }

  @Test func whateverThePathIsTheRequestGoesToTheInstance() async throws {
    let instance = try StubInstance { request in
      ServerResponse(status: 200, headers: ["Content-Type": "text/plain"], text: request.target)
    }
    try await onLoop { () async throws in
      let rig = try Rig(at: instance.url)
      let base = Rig.base(try await rig.open("/"))
      let port = try required(Rig.origin(base).split(separator: ":").last.flatMap { UInt16($0) })
      let secret = base.dropFirst(Rig.origin(base).count)
      for (target, wanted) in [
        ("//evil.example/x", "//evil.example/x"), ("/../../etc/passwd", "/etc/passwd"), ("/@evil/", "/@evil/"),
        ("/%2e%2e/x", "/%2e%2e/x"), ("/a?b=//evil", "/a?b=//evil"), ("?a=1", "/?a=1"), ("", "/"),
      ] {
        let answer = try await offLoop {
          let connection = try RawConnection(port: port)
          connection.send("GET \(secret)\(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
          return try connection.answer().text
        }
        #expect(answer == wanted, "\(target)")
      }
    }
  }

  // MARK: Ending

  @Test func aClosedPageSaysHowToOpenItAgain() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let first = try await rig.call("web.open", ["url": "/welcome.do"])
      let second = try await rig.open("/welcome.do")
      let address = try required(first["url"]?.string)
      #expect(try await rig.call("web.close", ["page": first["page"] ?? .null])["closed"]?.array?.count == 1)
      let answer = try await rig.get(address)
      #expect(answer.status == 410 && answer.text.string.contains("now.web.open"))
      #expect(try await rig.failure("web.close", ["page": first["page"] ?? .null]).kind == "not-found")
      #expect(try await rig.get(second).status == 200)
      // Nobody listens when no page is open.
      let connection = try RawConnection(to: second)
      #expect(!connection.isClosed)
      try await rig.call("web.close")
      #expect(connection.isClosed)
      #expect(try await rig.call("web.close")["closed"] == [])
    }
  }

  @Test func aPageEndsWhenItIsNotUsedForItsLifetime() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      _ = try await rig.open("/welcome.do", ["lifetime": "12h"])
      let address = try await rig.open("/welcome.do", ["lifetime": "10m"])
      rig.rig.pass(.seconds(590))
      #expect(try await rig.get(address).status == 200)
      rig.rig.pass(.seconds(590))
      #expect(try await rig.get(address).status == 200)
      rig.rig.pass(.seconds(601))
      #expect(try await rig.get(address).status == 410)
    }
  }

  @Test func noUseKeepsAPageForLongerThanTwelveHours() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let opened = try await rig.call("web.open", ["url": "/styles/approval.css", "lifetime": "12h"])
      let address = try required(opened["url"]?.string)
      for _ in 0..<11 {
        rig.rig.pass(.seconds(3600))
        #expect(try await rig.get(address).status == 200)
      }
      let connection = try RawConnection(to: address)
      rig.rig.pass(.seconds(3600))
      #expect(connection.isClosed)
      #expect(rig.rig.clock.pending == 0)
    }
  }

  @Test(arguments: ["0s", "500ms", "13h", "soon"])
  func aLifetimeIsASecondToTwelveHours(_ lifetime: String) async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let error = try await rig.failure("web.open", ["url": "/", "lifetime": .init(lifetime)])
      #expect(error.kind == "invalid-params" && error.message.contains("lifetime"))
    }
  }

  @Test func thereAreAsManyPagesAsThereMayBe() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      for _ in 0..<32 { _ = try await rig.open("/") }
      let error = try await rig.failure("web.open", ["url": "/"])
      #expect(error.kind == "overloaded" && error.message.contains("web.close"))
      #expect(try await rig.call("web.close")["closed"]?.array?.count == 32)
    }
  }

  @Test func whenThePluginStopsItsPagesEnd() async throws {
    try await onLoop { () async throws in
      let rig = try Rig()
      let connection = try RawConnection(to: try await rig.open("/welcome.do"))
      await rig.rig.plugin.stop(isHurried: false)
      #expect(connection.isClosed)
      #expect(try await rig.failure("web.open", ["url": "/"]).kind == "plugin-down")
    }
  }

  /// What the page's button would send.
  static func form(_ page: HTTPResponse, _ id: String) throws -> String {
    let text = page.text.string
    let start = try required(text.firstRange(of: "g_ck = '")?.upperBound)
    return "sys_id=\(id)&sysverb=approve&sysparm_ck=\(text[start...].prefix { $0 != "'" })"
  }
}
