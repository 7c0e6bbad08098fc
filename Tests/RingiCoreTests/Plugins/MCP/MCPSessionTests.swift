import EventLoop
import JSON
import JSONRPC
import RingiTestSupport
import Testing

@testable import RingiCore

struct MCPSessionTests {
  @Loop
  private final class Owner: RPCProcess.Owner {
    func serve(_ method: String, _ params: JSONValue, from process: RPCProcess) async throws -> JSONValue { .null }
    func wroteError(_ bytes: UnsafeRawBufferPointer) {}
    func complain(_ sentence: String) {}
  }

  @Test("A tool whose time is over is not called again, and the limit is told as it is")
  func timeOut() async throws {
    try await onLoop {
      let (owner, clock) = (Owner(), TestClock())
      let process = try RPCProcess(
        ChildProcess.Command(["/bin/cat"], environment: [:]), name: "p", dialect: .mcp, bounds: .init(), clock: clock,
        redactor: Redactor(), owner: owner)
      let session = MCPSession(
        process,
        MCPSession.Surroundings(
          instance: "p", hasElicitation: false, clock: clock, limit: { .seconds(5) }, warn: { _ in }, changed: { _ in }
        ))
      var limits: [Duration] = []
      let error = await #expect(throws: RPCError.self) {
        try await session.call("t", [:], { _ in nil }) { _, limit in
          limits.append(limit)
          clock.advance(by: .seconds(3))
          return ["resultType": "input_required", "requestState": "s"]
        }
      }
      #expect(limits == [.seconds(5), .seconds(2)])
      #expect(error?.kind == "unavailable")
      #expect(error?.message == "The plugin p has not answered tools/call within 5s (limits.requestTimeout).")
      await process.stop(term: .seconds(5), kill: .seconds(10))
    }
  }
}
