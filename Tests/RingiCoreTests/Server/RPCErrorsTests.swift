import EventLoop
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiTestSupport
import Testing

/// What a client hears when a handler throws.
@Suite struct RPCErrorsTests {
  private struct Odd: Error, CustomStringConvertible {
    let description = "the tape is torn"
  }

  @Test(
    arguments: [
      (RPCError.notFound("There is no such task."), -32004, "not-found"),
      (CancellationError(), -32800, "cancelled"),
      (TimeoutError(limit: .seconds(5)), -32006, "unavailable"),
      (UnclearOutcome(cause: .unavailable("The connection was cut.")), -32008, "outcome-unknown"),
      (Odd(), -32603, "internal-error"),
    ] as [(any Error, Int, String)])
  func whateverAHandlerThrowsIsAnErrorOfTheTable(error: any Error, code: Int, kind: String) async throws {
    try await withAgent { agent in
      try await onLoop {
        let methods: [Method] = [
          Method("x.sync", "Throws.", params: .object([:]), result: .null, handler: .sync { _, _ in throw error }),
          Method("x.async", "Throws.", params: .object([:]), result: .null, handler: .async { _, _ in throw error }),
          Method(
            "x.bytes", "Throws.", params: .object([:]), result: .null,
            handler: .bytes { _, _, output in
              output += "[1,2".utf8
              throw error
            }),
        ]
        try agent.registry.add(methods, of: "x")
      }
      let client = try agent.connect()
      for method in ["x.sync", "x.async", "x.bytes"] {
        let answer = try client.refusal(method)
        #expect(answer?["code"]?.int == Int64(code), "\(method)")
        #expect(answer?["data"]?["kind"]?.string == kind, "\(method)")
        try client.send("[\(#"{"jsonrpc":"2.0","id":"b","method":"\#(method)"}"#)]")
        #expect(try client.receive()[0]?["error"] == answer, "\(method)")
      }
    }
  }

  @Test func textThatAHandlerCanNotParseIsNoFaultOfTheClients() async throws {
    try await withAgent { agent in
      try await onLoop {
        let method = Method(
          "x.parse", "Parses what is no JSON.", params: .object([:]), result: .null,
          handler: .async { _, _ in try JSONValue(parsing: "<html>") })
        try agent.registry.add([method], of: "x")
      }
      let client = try agent.connect()
      #expect(try client.refusal("x.parse")?["code"] == -32603)
    }
  }

  @Test func anErrorNobodyExpectedSaysWhatItWas() async throws {
    try await withAgent { agent in
      try await onLoop {
        let method = Method(
          "x.odd", "Throws.", params: .object([:]), result: .null, handler: .sync { _, _ in throw Odd() })
        try agent.registry.add([method], of: "x")
      }
      let client = try agent.connect()
      #expect(try client.refusal("x.odd")?["message"]?.string?.contains("the tape is torn") == true)
    }
  }
}
