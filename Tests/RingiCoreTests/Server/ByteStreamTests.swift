import EventLoop
import Glibc
import JSON
import RingiCore
import RingiTestSupport
import Testing

/// Standard input and output, as pipes and as files.
@Suite struct ByteStreamTests {
  private func ping(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"method":"agent.ping"}"# + "\n" }

  private func answer(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":"pong"}"# + "\n" }

  private struct Pipe {
    let read: CInt
    let write: CInt

    init() throws {
      var ends: [CInt] = [0, 0]
      guard pipe(&ends) == 0 else { throw SystemError.last("pipe") }
      (read, write) = (ends[0], ends[1])
    }
  }

  private func readAll(_ descriptor: CInt) -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = Glibc.read(descriptor, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Serves a pair of descriptors.
  ///
  /// - Returns: What opens once the client is gone and its answers are written.
  private func serve(_ agent: TestAgent, _ input: CInt, _ output: CInt) async throws -> Gate {
    try await onLoop {
      let end = Gate()
      agent.server.serve(try ByteStream(input: input, output: output)) { end.open() }
      return end
    }
  }

  @Test func aClientOnPipesIsAnsweredAndItsEndIsTold() async throws {
    try await withAgent { agent in
      let (input, output) = (try Pipe(), try Pipe())
      let end = try await serve(agent, input.read, output.write)
      let text = ping(1) + ping(2) + ping(3).dropLast()
      write(input.write, text, text.utf8.count)
      close(input.write)
      try await onLoop { try await end.wait() }
      close(output.write)
      #expect(readAll(output.read) == answer(1) + answer(2) + answer(3))
      close(output.read)
      close(input.read)
    }
  }

  @Test func theEndOfInputWaitsForAnswersUnderWay() async throws {
    try await withAgent { agent in
      let (input, output) = (try Pipe(), try Pipe())
      let end = try await serve(agent, input.read, output.write)
      let text = #"{"jsonrpc":"2.0","id":1,"method":"test.wait","params":["a"]}"# + "\n"
      write(input.write, text, text.utf8.count)
      close(input.write)
      try await onLoop {
        try await agent.waits.arrival("a")
        #expect(!end.isOpen)
        agent.waits.open("a")
        try await end.wait()
      }
      close(output.write)
      #expect(readAll(output.read) == #"{"jsonrpc":"2.0","id":1,"result":"a"}"# + "\n")
      close(output.read)
      close(input.read)
    }
  }

  @Test func aSubscriptionKeepsNoClientWhoseInputHasEnded() async throws {
    try await withAgent { agent in
      let (input, output) = (try Pipe(), try Pipe())
      let end = try await serve(agent, input.read, output.write)
      let text = #"{"jsonrpc":"2.0","id":1,"method":"events.subscribe"}"# + "\n"
      write(input.write, text, text.utf8.count)
      close(input.write)
      try await onLoop { try await end.wait() }
      close(output.write)
      #expect(readAll(output.read).hasPrefix(#"{"jsonrpc":"2.0","id":1,"result":{"#))
      close(output.read)
      close(input.read)
    }
  }

  @Test func requestsMayComeFromAFileAndAnswersGoToOne() async throws {
    try await withAgent { agent in
      try agent.folder.write("in", (0..<5000).map(ping).joined())
      try agent.folder.write("out", "")
      let input = open("\(agent.folder.path)/in", O_RDONLY)
      let output = open("\(agent.folder.path)/out", O_WRONLY)
      let end = try await serve(agent, input, output)
      try await onLoop { try await end.wait() }
      #expect(agent.folder.read("out") == (0..<5000).map(answer).joined())
    }
  }

  @Test func requestsMayComeFromAFileAndAnswersGoToAPipeThatIsReadSlowly() async throws {
    try await withAgent { agent in
      try agent.folder.write("in", (0..<20_000).map(ping).joined())
      let input = open("\(agent.folder.path)/in", O_RDONLY)
      let output = try Pipe()
      let end = try await serve(agent, input, output.write)
      // The pipe holds a part of the answers; the agent has to wait for the rest.
      let other = try agent.connect()
      for _ in 0..<10 { #expect(try other.call("agent.ping") == "pong") }
      try await onLoop { #expect(!end.isOpen) }
      let closer = Task {
        try await onLoop { try await end.wait() }
        close(output.write)
      }
      #expect(readAll(output.read) == (0..<20_000).map(answer).joined())
      try await closer.value
      close(output.read)
    }
  }

  @Test func aReaderThatIsGoneEndsTheClient() async throws {
    try await withAgent { agent in
      signal(SIGPIPE, SIG_IGN)
      let (input, output) = (try Pipe(), try Pipe())
      let end = try await serve(agent, input.read, output.write)
      close(output.write)
      close(output.read)
      let text = ping(1)
      write(input.write, text, text.utf8.count)
      try await onLoop { try await end.wait() }
      #expect(try agent.connect().call("agent.ping") == "pong")
      close(input.write)
      close(input.read)
    }
  }
}
