import JSON
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// The rules of the fact sheet's section B11, whose numbers stand before each test.
@Suite struct TodoistSandboxTests {
  private func started(
    token: String? = nil, _ change: (inout TodoistConfiguration) -> Void = { _ in }
  ) throws -> ServiceClient<TodoistState> {
    var configuration = TodoistConfiguration()
    configuration.clock = Timestamp(rfc3339: "2026-11-30T00:00:00Z")
    change(&configuration)
    let sandbox = TodoistSandbox(configuration)
    try sandbox.start(port: 0, tls: nil)
    return ServiceClient(
      sandbox: sandbox, headers: [("Authorization", "Bearer \(token ?? configuration.token)")])
  }

  /// Rule 1.
  @Test func oldVersionsAreGone() throws {
    let client = try started()
    for path in ["/rest/v2/tasks", "/sync/v8/sync", "/sync/v9/sync"] {
      let answer = try client.send("GET", path)
      #expect(answer.status == 410 && answer.all("Content-Type").first == "text/plain")
    }
  }

  /// Rule 2.
  @Test func aTokenIsNeededAndMayDoWhatItsScopesSay() throws {
    let client = try started()
    let none = try client.send("GET", "user", without: "Authorization")
    #expect(try none.status == 401 && none.json()["error_code"] == 477)
    let token = client.sandbox.with { $0.makeToken(scopes: ["data:read"]) }
    let narrow = ServiceClient(sandbox: client.sandbox, headers: [("Authorization", "Bearer \(token)")])
    #expect(try narrow.send("GET", "tasks").status == 200)
    #expect(try narrow.send("POST", "tasks", ["content": "a"]).status == 403)
  }

  /// Rule 3.
  @Test func pagesFollowEachOtherByCursorsThatStandForOneQuery() throws {
    let client = try started()
    client.sandbox.with { state in for number in 0..<60 { state.makeTask("\(number)") } }
    let first = try client.send("GET", "tasks").json()
    #expect(first["results"]?.array?.count == 50)
    let cursor = try #require(first["next_cursor"]?.string)
    #expect(cursor.contains("+") && cursor.hasSuffix("="))
    let encoded = cursor.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    let second = try client.send("GET", "tasks?cursor=\(encoded)").json()
    #expect(second["results"]?.array?.count == 10 && second["next_cursor"] == .null)
    for query in ["cursor=\(cursor)", "cursor=\(encoded)&label=a", "cursor=x", "limit=201", "limit=0"] {
      #expect(try client.send("GET", "tasks?\(query)").status == 400, "\(query)")
    }
  }

  /// Rules 4 and 5.
  @Test func numericIDsAndPatchesAreRefused() throws {
    let client = try started()
    let id = client.sandbox.with { $0.makeTask("a") }
    #expect(id.count == 16)
    #expect(try client.send("GET", "tasks/\(id)").status == 200)
    #expect(try client.send("GET", "tasks/2995104339").status == 400)
    client.sandbox.with { $0.switches.numericIDStatus = 404 }
    #expect(try client.send("GET", "tasks/2995104339").status == 404)
    #expect(try client.send("PATCH", "tasks/\(id)", ["content": "b"]).status == 405)
    #expect(try client.send("POST", "tasks/\(id)", ["content": "b"]).json()["content"] == "b")
  }

  /// Rules 6 and 7.
  @Test func aCloseMovesARecurringTaskAndADateAloneEndsTheRecurrence() throws {
    let client = try started()
    let (once, again) = client.sandbox.with {
      ($0.makeTask("a", due: "2026-11-30"), $0.makeTask("b", every: "every week"))
    }
    for _ in 0..<2 {
      let answer = try client.send("POST", "tasks/\(once)/close")
      #expect(answer.status == 204 && answer.body.isEmpty)
      _ = try client.send("POST", "tasks/\(again)/close")
    }
    #expect(try client.send("GET", "tasks/\(once)").json()["checked"] == true)
    let moved = try client.send("GET", "tasks/\(again)").json()
    #expect(moved["checked"] == false && moved["due"]?["date"] == "2026-12-14")
    let ended = try client.send("POST", "tasks/\(again)", ["due_date": "2026-12-24"]).json()
    #expect(ended["due"]?["is_recurring"] == false)
    client.sandbox.with { $0.switches.closeStatus = 200 }
    let null = try client.send("POST", "tasks/\(again)/close")
    #expect(try null.status == 200 && null.json() == .null)
  }

