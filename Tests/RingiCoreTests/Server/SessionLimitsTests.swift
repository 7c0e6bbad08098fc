import EventLoop
import Glibc
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiTestSupport
import Testing

@Suite struct SessionLimitsTests {
  // MARK: Requests at once

  @Test func aRequestOverTheLimitIsRefusedAndMaySucceedLater() async throws {
    var limits = Limits()
    limits.inFlight = 4
    try await withAgent(limits: limits) { agent in
      let (client, other) = (try agent.connect(), try agent.connect())
      let waiting = try (0..<4).map { try client.ask("test.wait", [JSONValue("\($0)")]) }
      let error = try client.refusal("test.wait", ["5"])
      #expect(error?["code"] == -32000)
      #expect(error?["data"] == ["kind": "overloaded", "retryable": true])
      // What never waits is answered all the same, and so are others.
      #expect(try client.call("agent.ping") == "pong")
      let othersWait = try other.ask("test.wait", ["6"])
      try await onLoop { agent.waits.openAll() }
      for id in waiting { #expect(try client.response(to: id)["result"] != nil) }
      #expect(try other.response(to: othersWait)["result"] == "6")
      #expect(try client.call("test.wait", ["7"]) == "7")
    }
  }

  @Test func notificationsCountAmongTheRequestsAtOnceAndAreDroppedInSilence() async throws {
    var limits = Limits()
    limits.inFlight = 1
    try await withAgent(limits: limits) { agent in
      let client = try agent.connect()
      try client.notify("test.wait", ["a"])
      try client.notify("test.wait", ["b"])
      #expect(try client.refusal("test.wait", ["c"])?["code"] == -32000)
      try await onLoop { agent.waits.openAll() }
      #expect(try client.call("agent.ping") == "pong")
    }
  }

  // MARK: Sizes

  @Test func aBatchOverTheLimitIsRefusedAsAWhole() async throws {
    var limits = Limits()
    limits.batch = 3
    try await withAgent(limits: limits) { agent in
      let client = try agent.connect()
      let ping = #"{"jsonrpc":"2.0","id":1,"method":"agent.ping"}"#
      try client.send("[\(ping),\(ping),\(ping)]", "[\(ping),\(ping),\(ping),\(ping)]")
      #expect(try client.receive().array?.count == 3)
      let refusal = try client.receive()
      #expect(refusal["id"] == .null)
      #expect(refusal["error"]?["code"] == -32600)
      #expect(refusal["error"]?["message"]?.string?.contains("limits.batch") == true)
    }
  }

  @Test func nestingOverTheLimitIsRefusedHoweverDeep() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      for depth in [255, 256, 1_000_000] {
        let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        try client.send(#"{"jsonrpc":"2.0","id":1,"method":"agent.echo","params":\#(nested)}"#)
        #expect(try client.receive()["error"]?["code"] == (depth < 256 ? nil : -32700))
      }
      try client.send(String(repeating: "[", count: 1_000_000))
      #expect(try client.receive()["error"]?["code"] == -32700)
    }
  }

  // MARK: Time

  @Test func aRequestThatTakesTooLongIsAnsweredAndCancelled() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      let id = try client.ask("test.wait", ["a"])
      try await onLoop {
        try await agent.waits.arrival("a")
        agent.clock.advance(by: .seconds(59))
      }
      #expect(try client.call("agent.ping") == "pong")
      try await onLoop { agent.clock.advance(by: .seconds(1)) }
      let error = try client.response(to: id)["error"]
      #expect(error?["code"] == -32006)
      #expect(error?["data"] == ["kind": "unavailable", "retryable": true])
      #expect(error?["message"]?.string?.contains("limits.requestTimeout") == true)
      #expect(try client.call("agent.ping") == "pong")
      try await onLoop { #expect(agent.waits.cancelled == ["a"]) }
    }
  }

  @Test func aMutationThatTakesTooLongGoesOnAndItsClientLearnsThatItMustLook() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      let id = try client.ask("test.act", ["a"])
      try await onLoop {
        try await agent.waits.arrival("a")
        agent.clock.advance(by: .seconds(60))
      }
      let error = try client.response(to: id)["error"]
      #expect(error?["code"] == -32008)
      #expect(error?["data"]?["retryable"] == false)
      try await onLoop { agent.waits.open("a") }
      // It ends, and is not answered twice.
      #expect(try client.call("test.wait", ["a"]) == "a")
      try await onLoop {
        #expect(agent.waits.ended == ["a", "a"])
        #expect(agent.waits.cancelled.isEmpty)
      }
    }
  }

  @Test func anAnswerInTimeLeavesNoAlarmBehind() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try await onLoop { agent.waits.open("a") }
      #expect(try client.call("test.wait", ["a"]) == "a")
      try await onLoop { #expect(agent.clock.pending == 0) }
    }
  }

  // MARK: A client that doesn't read

  @Test func aFloodThatNobodyReadsHoldsUpNobodyAndIsHeldInBounds() async throws {
    try await withAgent { agent in
      let pair = try await onLoop { try agent.pair() }
      let (client, other) = (TestClient(socket: pair.socket), try agent.connect())
      let requests = (0..<100_000).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"agent.ping"}"# + "\n" }
      var rest = Array(requests.joined().utf8)[...]
      // Until the agent takes no more.
      var refused = 0
      while refused < 20, !rest.isEmpty {
        let count = try client.sendSome(rest)
        rest = rest.dropFirst(count)
        refused = count == 0 ? refused + 1 : 0
        #expect(try other.call("agent.ping") == "pong")
        try await onLoop { #expect(pair.stream.unsent < 1 << 20) }
      }
      #expect(!rest.isEmpty)
      var answers = Array((0..<100_000).map { #"{"jsonrpc":"2.0","id":\#($0),"result":"pong"}"# + "\n" }.joined().utf8)[
        ...]
      while !answers.isEmpty {
        if !rest.isEmpty { rest = rest.dropFirst(try client.sendSome(rest)) }
        let expected = answers.prefix(50_000)
        #expect(try client.readRaw(expected.count) == Array(expected))
        answers = answers.dropFirst(expected.count)
      }
    }
  }

  @Test func largeParamsOfManyRequestsAtOnceWaitOutside() async throws {
    var limits = Limits()
    limits.messageBytes = 1 << 20
    try await withAgent(limits: limits) { agent in
      let client = try agent.connect()
      let padding = JSONValue(String(repeating: "x", count: 900_000))
      let keep = Method(
        "test.keep", "Waits with its params in hand.", params: .any.described("Anything."), result: .null,
        handler: .async { [waits = agent.waits] _, _ in
          _ = try await waits.hold()
          return .null
        })
      try await onLoop { try agent.registry.add([keep], of: "keep") }
      var message: [UInt8] = []
      MessageWriter.request("test.keep", id: 1, params: ["p": padding], in: &message)
      let frame = message + [0x0A]
      var sent = 0
      var rest = frame[...]
      var refused = 0
      while refused < 50 {
        let count = try client.sendSome(rest)
        refused = count == 0 ? refused + 1 : 0
        rest = rest.dropFirst(count)
        if rest.isEmpty { (sent, rest) = (sent + 1, frame[...]) }
        #expect(sent < 20)
        try await onLoop {}
      }
      try await onLoop { agent.waits.openAll() }
      for _ in 0..<sent { #expect(try client.receive()["result"] == .null) }
    }
  }
}
