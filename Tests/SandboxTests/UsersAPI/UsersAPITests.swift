import HTTPServer
import JSON
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// The rules of the users API, seen through requests as clients send them.
@Suite struct UsersAPITests {
  private let token = UsersAPIConfiguration().token

  private func state(_ change: (inout UsersAPIConfiguration) -> Void = { _ in }) -> UsersAPIState {
    var configuration = UsersAPIConfiguration()
    configuration.clock = Timestamp(milliseconds: 1_795_996_800_000)
    change(&configuration)
    return UsersAPIState(configuration)
  }

  private func request(
    _ method: String, _ target: String, _ body: String = "", type: String? = "application/json", token: String?,
    _ headers: [(String, String)] = []
  ) throws -> ServerRequest {
    var all = ServerHeaders()
    if let token { all.add("X-Authentication-Token", token) }
    if let type, !body.isEmpty { all.add("Content-Type", type) }
    for (name, value) in headers { all.add(name, value) }
    return try #require(ServerRequest(method: method, target: "/v2\(target)", headers: all, body: Array(body.utf8)))
  }

  private func send(
    _ state: inout UsersAPIState, _ method: String, _ target: String, _ body: String = "",
    type: String = "application/json", _ headers: [(String, String)] = []
  ) throws -> (status: Int, json: JSONValue) {
    let answer = state.process(try request(method, target, body, type: type, token: token, headers))
    return (answer.status, (try? JSONValue(parsing: answer.body)) ?? .null)
  }

  @Test func withoutATokenOrWithAnOldOneNothingIsAnswered() throws {
    var state = state()
    let none = state.process(try request("GET", "/users", token: nil))
    #expect(none.status == 401 && none.body == Array(#"{"message":"Unauthenticated."}"#.utf8))
    let old = state.process(try request("GET", "/users", token: "x"))
    #expect(old.status == 401 && String(decoding: old.body, as: UTF8.self).contains("token_expired"))
  }

  @Test func aSessionGivesATokenUntilItEnds() throws {
    var state = state { $0.switches.tokenLife = .seconds(60) }
    let body = #"{"login": "approver", "password": "let-me-approve"}"#
    let (status, json) = try send(&state, "POST", "/session", body)
    #expect(status == 201)
    let token = try #require(json["data"]?["token"]?.string)
    #expect(state.process(try request("GET", "/users", token: token)).status == 200)
    #expect(state.process(try request("DELETE", "/session", token: token)).status == 204)
    #expect(state.process(try request("GET", "/users", token: token)).status == 401)
    let other = try #require(try send(&state, "POST", "/session", body).json["data"]?["token"]?.string)
    state.clock.advance(by: .seconds(61))
    #expect(state.process(try request("GET", "/users", token: other)).status == 401)
  }

  @Test(arguments: [(false, 429), (true, 423)])
  func moreThanFiveLoginsAMinuteAreTooMany(_ locks: Bool, _ status: Int) throws {
    var state = state { $0.switches.lockout = locks }
    let statuses = try (1...6).map { _ in try send(&state, "POST", "/session", "{}").status }
    #expect(statuses == [401, 401, 401, 401, 401, status])
  }

