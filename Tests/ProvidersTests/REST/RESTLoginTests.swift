import EventLoop
import HTTP
import HTTPServer
import JSON
import JSONRPC
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// How an instance shows who it is, and to whom it does not.
@Suite struct RESTLoginTests {
  private static let token = "s3cret-Token/1="

  private static func settings(_ url: String, _ auth: JSONValue) -> JSONValue {
    [
      "url": .init(url), "auth": auth,
      "resources": [
        "thing": [
          "path": "/things",
          "operations": [
            "get": ["method": "GET", "path": "/{id}", "params": ["id": ["type": "string"]]],
            "list": ["method": "GET", "paging": ["by": "link", "id": "/id"]],
            "add": ["method": "POST", "params": ["name": ["type": "string"]]],
            "put": [
              "method": "PUT", "path": "/{id}", "params": ["id": ["type": "string"], "name": ["type": "string"]],
            ],
          ],
        ]
      ],
    ]
  }

  private static let header: JSONValue = [
    "type": "header", "header": "X-Authentication-Token", "token": .init(token),
  ]

  @Test(
    arguments: [
      (header, "X-Authentication-Token", token),
      (["type": "bearer", "token": .init(token)], "Authorization", "Bearer \(token)"),
      (
        ["type": "basic", "user": "ada", "password": .init(token)], "Authorization",
        HTTPHeaders.basic(user: "ada", password: token)
      ),
      (
        ["type": "header", "header": "Authorization", "scheme": "Token", "token": .init(token)], "Authorization",
        "Token \(token)"
      ),
    ] as [(JSONValue, String, String)])
  func theCredentialsGoInTheirHeader(_ auth: JSONValue, _ header: String, _ value: String) async throws {
    let server = try ScriptedServer { _, _ in .data("{}") }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url, auth))
      try await rig.call("thing.get", ["id": "1"])
      #expect(server.requests.map { $0.headers[header] } == [value])
    }
  }

  @Test func withoutATokenNothingIsSent() async throws {
    let server = try ScriptedServer { _, _ in .data("{}") }
    try await onLoop { () async throws in
      let auth: JSONValue = ["type": "bearer", "token": ["env": "NOT_SET"]]
      let rig = try RESTRig(settings: Self.settings(server.url, auth))
      #expect(try await rig.failure("thing.get", ["id": "1"]).kind == "login-required")
      #expect(server.requests.isEmpty)
    }
  }

  /// Pitfall 14 and BR-112.
  @Test(arguments: [301, 302, 303, 307, 308])
  func theTokenNeverFollowsARedirectToAnotherServer(_ status: Int) async throws {
    let other = try ScriptedServer { _, _ in .data("{}") }
    let target = other.url
    let server = try ScriptedServer { _, _ in
      ServerResponse(status: status, headers: ["Location": "\(target)/things/1"])
    }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url, Self.header))
      let error = try await rig.failure("thing.get", ["id": "1"])
      #expect(error.kind == "backend-error" && error.message.contains("another server"), "\(error)")
      _ = try await rig.failure("thing.add", ["name": "x"])
      _ = try await rig.failure("thing.put", ["id": "1", "name": "x"])
      #expect(other.requests.isEmpty)
    }
  }

  /// BR-112.
  @Test(arguments: ["link", "pointer"])
  func theTokenNeverFollowsANextPageToAnotherServer(_ place: String) async throws {
    let other = try ScriptedServer { _, _ in .data("[]") }
    let target = other.url
    let server = try ScriptedServer { _, _ in
      .data(
        #"{"rows": [{"id": 1}], "next": "\#(target)/things?page=2"}"#,
        headers: ["Link": "<\(target)/things?page=2>; rel=\"next\""])
    }
    try await onLoop { () async throws in
      var settings = Self.settings(server.url, Self.header)
      let paging: JSONValue = place == "link" ? ["by": "link"] : ["by": "link", "next": "/next"]
      settings = settings.setting(
        "resources",
        to: [
          "thing": ["operations": ["list": ["method": "GET", "path": "/things", "result": "/rows", "paging": paging]]]
        ])
      let error = try await RESTRig(settings: settings).failure("thing.list")
      #expect(error.kind == "backend-error" && error.message.contains("another server"), "\(error)")
      #expect(other.requests.isEmpty)
    }
  }

  /// Pitfall 13.
  @Test func aReadFollowsRedirectsWithinTheServerWithItsToken() async throws {
    let server = try ScriptedServer { request, _ in
      request.path == "/things/1"
        ? ServerResponse(status: 302, headers: ["Location": "/things/one"]) : .data(#"{"id": 1}"#)
    }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url, Self.header))
      #expect(try await rig.call("thing.get", ["id": "1"]) == ["id": 1])
      #expect(server.requests.map { $0.headers["X-Authentication-Token"] } == [Self.token, Self.token])
    }
  }

  /// BR-112.
  @Test func redirectsInACircleEnd() async throws {
    let server = try ScriptedServer { request, _ in ServerResponse(status: 302, headers: ["Location": "/things/1"]) }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url, Self.header))
      let error = try await rig.failure("thing.get", ["id": "1"])
      #expect(error.kind == "backend-error" && error.message.contains("circle"), "\(error)")
    }
  }

  /// Pitfall 18.
  @Test func aWriteFollowsWhereMethodAndContentStayAndNowhereElse() async throws {
    let server = try ScriptedServer { request, _ in
      request.path == "/things"
        ? ServerResponse(status: 307, headers: ["Location": "/v2/things"]) : .data(#"{"id": 7}"#, status: 201)
    }
    let other = try ScriptedServer { _, _ in ServerResponse(status: 302, headers: ["Location": "/home"]) }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url, Self.header))
      #expect(try await rig.call("thing.add", ["name": "x"]) == ["id": 7])
      #expect(server.requests.map(\.method) == ["POST", "POST"])
      #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == [#"{"name":"x"}"#, #"{"name":"x"}"#])
      let stranger = try RESTRig(settings: Self.settings(other.url, Self.header))
      #expect(try await stranger.failure("thing.add", ["name": "x"]).kind == "outcome-unknown")
      #expect(other.requests.map(\.method) == ["POST"])
    }
  }

  /// BR-092: a login's page is no list.
  @Test func aLoginPageIsNoData() async throws {
    let server = try ScriptedServer { _, _ in .page }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url, Self.header))
      #expect(try await rig.failure("thing.get", ["id": "1"]).kind == "login-required")
      #expect(try await rig.failure("thing.list").kind == "login-required")
    }
  }

  private static let login: JSONValue = [
    "type": "login", "path": "/session", "fields": ["login": "approver"], "secrets": ["password": "let-me-approve"],
    "tokenAt": "/data/token", "expiresAt": "/data/expires_at", "header": "X-Authentication-Token",
  ]

  @Test func aLoginGivesATokenThatIsSharedAndHidden() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig(changing: ["auth": Self.login])
      let calls = (0..<5).map { _ in Loop.task { try await rig.call("user.list") } }
      for call in calls { _ = try await call.value }
      #expect(rig.sandbox?.with { $0.logins } == 1)
      #expect(rig.hidden.count == 1)
    }
  }

  /// Pitfalls 2 and 16.
  @Test func refusalsAtOneTimeLeadToOneLogin() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig(changing: ["auth": Self.login])
      try await rig.call("user.list")
      rig.sandbox?.with { $0.revokeTokens() }
      let calls = (0..<5).map { _ in Loop.task { try await rig.call("user.list") } }
      for call in calls { _ = try await call.value }
      #expect(rig.sandbox?.with { $0.logins } == 2)
    }
  }

  @Test func aTokenIsRenewedBeforeItEndsByTheServicesClock() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig(changing: ["auth": Self.login]) { $0.switches.tokenLife = .seconds(600) }
      try await rig.call("user.list")
      rig.clock.advance(by: .seconds(530))
      try await rig.call("user.list")
      #expect(rig.sandbox?.with { $0.logins } == 1)
      rig.clock.advance(by: .seconds(20))
      try await rig.call("user.list")
      #expect(rig.sandbox?.with { $0.logins } == 2)
      #expect(rig.sandbox?.with { $0.log.entries.allSatisfy { $0.status != 401 } } == true)
    }
  }

  @Test func aWrongPasswordIsLoginRequiredAndTriedOnce() async throws {
    try await onLoop { () async throws in
      let auth = Self.login.setting("secrets", to: ["password": "guess"])
      let rig = try RESTRig(changing: ["auth": auth])
      #expect(try await rig.failure("user.list").kind == "login-required")
      #expect(rig.sandbox?.with { $0.logins } == 1)
    }
  }

  @Test func aLoginByCookiesIsRepeatedWhenItHasEnded() async throws {
    let server = try ScriptedServer { request, number in
      if request.path == "/login" {
        return ServerResponse(status: 302, headers: ["Set-Cookie": "sid=\(number); Path=/", "Location": "/home"])
      }
      // The first session ends after one answer, and shows the login's page.
      return request.headers["Cookie"] == "sid=1" && number > 2 ? .page : .data(#"{"id": 1}"#)
    }
    try await onLoop { () async throws in
      let auth: JSONValue = [
        "type": "cookie", "path": "/login", "body": "form", "fields": ["user": "ada"], "secrets": ["pass": "p+w/d"],
      ]
      let rig = try RESTRig(settings: Self.settings(server.url, auth))
      for _ in 0..<2 { #expect(try await rig.call("thing.get", ["id": "1"]) == ["id": 1]) }
      #expect(server.requests.map(\.path) == ["/login", "/things/1", "/things/1", "/login", "/things/1"])
      #expect(String(decoding: server.requests[0].body, as: UTF8.self) == "user=ada&pass=p%2Bw%2Fd")
      #expect(server.requests.last?.headers["Cookie"] == "sid=4")
    }
  }

  /// BR-112: neither does the password.
  @Test(arguments: ["login", "cookie"], [302, 307, 308])
  func aLoginFollowsToNoOtherServer(_ type: String, _ status: Int) async throws {
    let other = try ScriptedServer { _, _ in .data(#"{"token": "t"}"#) }
    let target = other.url
    let server = try ScriptedServer { _, _ in
      ServerResponse(status: status, headers: ["Location": "\(target)/session"])
    }
    try await onLoop { () async throws in
      let more: JSONValue = type == "login" ? ["tokenAt": "/token"] : [:]
      let auth: JSONValue = ["type": .init(type), "path": "/session", "secrets": ["password": "let-me-in"]]
      let rig = try RESTRig(settings: Self.settings(server.url, auth.merging(more)))
      _ = try await rig.failure("thing.get", ["id": "1"])
      #expect(other.requests.isEmpty && server.requests.map(\.path) == ["/session"])
    }
  }

  /// BR-079: where the token comes from the same server.
  @Test func whileTheServiceRestsItsOwnLoginServerIsNotAskedEither() async throws {
    let server = try ScriptedServer { request, _ in
      request.path == "/token"
        ? .data(#"{"access_token": "abcd-efgh", "expires_in": 600}"#)
        : .data("{}", status: 429, headers: ["Retry-After": "3600"])
    }
    try await onLoop { () async throws in
      let auth: JSONValue = [
        "type": "oauth", "tokenUrl": .init("\(server.url)/token"), "clientId": "id", "clientSecret": "s3cret",
      ]
      let rig = try RESTRig(settings: Self.settings(server.url, auth))
      #expect(try await rig.failure("thing.get", ["id": "1"]).retryAfter == 3600)
      rig.clock.advance(by: .seconds(700))
      let error = try await rig.failure("thing.get", ["id": "1"])
      #expect(error.kind == "unavailable" && error.retryAfter == 2900)
      #expect(server.requests.map(\.path) == ["/token", "/things/1"])
    }
  }

  @Test func aClientOfALoginServerSendsItsTokenToTheServiceAlone() async throws {
    let issuer = try ScriptedServer { _, _ in .data(#"{"access_token": "abcd-efgh", "token_type": "bearer"}"#) }
    let server = try ScriptedServer { _, _ in .data("{}") }
    try await onLoop { () async throws in
      let auth: JSONValue = [
        "type": "oauth", "tokenUrl": .init("\(issuer.url)/token"), "clientId": "id", "clientSecret": "s3cret",
        "scope": "read",
      ]
      let rig = try RESTRig(settings: Self.settings(server.url, auth))
      try await rig.call("thing.get", ["id": "1"])
      #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer abcd-efgh"])
      #expect(String(decoding: issuer.requests[0].body, as: UTF8.self) == "grant_type=client_credentials&scope=read")
      #expect(rig.hidden == ["abcd-efgh"])
    }
  }

  @Test(arguments: [
    header, ["type": "bearer", "token": .init(token)], ["type": "basic", "user": "ada", "password": "x"],
  ])
  func aCredentialThatIsRefusedGoesOutOncePerRequest(_ auth: JSONValue) async throws {
    let server = try ScriptedServer { _, _ in .data("{}", status: 401) }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url, auth))
      for count in 1...2 {
        #expect(try await rig.failure("thing.get", ["id": "1"]).kind == "login-required")
        #expect(server.requests.count == count)
      }
    }
  }

  @Test(arguments: [
    ServerResponse.data("{}", status: 400), .data("{}", status: 401), .data("{}", status: 403),
    .data("{}", status: 423),
    .data(#"{"error": "no"}"#),
  ])
  func aRefusedLoginIsNotSentAgain(_ answer: ServerResponse) async throws {
    let server = try ScriptedServer { _, _ in answer }
    try await onLoop { () async throws in
      for auth in [Self.login, Self.cookie] {
        let rig = try RESTRig(settings: Self.settings(server.url, auth))
        let count = server.requests.count
        for _ in 0..<3 {
          let error = try await rig.failure("thing.get", ["id": "1"])
          #expect(error.kind == "login-required" && error.message.contains("not sent again"), "\(error)")
        }
        #expect(server.requests.count == count + 1)
      }
    }
  }

  @Test(arguments: ["login", "cookie", "oauth"])
  func anotherSecretIsAnotherTry(_ type: String) async throws {
    let server = try ScriptedServer { request, _ in
      if request.method == "GET" { return .data("{}") }
      guard String(decoding: request.body, as: UTF8.self).contains("right") else { return .data("{}", status: 400) }
      return .data(
        #"{"data": {"token": "t"}, "access_token": "t"}"#, headers: ["Set-Cookie": "SID=1; Path=/"])
    }
    let secret: JSONValue = ["env": "PASSWORD"]
    let auth: JSONValue =
      type == "oauth"
      ? [
        "type": "oauth", "tokenUrl": .init("\(server.url)/token"), "clientId": "id", "clientSecret": secret,
        "credentials": "body",
      ] : (type == "login" ? Self.login : Self.cookie).setting("secrets", to: ["pass": secret])
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url, auth))
      rig.environment["PASSWORD"] = "wrong"
      for _ in 0..<2 { #expect(try await rig.failure("thing.get", ["id": "1"]).kind == "login-required") }
      rig.environment["PASSWORD"] = "right"
      try await rig.call("thing.get", ["id": "1"])
      #expect(server.requests.map(\.method) == ["POST", "POST", "GET"])
    }
  }

  @Test func aLoginThatIsNotThereIsTriedAgain() async throws {
    let server = try ScriptedServer { _, n in n == 1 ? .data("{}", status: 404) : .data(#"{"data": {"token": "t"}}"#) }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url, Self.login))
      _ = try await rig.failure("thing.get", ["id": "1"])
      try await rig.call("thing.get", ["id": "1"])
    }
  }

  private static let cookie: JSONValue = [
    "type": "cookie", "path": "/login", "body": "form", "secrets": ["pass": "p+w/d-long-enough"],
  ]

  /// As web forms do it: everybody has a session.
  @Test(arguments: ["/login?error", "/login", "login/"])
  func aLoginThatLeadsBackToItselfIsRefusedAndNotSentAgain(_ location: String) async throws {
    let server = try ScriptedServer { request, _ in
      request.method == "POST"
        ? ServerResponse(status: 302, headers: ["Location": location, "Set-Cookie": "SID=anonymous; Path=/"]) : .page
    }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url, Self.cookie))
      for _ in 0..<3 { #expect(try await rig.failure("thing.get", ["id": "1"]).kind == "login-required") }
      #expect(server.requests.map(\.path) == ["/login"])
    }
  }

  @Test func theSettingsCanNameTheCookieOfAGoodLogin() async throws {
    let server = try ScriptedServer { request, n in
      guard request.method == "POST" else { return .data("{}") }
      var headers: ServerHeaders = ["Location": "/login", "Set-Cookie": "SID=anonymous; Path=/"]
      if n > 1 { headers.add("Set-Cookie", "auth=yes; Path=/") }
      return ServerResponse(status: 303, headers: headers)
    }
    try await onLoop { () async throws in
      let settings = Self.settings(server.url, Self.cookie.merging(["cookie": "auth"]))
      let refused = try await RESTRig(settings: settings).failure("thing.get", ["id": "1"])
      #expect(refused.kind == "login-required")
      try await RESTRig(settings: settings).call("thing.get", ["id": "1"])
    }
  }

  @Test func aSessionThatNeverLetAnybodyInIsNoReasonForAnotherLogin() async throws {
    let server = try ScriptedServer { request, _ in
      request.method == "POST"
        ? ServerResponse(status: 302, headers: ["Location": "/login.jsp?error", "Set-Cookie": "SID=anonymous; Path=/"])
        : .page
    }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url, Self.cookie))
      for _ in 0..<3 { #expect(try await rig.failure("thing.get", ["id": "1"]).kind == "login-required") }
      #expect(server.requests.filter { $0.method == "POST" }.count == 1)
    }
  }

  @Test func cookiesAreHiddenThoseOfLaterAnswersToo() async throws {
    let server = try ScriptedServer { request, n in
      request.method == "POST"
        ? .data("{}", headers: ["Set-Cookie": "SID=s3ss10n-c00kie-value; Path=/"])
        : .data("{}", headers: ["Set-Cookie": "LATER=another-c00kie-value; Path=/"])
    }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url, Self.cookie))
      try await rig.call("thing.get", ["id": "1"])
      #expect(rig.hidden == ["s3ss10n-c00kie-value", "another-c00kie-value"])
    }
  }

  @Test(arguments: ["2026-01-01T00:00:00Z", "0000-01-01T00:00:00Z"])
  func aTokenThatHasEndedByItsOwnTimeIsUsedUntilItIsRefused(_ end: String) async throws {
    let server = try ScriptedServer { request, n in
      if request.path == "/session" { return .data(#"{"data": {"token": "token-\#(n)", "expires_at": "\#(end)"}}"#) }
      return .data("{}", status: n == 5 ? 401 : 200)
    }
    try await onLoop { () async throws in
      let rig = try RESTRig(settings: Self.settings(server.url, Self.login))
      for _ in 0..<4 { try await rig.call("thing.get", ["id": "1"]) }
      #expect(
        server.requests.map { $0.headers["X-Authentication-Token"] ?? "login" } == [
          "login", "token-1", "token-1", "token-1", "token-1", "login", "token-6",
        ])
      #expect(rig.logged.filter { $0.hasPrefix("warning") }.count == 1)
    }
  }

  @Test func aTokenOfAShortLifeIsUsedForTenSeconds() async throws {
    try await onLoop { () async throws in
      let rig = try RESTRig(changing: ["auth": Self.login]) { $0.switches.tokenLife = .seconds(2) }
      rig.sandbox?.with { state in for n in 1...250 { state.makeUser("User \(n)", email: "u\(n)@acme.example") } }
      try await rig.call("user.list")
      rig.clock.advance(by: .seconds(9))
      try await rig.call("user.list")
      #expect(rig.sandbox?.with { $0.logins } == 1)
      rig.clock.advance(by: .seconds(1))
      try await rig.call("user.list")
      #expect(rig.sandbox?.with { $0.logins } == 2)
    }
  }

  @Test func theNextPageOfTheSandboxMayLeadElsewhereAndIsNotFetched() async throws {
    let other = try ScriptedServer { _, _ in .data("[]") }
    let target = other.url
    try await onLoop { () async throws in
      let list: JSONValue = ["method": "GET", "result": "/data", "paging": ["by": "link", "id": "/id"]]
      let resources: JSONValue = ["user": ["path": "/users", "operations": ["list": list]]]
      let sandbox = try required(RESTRig { $0.switches.linkForeign = target }.sandbox)
      let auth: JSONValue = [
        "type": "header", "header": "X-Authentication-Token", "token": .init(UsersAPIConfiguration().token),
      ]
      let rig = try RESTRig(
        settings: ["url": .init(sandbox.baseURL), "auth": auth, "resources": resources], sandbox: sandbox)
      rig.sandbox?.with { state in for n in 1...250 { state.makeUser("User \(n)", email: "u\(n)@acme.example") } }
      let error = try await rig.failure("user.list")
      #expect(error.message.contains("another server") && other.requests.isEmpty, "\(error)")
    }
  }
}
