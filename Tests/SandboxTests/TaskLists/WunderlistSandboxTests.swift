import JSON
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// The rules of the fact sheet's section A8, whose numbers stand before each test.
@Suite struct WunderlistSandboxTests {
  private func started(
    _ change: (inout WunderlistConfiguration) -> Void = { _ in }
  ) throws -> ServiceClient<WunderlistState> {
    var configuration = WunderlistConfiguration()
    configuration.clock = Timestamp(rfc3339: "2026-11-30T00:00:00Z")
    change(&configuration)
    let sandbox = WunderlistSandbox(configuration)
    try sandbox.start(port: 0, tls: nil)
    return ServiceClient(
      sandbox: sandbox,
      headers: [("X-Access-Token", configuration.token), ("X-Client-ID", configuration.clientID)])
  }

  private func type(_ answer: RawAnswer) -> String? { (try? answer.json())?["error"]?["type"]?.string }

  /// Rule 1.
  @Test func bothHeadersAreNeeded() throws {
    let client = try started()
    for header in ["X-Access-Token", "X-Client-ID"] {
      #expect(try client.send("GET", "user", without: header).status == 401)
    }
    client.sandbox.with { $0.switches.missingAuth500 = true }
    let answer = try client.send("GET", "user", without: "X-Access-Token")
    #expect(try answer.status == 500 && answer.json()["error"]?["authentication"] == ["missing"])
  }

  /// Rules 2 to 5.
  @Test func aBodyIsJSONWithMembersOfTheirTypes() throws {
    let client = try started()
    let list = client.sandbox.with { $0.makeList("a") }
    #expect(try client.send("POST", "lists", ["title": "a"], type: "text/plain").status == 400)
    #expect(try client.send("POST", "lists", ["title": "a"], type: "application/json; charset=utf-8").status == 201)
    #expect(try client.send("POST", "lists", ["title": nil]).status == 400)
    #expect(try client.send("POST", "lists", "no object").json()["error"] == "bad_request")
    let wrong = try client.send("POST", "tasks", ["list_id": .init("\(list)"), "title": "a", "completed": "true"])
    let error = try wrong.json()["error"]
    #expect(wrong.status == 400 && error?["list_id"] == ["required"] && error?["completed"] == ["required"])
    let long = try client.send("POST", "lists", ["title": .init(String(repeating: "a", count: 256))])
    #expect(long.status == 422 && type(long) == "validation_error")
  }

  /// Rules 7 and 8.
  @Test func aChangeNeedsTheRevisionOfNowAndRisesToTheRootLater() throws {
    let client = try started { $0.switches.bubbleDelay = .after(.seconds(3)) }
    let list = client.sandbox.with { $0.makeList("a") }
    let id = client.sandbox.with { $0.makeTask("a", list: list) }
    client.sandbox.with { $0.clock.advance(by: .seconds(5)) }
    let (root, revision) = client.sandbox.with { ($0.rootRevision, $0.task(id)?.revision ?? 0) }
    #expect(try client.send("PATCH", "tasks/\(id)", ["title": "b"]).status == 400)
    for wrong in [revision - 1, revision + 1] {
      let answer = try client.send("PATCH", "tasks/\(id)", ["title": "b", "revision": .init(wrong)])
      #expect(try answer.status == 409 && answer.json()["error"]?["revision_conflict"] == true)
    }
    let changed = try client.send("PATCH", "tasks/\(id)", ["title": "b", "revision": .init(revision)])
    let rise = (try changed.json()["revision"]?.int ?? 0) - revision
    #expect((1...3).contains(rise))
    #expect(client.sandbox.with { $0.rootRevision } == root)
    client.sandbox.with { $0.clock.advance(by: .seconds(3)) }
    #expect(client.sandbox.with { $0.rootRevision } > root)
  }

