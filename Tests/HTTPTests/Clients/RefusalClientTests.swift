import EventLoop
import HTTP
import RingiTestSupport
import Testing

@Suite struct RefusalClientTests {
  private func answer(_ status: Int) throws -> Result<HTTPResponse, HTTPError> {
    .success(HTTPResponse(status: status, url: try HTTPURL("http://h/")))
  }

  private func request(_ password: String, path: String = "", cookies: CookieJar? = nil) throws -> HTTPRequest {
    HTTPRequest(
      .get, try HTTPURL("http://h/\(path)"), headers: ["Authorization": password, "Accept": "text/plain"],
      cookies: cookies)
  }

  @Loop private func check(_ client: RefusalClient, _ request: HTTPRequest) async throws -> (Int, isRemembered: Bool) {
    let trace = HTTPTrace(clock: TestClock())
    let status = try await HTTPTrace.$current.withValue(trace) { try await client.send(request).status }
    return (status, trace.exchanges.contains(where: \.isRemembered))
  }

  @Test func whatWasRefusedIsNotSentByACheckUntilACallSucceeds() async throws {
    try await onLoop { () async throws in
      let stub = StubClient(try answer(401), try answer(401), try answer(200), try answer(200))
      let client = RefusalClient(stub)
      _ = try await client.send(request("a"))
      // Wherever it goes at the server, it is the same login.
      #expect(try await check(client, request("a", path: "other")) == (401, true))
      #expect(stub.requests.count == 1)
      _ = try await client.send(request("a"))
      #expect(stub.requests.count == 2)
      _ = try await client.send(request("a"))
      #expect(try await check(client, request("a")) == (200, false))
    }
  }

  @Test func otherCredentialsAreSent() async throws {
    try await onLoop { () async throws in
      let client = RefusalClient(StubClient(try answer(401), try answer(200)))
      _ = try await client.send(request("a"))
      #expect(try await check(client, request("b")) == (200, false))
    }
  }

  @Test func aFormIsKnownByWhatIsInIt() async throws {
    try await onLoop { () async throws in
      let client = RefusalClient(StubClient(try answer(400), try answer(200)))
      func form(_ password: String) throws -> HTTPRequest {
        var form = HTTPRequest(.post, try HTTPURL("http://h/token"))
        form.setBody(form: [("password", password)])
        return form
      }
      _ = try await client.send(form("a"))
      #expect(try await check(client, form("a")) == (400, true))
      #expect(try await check(client, form("b")) == (200, false))
    }
  }

  @Test func onlySoManyRefusalsAreKept() async throws {
    try await onLoop { () async throws in
      let stub = StubClient(.success(HTTPResponse(status: 200, url: try HTTPURL("http://h/"))))
      let client = RefusalClient(stub)
      let refusal = try answer(401).get()
      for number in 0...16 { client.remember(refusal, to: try request(String(number))) }
      for kept in ["16", "1"] { #expect(try await check(client, request(kept)) == (401, true)) }
      #expect(try await check(client, request("0")) == (200, false))
    }
  }
}