  /// Rule 8.
  @Test(arguments: [false, true]) func aRepeatedRequestIDIsCarriedOutOnceWhereTheSwitchSaysSo(_ dedups: Bool) throws {
    let client = try started { $0.switches.dedupsRequestIDs = dedups }
    let ids = try (0..<2).map { _ in
      try client.send("POST", "tasks", ["content": "a"], headers: [("X-Request-Id", "r1")]).json()["id"]
    }
    #expect((ids[0] == ids[1]) == dedups)
    #expect(try client.send("GET", "tasks").json()["results"]?.array?.count == (dedups ? 1 : 2))
  }

  /// Rule 8.
  @Test func aRequestIDHasAtMost36Bytes() throws {
    let client = try started()
    for (length, status) in [(36, 200), (37, 400)] {
      let id = String(repeating: "a", count: length)
      #expect(try client.send("POST", "tasks", ["content": "a"], headers: [("X-Request-Id", id)]).status == status)
    }
  }

  /// Rule 9.
  @Test func aCommandIsCarriedOutOnceAndFailsInsideASuccess() throws {
    let client = try started()
    let id = client.sandbox.with { $0.makeTask("b", every: "every day") }
    let command: JSONValue = ["type": "item_close", "uuid": "u1", "args": ["id": .init(id)]]
    for _ in 0..<2 {
      let answer = try client.send("POST", "sync", ["commands": [command]]).json()
      #expect(answer["sync_status"]?["u1"] == "ok")
    }
    #expect(client.sandbox.with { $0.closings } == [id: 1])
    let unknown = try client.send(
      "POST", "sync", ["commands": [["type": "item_close", "uuid": "u2", "args": ["id": "6Xnowhere0000000"]]]])
    #expect(try unknown.status == 200 && unknown.json()["sync_status"]?["u2"]?["http_code"] == 404)
    let many = JSONValue(array: Array(repeating: command, count: 101))
    #expect(try client.send("POST", "sync", ["commands": many]).status == 400)
    let full = try client.send("POST", "sync", ["sync_token": "old", "resource_types": ["items"]]).json()
    #expect(full["full_sync"] == true && full["items"]?.array?.count == 1)
  }

  /// Rules 10 to 12.
  @Test func requestsTimesAndBodiesHaveLimits() throws {
    let client = try started { $0.switches.rateLimit = 1 }
    #expect(try client.send("GET", "user").status == 200)
    let limited = try client.send("GET", "user")
    #expect(limited.status == 429 && limited.all("Retry-After") == ["900"])
    #expect(try limited.json()["error_extra"]?["retry_after"] == 900)
    client.sandbox.with { $0.switches.limitStyle = .plain }
    let plain = try client.send("GET", "user")
    #expect(String(decoding: plain.body, as: UTF8.self) == "Too Many Requests" && plain.all("Retry-After").isEmpty)
    client.sandbox.with { $0.switches.rateLimit = 100 }
    let range = "since=2026-01-01T00:00:00Z&until=2026-06-01T00:00:00Z"
    #expect(try client.send("GET", "tasks/completed/by_completion_date?\(range)").status == 400)
    let large = JSONValue(String(repeating: "a", count: 1 << 20))
    #expect(try client.send("POST", "tasks", ["content": large]).status == 413)
  }

  @Test func aLoginNeedsTheProofOfItsChallenge() throws {
    let client = try started()
    let query = "client_id=ringi-client-1&scope=data:read_write,data:delete&state=s%201"
    // RFC 7636, appendix B.
    let proof = "code_challenge_method=S256&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    func code() throws -> String {
      let location = try client.send("GET", "/oauth/authorize?\(query)&\(proof)").all("Location").first ?? ""
      return location.split(separator: "code=").last.map { String($0.prefix { $0 != "&" }) } ?? ""
    }
    func exchange(_ more: String) throws -> RawAnswer {
      try client.post(
        form: "client_id=ringi-client-1&client_secret=ringi-secret-1%2F%2B%3D&\(more)", to: "/oauth/access_token")
    }
    #expect(try exchange("code=\(code())").json()["error"] == "bad_authorization_code")
    let verifier = "code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    #expect(try exchange("code=\(code())&\(verifier)").json()["token_type"] == "Bearer")
    client.sandbox.with { $0.switches.grants = false }
    let denied = try client.send("GET", "/oauth/authorize?\(query)").all("Location").first
    #expect(denied == "http://127.0.0.1:17791/callback?error=access_denied&state=s%201")
  }
}