  /// Rules 9 and 10.
  @Test func aDeletionNeedsTheRevisionAndAListItsID() throws {
    let client = try started()
    let list = client.sandbox.with { $0.makeList("a") }
    let id = client.sandbox.with { $0.makeTask("a", list: list) }
    let revision = client.sandbox.with { $0.task(id)?.revision ?? 0 }
    #expect(try client.send("DELETE", "tasks/\(id)").status == 400)
    let answer = try client.send("DELETE", "tasks/\(id)?revision=\(revision)")
    #expect(answer.status == 204 && answer.body.isEmpty)
    #expect(try client.send("DELETE", "tasks/\(id)?revision=\(revision)").status == 404)
    #expect(try client.send("GET", "tasks").status == 400)
    #expect(try client.send("GET", "tasks?list_id=7").status == 404)
    #expect(try client.send("GET", "reminders/1").status == 404)
  }

  /// Rules 6 and 13.
  @Test func whatIsNotSetIsMissingAndTheTitleStays() throws {
    let client = try started()
    let list = client.sandbox.with { $0.makeList("a") }
    let made = try client.send(
      "POST", "tasks", ["list_id": .init(list), "title": "a", "due_date": "2026-11-30", "unknown": 7]
    ).json()
    #expect(made["completed"] == nil && made["due_date"] == "2026-11-30" && made["assignee_id"] == nil)
    let (id, revision) = (made["id"] ?? .null, made["revision"] ?? .null)
    let title = try client.send("PATCH", "tasks/\(id)", ["revision": revision, "remove": ["title"]])
    #expect(type(title) == "validation_error")
    #expect(try client.send("PATCH", "tasks/\(id)", ["revision": revision, "recurrence_type": "day"]).status == 422)
    let removed = try client.send("PATCH", "tasks/\(id)", ["revision": revision, "remove": ["due_date"]]).json()
    #expect(removed["due_date"] == nil)
  }

  /// Rules 14 and 15.
  @Test func aLoginTakesTheRegisteredCallbackAndACodeOnce() throws {
    let client = try started()
    let configuration = WunderlistConfiguration()
    let callback = "http%3A%2F%2F127.0.0.1%3A17790%2Fcallback"
    for query in [
      "", "?client_id=ringi-client-1&state=a", "?client_id=ringi-client-1&state=a&redirect_uri=http%3A%2F%2Fa",
    ] {
      let answer = try client.send("GET", "/oauth/authorize\(query)")
      #expect(answer.status == 403 && answer.all("Location").isEmpty)
    }
    let answer = try client.send(
      "GET", "/oauth/authorize?client_id=ringi-client-1&redirect_uri=\(callback)&state=a%26b%3D%20c")
    let location = try #require(answer.all("Location").first)
    let code = try #require(location.split(separator: "&code=").last.map(String.init))
    #expect(location.hasPrefix("http://127.0.0.1:17790/callback?state=a%26b%3D%20c&code="))
    let exchange: JSONValue = [
      "client_id": .init(configuration.clientID), "client_secret": .init(configuration.clientSecret),
      "code": .init(code),
    ]
    let form = try client.send("POST", "/oauth/access_token", exchange, type: "application/x-www-form-urlencoded")
    #expect(form.status == 400 && type(form) == "missing_data")
    let token = try client.send("POST", "/oauth/access_token", exchange).json()
    #expect(token["access_token"]?.string?.count == 48 && token.object?.count == 1)
    let second = try client.send("POST", "/oauth/access_token", exchange)
    #expect(try second.status == 400 && second.json() == [:])
  }

  @Test func theTokenEndpointTakesAFormWhereTheSwitchSaysSo() throws {
    let client = try started { $0.switches.legacyFormOk = true }
    let callback = "http%3A%2F%2F127.0.0.1%3A17790%2Fcallback"
    let answer = try client.send("GET", "/oauth/authorize?client_id=ringi-client-1&redirect_uri=\(callback)&state=a")
    let code = try #require(answer.all("Location").first?.split(separator: "&code=").last)
    let secret = WunderlistConfiguration().clientSecret.utf8.map { "%" + String($0, radix: 16) }.joined()
    let token = try client.post(
      form: "client_id=ringi-client-1&client_secret=\(secret)&code=\(code)", to: "/oauth/access_token")
    #expect(try token.json()["access_token"]?.string?.count == 48)
  }
}
