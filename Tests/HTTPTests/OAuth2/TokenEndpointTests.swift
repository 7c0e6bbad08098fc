import EventLoop
import HTTPServer
import RingiTestSupport
import Testing
import Timing

@testable import HTTP

@Suite struct TokenEndpointTests {
  private let id = "sb-clone!b55889|workflow!b10150"
  private let secret = "s3c$r_e-t=/ä"

  @Loop private func endpoint(
    _ server: LoopbackServer, _ authentication: TokenEndpoint.Authentication = .basic
  ) throws -> TokenEndpoint {
    TokenEndpoint(
      url: try server.address("/oauth/token"), clientID: id, authentication: authentication, client: client(),
      clock: TestClock()
    ) { [secret] in secret }
  }

  private func answer(_ body: String, status: Int = 200, type: String = "application/json") throws -> LoopbackServer {
    try LoopbackServer { _ in ServerResponse(status: status, headers: ["Content-Type": type], text: body) }
  }

  /// The error that an answer leads to, or nil when it is a token.
  private func failure(_ body: String, status: Int = 200, type: String = "application/json") async throws -> TokenError?
  {
    let server = try answer(body, status: status, type: type)
    return try await onLoop {
      let grant = ClientCredentials(try endpoint(server))
      do throws(TokenError) {
        _ = try await grant.fetch()
        return nil
      } catch {
        return error
      }
    }
  }

  @Test func aRequestTakesNoLongerThanTheSettingsSay() async throws {
    try await onLoop {
      let stub = StubClient(.failure(HTTPError(.timeout(.total))))
      let timeouts = HTTPRequest.Timeouts(connect: .seconds(1), idle: .seconds(2), total: .seconds(3))
      let endpoint = TokenEndpoint(
        url: try HTTPURL("http://h/t"), clientID: id, timeouts: timeouts, client: stub, clock: TestClock()
      ) { "s" }
      await #expect(throws: TokenError.self) { try await ClientCredentials(endpoint).fetch() }
      #expect(stub.requests.map(\.timeouts) == [timeouts])
    }
  }

