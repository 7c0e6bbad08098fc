import EventLoop
import HTTPServer
import JSON
import JSONRPC
import RingiKit
import RingiTestSupport
import Sandbox
import Testing

/// BR-112: what lets us in follows no redirect to another server, on a read or a write.
@Suite struct RedirectTests {
  @Test func todoistsTokenStaysAtTheService() async throws {
    try await expectNoRedirectFollowed({ try ListRig<TodoistState>(settings: $0) }, ["content": "a"])
  }

  @Test func wunderlistsHeadersStayAtTheService() async throws {
    try await expectNoRedirectFollowed({ try ListRig<WunderlistState>(settings: $0) }, ["list_id": 1, "title": "a"])
  }

  private func expectNoRedirectFollowed<Service>(
    _ make: @escaping @Loop @Sendable (JSONValue) throws -> ListRig<Service>, _ task: JSONValue
  ) async throws {
    try await onLoop { () async throws in
      let other = try make([:])
      let url = other.sandbox.url
      let server = try LoopbackServer { _ in ServerResponse(status: 302, headers: ["Location": "\(url)/api/v1/user"]) }
      defer { server.stop() }
      let rig = try make(["url": .init(server.url)])
      #expect(try await rig.failure("user.get").kind == "backend-error")
      #expect(try await rig.failure("task.create", task).kind == "backend-error")
      #expect(other.requests.isEmpty)
    }
  }
}
