import EventLoop
import HTTP
import JSONRPC
import RingiTestSupport
import Testing

@testable import Providers

@Suite struct WunderlistWireTests {
  /// A server that speaks the API may leave a refusal's body out; a page is the proxy's.
  @Test(arguments: [
    (401, nil, "login-required"), (404, nil, "not-found"), (409, "application/json", "conflict"),
    (401, "text/html; charset=utf-8", "unavailable"), (404, "text/html", "unavailable"), (503, nil, "unavailable"),
    (302, "text/html", "backend-error"), (422, "text/plain", "backend-error"),
  ])
  func whatARefusalMeansIsInItsStatusUnlessItIsAPage(_ status: Int, _ type: String?, _ kind: String) async throws {
    try await onLoop {
      let wire = WunderlistWire(instance: "todo", clientID: "c", advice: "log in", clock: TestClock())
      let url = try HTTPURL("http://h/")
      let headers: HTTPHeaders = type.map { ["Content-Type": $0] } ?? [:]
      let response = HTTPResponse(status: status, headers: headers, url: url)
      #expect(wire.refusal(response, HTTPRequest(.get, url)).kind == kind)
    }
  }
}