  @Test(arguments: ["", #"{"name": "x"}"#, #"{"email": "a@b"}"#])
  func aUserNeedsANameAndAnAddress(_ body: String) throws {
    var state = state()
    let (status, json) = try send(&state, "POST", "/users", body)
    #expect(status == 422 && json["error"]?["fields"]?.object?.isEmpty == false && state.users.isEmpty)
  }

  private let multipart = [
    "--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\n佐藤\r\n--b\r\n",
    "Content-Disposition: form-data; name=\"email\"\r\n\r\na@b\r\n--b--\r\n",
  ].joined()

  @Test func aUserComesAsJSONFormOrMultipart() throws {
    var state = state()
    #expect(try send(&state, "POST", "/users", #"{"name": "佐藤", "email": "a@b"}"#).status == 201)
    let form = "name=%E4%BD%90%E8%97%A4&email=a%40b"
    #expect(try send(&state, "POST", "/users", form, type: "application/x-www-form-urlencoded").status == 201)
    #expect(try send(&state, "POST", "/users", multipart, type: "multipart/form-data; boundary=b").status == 201)
    #expect(state.users.map(\.name) == ["佐藤", "佐藤", "佐藤"])
  }

  @Test(arguments: [
    ("\r\n", "\n"), ("--b--\r\n", ""), ("--b--\r\n", "--b--\r\nx"), ("name=\"name\"", "name=name"),
    ("name=\"name\"", "name=\"na\"me\""), ("--b\r\n", "--c\r\n"),
  ])
  func multipartIsReadWithoutMercy(_ part: String, _ other: String) throws {
    var state = state()
    let body = multipart.replacing(part, with: other)
    #expect(try send(&state, "POST", "/users", body, type: "multipart/form-data; boundary=b").status == 400)
  }

  @Test(arguments: [
    (UsersAPISwitches.PatchMultipart.ignore200, 200, "old"), (.parse, 200, "佐藤"), (.refuse, 415, "old"),
  ])
  func multipartOnAPatchIsASwitch(_ mode: UsersAPISwitches.PatchMultipart, _ status: Int, _ name: String) throws {
    var state = state { $0.switches.patchMultipart = mode }
    let id = state.makeUser("old", email: "a@b")
    #expect(
      try send(&state, "PATCH", "/users/\(id)", multipart, type: "multipart/form-data; boundary=b").status == status)
    #expect(state.user(id)?.name == name)
  }

  @Test func aPostCanStandForAPatch() throws {
    var state = state()
    let id = state.makeUser("old", email: "a@b")
    #expect(try send(&state, "POST", "/users/\(id)", #"{"_method": "PATCH", "name": "new"}"#).status == 200)
    #expect(state.user(id)?.name == "new")
    #expect(try send(&state, "POST", "/users/\(id)", #"{"name": "newer"}"#).status == 405)
  }

  @Test func aRemovedUserIsGone() throws {
    var state = state()
    let id = state.makeUser("old", email: "a@b")
    #expect(try send(&state, "DELETE", "/users/\(id)").status == 204)
    #expect(try send(&state, "DELETE", "/users/\(id)").status == 404)
  }

  @Test func anOldVersionIsRefused() throws {
    var state = state()
    let id = state.makeUser("old", email: "a@b")
    let (status, json) = try send(&state, "PATCH", "/users/\(id)", #"{"name": "x"}"#, [("If-Match", "\"no\"")])
    #expect(status == 412 && json["data"]?["name"] == "old")
  }

  @Test(arguments: ["/users%3Fpage=1", "//users"])
  func aPathThatWasGluedTogetherIsAPage(_ target: String) throws {
    var state = state()
    let answer = state.process(try request("GET", target, token: token))
    #expect(answer.status == 404 && answer.headers["Content-Type"]?.hasPrefix("text/html") == true)
  }

  @Test func linkAndMetaAgree() throws {
    var state = state()
    for n in 1...3 { state.makeUser("u\(n)", email: "a@b") }
    let answer = state.process(try request("GET", "/users?per_page=2", token: token))
    #expect(answer.headers["Link"] == "</v2/users?per_page=2&page=2>; rel=\"next\"")
    #expect(try JSONValue(parsing: answer.body)["meta"]?["total"] == 3)
    #expect(try send(&state, "GET", "/users?per_page=201").status == 400)
  }

  @Test func aCursorIsGoodForItsOwnListAndForAWhile() throws {
    var state = state()
    for n in 1...60 { state.makeApproval("Order \(n)") }
    let first = try send(&state, "GET", "/approvals?state=pending").json
    let cursor = try #require(first["meta"]?["next_cursor"]?.string)
    #expect(cursor.contains("+") || cursor.contains("/") || cursor.contains("="))
    let escaped = cursor.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    #expect(try send(&state, "GET", "/approvals?state=pending&cursor=\(escaped)").json["data"]?.array?.count == 10)
    #expect(try send(&state, "GET", "/approvals?cursor=\(escaped)").status == 400)
    #expect(try send(&state, "GET", "/approvals?state=pending&cursor=x\(escaped)").status == 400)
    state.clock.advance(by: .seconds(601))
    #expect(try send(&state, "GET", "/approvals?state=pending&cursor=\(escaped)").status == 410)
  }

  @Test func anApprovalIsDecidedOnceInItsVersion() throws {
    var state = state()
    let id = state.makeApproval("Order")
    let path = "/approvals/\(id)/decision"
    let stale = try send(&state, "POST", path, #"{"decision": "approve", "version": 7}"#)
    #expect(stale.status == 409 && stale.json["data"]?["version"] == 1)
    let body = #"{"decision": "approve", "version": 1}"#
    #expect(try send(&state, "POST", path, body, [("Idempotency-Key", "k")]).status == 200)
    let again = try send(&state, "POST", path, body, [("Idempotency-Key", "k")])
    #expect(again.status == 200 && again.json["data"]?["replayed"] == true)
    let other = #"{"decision": "reject", "version": 1}"#
    #expect(try send(&state, "POST", path, other, [("Idempotency-Key", "k")]).status == 422)
    #expect(try send(&state, "POST", path, body).status == 409)
    #expect(state.approval(id)?.decisions == 1)
  }

  @Test func tooManyRequestsAreToldBySecondsAndDatesByTurns() throws {
    var state = state { $0.switches.rateLimit = 1 }
    let answers = try (1...3).map { _ in state.process(try request("GET", "/users", token: token)) }
    #expect(answers.map(\.status) == [200, 429, 429])
    #expect(answers[1].headers["Retry-After"].flatMap { Int($0) } != nil)
    #expect(answers[2].headers["Retry-After"]?.hasSuffix("GMT") == true)
  }
}