  @Test func theHeaderCarriesIdAndSecretAsTheyAre() async throws {
    let seen = Notes<ServerRequest>()
    let server = try LoopbackServer { request in
      seen.add(request)
      return ServerResponse(status: 200, headers: ["Content-Type": "application/json"], text: #"{"access_token":"x"}"#)
    }
    try await onLoop { _ = try await ClientCredentials(try endpoint(server), scope: "a b").fetch() }
    let request = try #require(seen.all.first)
    #expect(request.headers["Authorization"] == HTTPHeaders.basic(user: id, password: secret))
    #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
    #expect(request.body == Array("grant_type=client_credentials&scope=a%20b".utf8))
  }

  @Test func aUsersPasswordGoesIntoTheForm() async throws {
    let seen = Notes<ServerRequest>()
    let server = try LoopbackServer { request in
      seen.add(request)
      return ServerResponse(status: 200, headers: ["Content-Type": "application/json"], text: #"{"access_token":"x"}"#)
    }
    try await onLoop {
      _ = try await PasswordCredentials(try endpoint(server), user: "a b", scope: "s") { "p&w" }.fetch()
    }
    let body = try #require(seen.all.first).body
    #expect(String(decoding: body, as: UTF8.self) == "grant_type=password&username=a%20b&password=p%26w&scope=s")
  }

  @Test func aPasswordThatCannotBeReadNeedsALogin() async throws {
    struct Unreadable: Error {}
    let server = try answer(#"{"access_token":"x"}"#)
    let error = try await onLoop { () async throws -> TokenError? in
      let grant = PasswordCredentials(try endpoint(server), user: "a") { throw Unreadable() }
      do throws(TokenError) {
        _ = try await grant.fetch()
        return nil
      } catch {
        return error
      }
    }
    #expect(error?.needsLogin == true)
  }

  @Test func theFormCarriesIdAndSecretEncoded() async throws {
    let seen = Notes<ServerRequest>()
    let server = try LoopbackServer { request in
      seen.add(request)
      return ServerResponse(status: 200, headers: ["Content-Type": "application/json"], text: #"{"access_token":"x"}"#)
    }
    try await onLoop { _ = try await ClientCredentials(try endpoint(server, .body)).fetch() }
    let request = try #require(seen.all.first)
    #expect(request.headers["Authorization"] == nil)
    let form = try #require(ServerRequest.queryItems(Substring(decoding: request.body, as: UTF8.self)))
    #expect(form.first { $0.name == "client_id" }?.value == id)
    #expect(form.first { $0.name == "client_secret" }?.value == secret)
  }

  @Test func aCodeIsExchangedByAPublicClientWithItsProofKeyAlone() async throws {
    let seen = Notes<ServerRequest>()
    let server = try LoopbackServer { request in
      seen.add(request)
      return ServerResponse(
        status: 200, headers: ["Content-Type": "application/json"], text: #"{"access_token":"x","refresh_token":"r"}"#)
    }
    let answer = try await onLoop { () async throws in
      try await endpoint(server, .none).exchange(code: "c&d", redirect: "http://127.0.0.1:1/a", verifier: "v~w")
    }
    #expect(answer.token.value == "x" && answer.refreshToken == "r")
    let request = try #require(seen.all.first)
    #expect(request.headers["Authorization"] == nil)
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == "grant_type=authorization_code&code=c%26d&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fa&code_verifier=v~w"
        + "&client_id=sb-clone%21b55889%7Cworkflow%21b10150")
  }

  @Test(arguments: [
    (#"{"access_token":"x","token_type":"bearer","expires_in":43199}"#, 43_139),
    (#"{"access_token":"x","token_type":"BEARER","expires_in":"3600"}"#, 3540),
    (#"{"access_token":"x","expires_in":3600.9}"#, 3540), (#"{"access_token":"x","expires_in":-1}"#, 0),
    (#"{"access_token":"x","expires_in":1e300}"#, nil), (#"{"access_token":"x","expires_in":null}"#, nil),
    (#"{"access_token":"x"}"#, nil),
  ])
  func aTokensLifeIsReadInTheFormsThatServersWrite(_ body: String, _ usable: Int64?) async throws {
    let server = try answer(body)
    try await onLoop {
      let token = try await ClientCredentials(try endpoint(server)).fetch()
      #expect(token.value == "x")
      #expect(token.renewAt == usable.map { TestClock().now + .seconds($0) })
    }
  }

  @Test(arguments: [
    ("invalid_request", 400), ("invalid_client", 401), ("invalid_grant", 400), ("unauthorized_client", 400),
    ("unsupported_grant_type", 400), ("invalid_scope", 400),
  ])
  func theStandardsErrorsAreToldApart(_ code: String, _ status: Int) async throws {
    let error = try await failure(#"{"error":"\#(code)","error_description":"secret s3c$r_e-t=/ä"}"#, status: status)
    #expect(error == .refused(status: status, code: code))
    #expect(error?.needsLogin == true)
    #expect("\(error.map(String.init(describing:)) ?? "")".contains(code))
    #expect(!"\(error.map(String.init(describing:)) ?? "")".contains("s3c$r"))
  }

  @Test func aRefusalInHTMLIsARefusal() async throws {
    #expect(try await failure("<html>no</html>", status: 401, type: "text/html") == .refused(status: 401, code: nil))
  }

  @Test(arguments: [429, 500, 503])
  func aServerInTroubleIsNoRefusal(_ status: Int) async throws {
    #expect(try await failure("", status: status) == .unavailable(status: status, retryAfter: nil))
  }

  @Test(arguments: [
    ("<html>login</html>", "text/html"), (#"{"access_token":"x"}"#, "text/html"), ("not json", "application/json"),
    ("[]", "application/json"), (#"{"access_token":""}"#, "application/json"),
    (#"{"access_token":7}"#, "application/json"),
    (#"{"access_token":"x","token_type":"mac"}"#, "application/json"),
  ])
  func whatIsNoTokenIsNotTakenForOne(_ body: String, _ type: String) async throws {
    guard case .unusable(200, _) = try await failure(body, type: type) else {
      Issue.record("it was taken for a token"); return
    }
  }

  @Test func aRedirectIsNotFollowed() async throws {
    guard case .unusable(302, _) = try await failure("", status: 302) else { Issue.record("it was followed"); return }
  }
}
