import EventLoop
import HTTPServer
import JSON
import JSONRPC
import Providers
import RingiCore
import RingiKit
import RingiTestSupport
import Testing

@Suite struct CuramCreationTests {
  /// Some servers call an empty body a page; what was made must not be made again after another login.
  @Test(arguments: [201, 204]) func anEmptyPageAfterAWriteIsNoLoginPage(_ status: Int) async throws {
    let seen = Notes<String>()
    let server = try LoopbackServer { request in
      seen.add("\(request.method) \(request.path)")
      guard request.path.hasSuffix("/tasks") else {
        return ServerResponse(status: 200, headers: ["Set-Cookie": "LtpaToken2=0123456789abcdef0123456789abcdef"])
      }
      return ServerResponse(
        status: status, headers: ["Content-Type": "text/html", "Location": "http://gateway/Rest/v1/acme/tasks/7"])
    }
    try await onLoop {
      let settings: JSONValue = ["url": .init(server.url + "/Rest"), "user": "u", "password": "casework-1"]
      let run = try PluginRun(Curam.self, "curam", settings: Curam.settings.fillingDefaults(settings)) { _ in }
      let made = try await run.call("resource.create", ["path": "acme/tasks", "body": ["subject": "x"]])
      #expect(made["id"] == "7")
      #expect(seen.all == ["POST /Rest/j_security_check", "POST /Rest/v1/acme/tasks"])
    }
  }
}
