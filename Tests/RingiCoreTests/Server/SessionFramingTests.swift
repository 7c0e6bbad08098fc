import JSON
import JSONRPC
import RingiCore
import RingiTestSupport
import Testing

@Suite struct SessionFramingTests {
  private func ping(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"method":"agent.ping"}"# }

  @Test func eachConnectionIsAnsweredInTheFramingItSpeaks() async throws {
    try await withAgent { agent in
      let (lines, headers) = (try agent.connect(), try agent.connect(.contentLength))
      #expect(try lines.call("agent.ping") == "pong")
      #expect(try headers.call("agent.ping") == "pong")
      #expect(try headers.call("agent.echo", ["title": "発注 🚀"]) == ["title": "発注 🚀"])
    }
  }

  @Test func aByteOrderMarkCRLFAndBlankLinesDoNoHarm() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.sendRaw([0xEF, 0xBB, 0xBF] + "\(ping(1))\r\n\r\n \t\n\(ping(2))\r\n".utf8)
      #expect(try client.receive()["id"] == 1)
      #expect(try client.receive()["id"] == 2)
    }
  }

  @Test func aBodyMayBeSpreadOverLinesAndBeginWithBlanks() async throws {
    try await withAgent { agent in
      let client = try agent.connect(.contentLength)
      try client.send(
        "\r\n {\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"method\": \"agent.ping\"\n}\n", " [\(ping(2))\n]")
      #expect(try client.receive()["id"] == 1)
      #expect(try client.receive()[0]?["id"] == 2)
    }
  }

  // MARK: Junk

  @Test(arguments: [#"\n\n"#, "}", "garbage", " 5 5 5", "{}{}{}", "\u{FEFF}"])
  func junkBehindARequestGetsOneParseErrorAndTheRequestItsAnswer(junk: String) async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.send(ping(1) + junk, ping(2))
      let answers = try [client.receive(), client.receive(), client.receive()]
      #expect(answers.map { $0["id"] } == [1, .null, 2])
      #expect(answers[1]["error"]?["code"] == -32700)
    }
  }

  @Test func aLineOfAMillionTinyMessagesCostsNoMoreThanAnyOther() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.send(String(repeating: "{}", count: 1_000_000), ping(2))
      #expect(try client.receive()["error"]?["code"] == -32600)
      #expect(try client.receive()["error"]?["code"] == -32700)
      #expect(try client.receive()["id"] == 2)
    }
  }

  @Test func garbageBetweenRequestsGetsOneErrorALine() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.sendRaw("{\nnul\n\u{1}\n".utf8 + [0xFF, 0xFE, 0x0A] + "\(ping(1))\n".utf8)
      for _ in 0..<4 {
        let answer = try client.receive()
        #expect(answer["id"] == .null)
        #expect(answer["error"]?["code"] == -32700)
      }
      #expect(try client.receive()["id"] == 1)
    }
  }

  @Test func aBodyOfGarbageGetsAnErrorAndTheNextOneItsAnswer() async throws {
    try await withAgent { agent in
      let client = try agent.connect(.contentLength)
      try client.send("", "{", "\"\u{1}\"", ping(1))
      for _ in 0..<3 { #expect(try client.receive()["error"]?["code"] == -32700) }
      #expect(try client.receive()["id"] == 1)
    }
  }

  // MARK: Too long

  @Test(arguments: [Framing.newline, .contentLength])
  func aMessageOverTheLimitIsRefusedAndTheNextOneServed(framing: Framing) async throws {
    var limits = Limits()
    limits.messageBytes = 100_000
    try await withAgent(limits: limits) { agent in
      let client = try agent.connect(framing)
      try client.send("[\(String(repeating: "7,", count: 400_000))7]", ping(1))
      let refusal = try client.receive()
      #expect(refusal["id"] == .null)
      #expect(refusal["error"]?["code"] == -32600)
      #expect(refusal["error"]?["message"]?.string?.contains("100000") == true)
      #expect(try client.receive()["id"] == 1)
    }
  }

  @Test func aGibibyteIsRefusedBeforeItCame() async throws {
    try await withAgent { agent in
      let client = try agent.connect(.contentLength)
      try client.sendRaw("Content-Length: 1073741824\r\n\r\n".utf8)
      #expect(try client.receive()["error"]?["code"] == -32600)
      #expect(try agent.connect().call("agent.ping") == "pong")
    }
  }

  // MARK: Headers

  @Test(arguments: [
    "Content-Length: x\r\n\r\n", "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "Content-Type: a\r\n\r\n",
    "Content-Length: -1\r\n\r\n",
  ])
  func badHeadersEndTheConnectionAfterAnError(headers: String) async throws {
    try await withAgent { agent in
      let (client, other) = (try agent.connect(.contentLength), try agent.connect())
      try client.sendRaw(client.frame(ping(1)) + headers.utf8 + client.frame(ping(2)))
      let answers = try client.receiveRest()
      #expect(answers.map { $0["id"] } == [1, .null])
      #expect(answers.last?["error"]?["code"] == -32700)
      #expect(try other.call("agent.ping") == "pong")
    }
  }

  @Test func aRequestUnderWayIsAnsweredBeforeBadHeadersEndTheConnection() async throws {
    try await withAgent { agent in
      let client = try agent.connect(.contentLength)
      let id = try client.ask("test.wait", ["a"])
      try await onLoop { try await agent.waits.arrival("a") }
      try client.sendRaw("Content-Length: x\r\n\r\n".utf8)
      #expect(try client.receive()["error"]?["code"] == -32700)
      try await onLoop { agent.waits.open("a") }
      #expect(try client.receiveRest().map { $0["id"] } == [JSONValue(id)])
    }
  }
}
