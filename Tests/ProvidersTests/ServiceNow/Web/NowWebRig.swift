import EventLoop
import Glibc
import HTTP
import HTTPServer
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiTestSupport
import Sandbox
import Synchronization

/// An instance's pages, and a browser in front of them.
@Loop final class NowWebRig {
  let rig: ServiceNowRig
  let browser = CurlClient(userAgent: "Browser/1")

  /// - Parameters:
  ///   - login: How to log in.
  ///   - instance: Another server in the sandbox's place.
  ///   - settings: Added to the settings.
  ///   - change: What the sandbox begins with.
  /// - Throws: What the sandbox or the plugin says.
  init(
    _ login: String = "password", at instance: String? = nil, settings: JSONValue = [:],
    change: (inout ServiceNowConfiguration) -> Void = { _ in }
  ) throws {
    rig = try ServiceNowRig(
      login, settings: instance.map { settings.setting("url", to: .init($0)) } ?? settings, change: change)
  }

  // MARK: Calling

  /// Calls a method while the clocks stand still.
  @discardableResult
  func call(_ name: String, _ params: JSONValue = [:]) async throws -> JSONValue {
    let method = try required(rig.plugin.methods.first { $0.name == "now.\(name)" })
    let result = try await method.invoke(params, Call(origin: .owner(causes: [])))
    let violations = method.result.validate(result)
    guard violations.isEmpty else { throw Unexpected("\(name) gave \(violations)") }
    return result
  }

  func failure(_ name: String, _ params: JSONValue) async throws -> RPCError {
    do {
      throw Unexpected("it gave \(try await call(name, params))")
    } catch let error as RPCError {
      return error
    }
  }

  /// Opens a page.
  ///
  /// - Returns: Its address.
  func open(_ url: String, _ more: JSONValue = [:]) async throws -> String {
    try required(try await call("web.open", more.merging(["url": .init(url)]))["url"]?.string)
  }

  /// Logs somebody in with a browser.
  func logIn(as user: String) async throws {
    rig.sandbox.with { $0.loggedInUser = user }
    let login = try required(rig.plugin.login)
    // Verifier and challenge of RFC 7636, appendix B.
    let page = try login.page(state: "s", challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    let location = try required(try await get(page.text).headers["Location"])
    let code = String(try required(location.split(separator: "code=").last))
    _ = try await login.logIn(code: code, verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
  }

  // MARK: Browsing

  /// Sends a request as given; redirects are not followed.
  func send(
    _ method: HTTPMethod, _ address: String, _ headers: HTTPHeaders = [:], body: String? = nil
  ) async throws -> HTTPResponse {
    // Many tests share the loop's thread, and the requests of a page wait for each other.
    let patience = HTTPRequest.Timeouts(connect: .seconds(300), idle: .seconds(300), total: .seconds(300))
    return try await browser.send(
      HTTPRequest(
        method, HTTPURL(address), headers: headers, body: body.map { Array($0.utf8) }, timeouts: patience))
  }

  func get(_ address: String, _ headers: HTTPHeaders = [:]) async throws -> HTTPResponse {
    try await send(.get, address, headers)
  }

  /// Scheme, address and port of a page's address.
  nonisolated static func origin(_ address: String) -> String {
    address.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
  }

  /// The address with the page's secret, without what the instance sees of it.
  nonisolated static func base(_ address: String) -> String {
    address.split(separator: "/", omittingEmptySubsequences: false).prefix(4).joined(separator: "/")
  }

  /// The headers of a browser that loads a page.
  nonisolated static let navigation: HTTPHeaders = [
    "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "none", "Accept": "text/html",
  ]

  /// The headers of a browser in which the page at `address` asks for something.
  nonisolated static func fetch(from address: String) -> HTTPHeaders {
    ["Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty", "Sec-Fetch-Site": "same-origin", "Referer": address]
  }

  // MARK: Seeing

  /// The requests for pages that the sandbox has seen.
  var pageRequests: [ServerRequest] { rig.entries.map(\.request).filter { !$0.path.hasPrefix("/oauth") } }

  var bearers: Int { pageRequests.count { $0.headers["Authorization"] != nil } }

  /// The events of the pages, by their types, once there are so many.
  func events(_ count: Int) async -> [String] {
    while rig.events.count < count { await Task.yield() }
    return rig.events.map(\.type.rawValue)
  }
}

/// An instance that answers what a test wants, and hands out tokens to everybody.
final class StubInstance: Sendable {
  let server: LoopbackServer
  var url: String { server.url }

  init(_ answer: @escaping @Sendable (ServerRequest) -> ServerResponse) throws {
    server = try LoopbackServer { request in
      request.path == "/oauth_token.do"
        ? ServerResponse(
          status: 200, headers: ["Content-Type": "application/json"],
          text: #"{"access_token":"the-bearer","expires_in":1799}"#)
        : answer(request)
    }
  }

  /// An instance of one page.
  static func page(
    _ html: String, type: String = "text/html; charset=utf-8", headers: [(String, String)] = []
  ) throws -> StubInstance {
    try StubInstance { _ in
      var response = ServerResponse(status: 200, headers: ["Content-Type": type], text: html)
      for (name, value) in headers { response.headers.add(name, value) }
      return response
    }
  }
}
