import EventLoop
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiTestSupport
import Testing

@Suite struct CancellationTests {
  private func cancel(_ client: TestClient, _ id: JSONValue) throws {
    try client.notify("$/cancelRequest", ["id": id])
  }

  private func wait(_ client: TestClient, _ id: String, method: String = "test.wait", key: String) throws {
    try client.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":["\#(key)"]}"#)
  }

  @Test(arguments: ["7", "-1", "1.5", #""x""#, #""\u0078""#, #""""#])
  func aCancelledRequestIsAnsweredOnceWithItsID(id: String) async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try wait(client, id, key: "a")
      try await onLoop { try await agent.waits.arrival("a") }
      try client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(id)}}"#)
      let text = try client.receiveText()
      #expect(text.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32800,"#))
      #expect(try JSONValue(parsing: text)["error"]?["data"] == ["kind": "cancelled", "retryable": true])
      try await onLoop {
        agent.waits.open("a")
        #expect(agent.waits.cancelled == ["a"])
      }
      #expect(try client.call("agent.ping") == "pong")
    }
  }

  @Test func aStringWrittenWithEscapesIsTheSameID() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try wait(client, #""\u0078""#, key: "a")
      try await onLoop { try await agent.waits.arrival("a") }
      try cancel(client, "x")
      #expect(try client.receive()["error"]?["code"] == -32800)
    }
  }

  @Test func aNumberAndAStringOfItsDigitsAreTwoIDs() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try wait(client, "1", key: "a")
      try wait(client, #""1""#, key: "b")
      try await onLoop { try await agent.waits.arrival("b") }
      try cancel(client, "1")
      #expect(try client.receive()["id"] == "1")
      try cancel(client, 1)
      #expect(try client.receive()["id"] == 1)
    }
  }

  @Test func lateUnknownAndShapelessCancellationsAreSilent() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.call("test.echo")
      try cancel(client, 1)
      try cancel(client, "none")
      try cancel(client, .null)
      try client.notify("$/cancelRequest", [:])
      try client.notify("$/cancelRequest", [])
      try client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest"}"#)
      let last = try client.ask("agent.ping")
      #expect(try client.receive()["id"] == JSONValue(last))
    }
  }

  @Test func nobodyCancelsAnothersRequest() async throws {
    try await withAgent { agent in
      let (client, other) = (try agent.connect(), try agent.connect())
      try wait(client, "1", key: "a")
      try await onLoop { try await agent.waits.arrival("a") }
      try cancel(other, 1)
      #expect(try other.call("agent.ping") == "pong")
      try await onLoop { agent.waits.open("a") }
      #expect(try client.receive()["result"] == "a")
    }
  }

  @Test func anUnfinishedMutationIsNotTakenBack() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try wait(client, "1", method: "test.act", key: "a")
      try await onLoop { try await agent.waits.arrival("a") }
      try cancel(client, 1)
      #expect(try client.call("agent.ping", nil) == "pong")
      try await onLoop { agent.waits.open("a") }
      #expect(try client.receive()["result"] == "a")
    }
  }

  @Test func whateverACancelledHandlerThrowsItsClientHearsThatItWasCancelled() async throws {
    try await withAgent { agent in
      let started = try await onLoop {
        let started = Gate()
        let stubborn = Method(
          "stubborn.wait", "Turns a cancellation into an error of its own.", params: .object([:]), result: .null,
          handler: .async { _, _ in
            started.open()
            try? await Gate().wait()
            throw RPCError.unavailable("The connection was cut.")
          })
        try agent.registry.add([stubborn], of: "stubborn")
        return started
      }
      let client = try agent.connect()
      let id = try client.ask("stubborn.wait")
      try await onLoop { try await started.wait() }
      try cancel(client, JSONValue(id))
      #expect(try client.response(to: id)["error"]?["code"] == -32800)
    }
  }

  @Test func aCancellationSentAsARequestIsAnsweredToo() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      #expect(try client.call("$/cancelRequest", ["id": 99]) == .null)
    }
  }

  @Test func aCancelledElementLetsTheRestOfItsBatchGo() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.send(
        #"[{"jsonrpc":"2.0","id":1,"method":"test.wait","params":["a"]},{"jsonrpc":"2.0","id":2,"method":"agent.ping"}]"#
      )
      try await onLoop { try await agent.waits.arrival("a") }
      try cancel(client, 1)
      let batch = try #require(try client.receive().array)
      #expect(batch.contains { $0["id"] == 2 && $0["result"] == "pong" })
      #expect(batch.contains { $0["error"]?["code"] == -32800 })
      #expect(batch.count == 2)
    }
  }
}
