import EventLoop
import HTTPServer
import JSON
import JSONRPC
import RingiCore
import RingiTestSupport
import Sandbox
import Testing

/// Lists whose pages never end.
@Suite struct ListBudgetTests {
  /// A service that gives page after page of 15 MiB, each with a row of its own.
  private func server(_ page: @escaping @Sendable (Int) -> (text: String, headers: ServerHeaders)) throws
    -> ScriptedServer
  {
    let pad = Array("\"".utf8) + [UInt8](repeating: 0x61, count: 15 << 20) + Array("\"}".utf8)
    return try ScriptedServer { _, number in
      let (text, headers) = page(number)
      var response = ServerResponse.data(text, headers: headers)
      response.body += pad
      return response
    }
  }

  private func expectTooLong(_ error: RPCError, _ server: ScriptedServer) {
    #expect(error.kind == "backend-error" && error.message.contains("256 MiB") && error.message.contains("filters"))
    #expect(server.requests.count == 18)
  }

  @Test func aTodoistListEndsWithAnErrorWhenItGetsTooLong() async throws {
    let server = try server { ("{\"results\":[{\"id\":\"\($0)\"}],\"next_cursor\":\"\($0)\",\"pad\":", [:]) }
    try await onLoop {
      let rig = try ListRig<TodoistState>(settings: ["url": .init(server.url)])
      expectTooLong(try await rig.failure("task.list"), server)
    }
  }

  @Test func aServiceNowListEndsWithAnErrorWhenItGetsTooLong() async throws {
    let server = try server { number in
      (
        "{\"result\":[{\"sys_id\":\"\(number)\"}],\"pad\":",
        ["Link": "<http://a/b?sysparm_offset=\(number)>;rel=\"next\""]
      )
    }
    try await onLoop {
      let rig = try ServiceNowRig("basic", settings: ["url": .init(server.url)])
      expectTooLong(try await rig.failure("table.list", ["table": "incident", "limit": 50_000]), server)
    }
  }
}
