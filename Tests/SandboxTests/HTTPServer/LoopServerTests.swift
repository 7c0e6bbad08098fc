import EventLoop
import Glibc
import HTTPServer
import RingiTestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct LoopServerTests {
  /// A server whose answers wait for a gate, and what it has seen.
  @Loop private final class Waiting {
    let gate = Gate()
    var begun = 0
    var cancelled = 0
    var server: LoopServer?

    init(limits: LoopServer.Limits = .init()) throws {
      server = try LoopServer(limits: limits) { request in
        self.begun += 1
        do {
          try await self.gate.wait()
        } catch {
          self.cancelled += 1
        }
        return ServerResponse(status: 200, text: "\(request.method) \(request.target) \(request.body.count)")
      }
    }

    var port: UInt16 { server?.port ?? 0 }
  }

  private func until(_ condition: @escaping @Loop @Sendable () -> Bool) async throws {
    try await onLoop { while !condition() { await Task.yield() } }
  }

  @Test func anAnswerThatWaitsHoldsUpNobody() async throws {
    let waiting = try await onLoop { try Waiting() }
    let port = try await onLoop { waiting.port }
    let first = try RawConnection(port: port)
    let second = try RawConnection(port: port)
    first.send("GET /a?b=1 HTTP/1.1\r\nHost: x\r\n\r\n")
    try await until { waiting.begun == 1 }
    second.send("POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
    try await until { waiting.begun == 2 && waiting.server?.waiting == 2 }
    try await onLoop { waiting.gate.open() }
    #expect(try first.answer().text == "GET /a?b=1 0")
    #expect(try second.answer().text == "POST /b 3")
    // The connection goes on.
    first.send("GET /c HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try first.answer().text == "GET /c 0")
    try await onLoop { waiting.server?.stop() }
  }

  @Test func aSenderWhoHangsUpCancelsTheRequest() async throws {
    let waiting = try await onLoop { try Waiting() }
    let port = try await onLoop { waiting.port }
    var connection: RawConnection? = try RawConnection(port: port)
    connection?.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
    try await until { waiting.begun == 1 }
    connection = nil
    try await until { waiting.cancelled == 1 && waiting.server?.waiting == 0 }
    try await onLoop { waiting.server?.stop() }
  }

  @Test func stoppingEndsWhatWaitsAndClosesThePort() async throws {
    let waiting = try await onLoop { try Waiting() }
    let port = try await onLoop { waiting.port }
    let connections = try (0..<5).map { _ in try RawConnection(port: port) }
    for connection in connections { connection.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n") }
    try await until { waiting.begun == 5 }
    try await onLoop { waiting.server?.stop() }
    try await until { waiting.cancelled == 5 }
    for connection in connections { #expect(connection.isClosedUnanswered()) }
    #expect(throws: RawConnection.Failure.cannotConnect) { try RawConnection(port: port) }
    try await onLoop { waiting.server?.stop() }
  }

  @Test func aRequestThatIsRefusedForItsHeadIsNotRead() async throws {
    let seen = try await onLoop { Gate() }
    let server = try await onLoop {
      try LoopServer(
        admission: { $0.headers["X-Key"] == nil ? ServerResponse(status: 403, text: "no key") : nil },
        handler: { _ in
          seen.open()
          return ServerResponse(status: 200)
        })
    }
    let port = try await onLoop { server.port }
    let connection = try RawConnection(port: port)
    connection.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n")
    let answer = try connection.answer()
    #expect(answer.status == 403 && answer.text == "no key")
    #expect(try await onLoop { !seen.isOpen })
    try await onLoop { server.stop() }
  }

  @Test func longBodiesAreRefusedAloneAndTogether() async throws {
    let waiting = try await onLoop {
      var limits = LoopServer.Limits()
      limits.bodyBytes = 1000
      limits.heldBytes = 1500
      return try Waiting(limits: limits)
    }
    let port = try await onLoop { waiting.port }
    func post(_ count: Int) throws -> RawConnection {
      let connection = try RawConnection(port: port)
      connection.send(
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(count)\r\n\r\n" + String(repeating: "a", count: count))
      return connection
    }
    #expect(try post(1001).answer().status == 413)
    let first = try post(1000)
    try await until { waiting.begun == 1 }
    #expect(try post(600).answer().status == 413)
    let second = try post(500)
    try await until { waiting.begun == 2 }
    try await onLoop { waiting.gate.open() }
    #expect(try first.answer().text == "POST / 1000")
    #expect(try second.answer().text == "POST / 500")
    #expect(try post(900).answer().text == "POST / 900")
    try await onLoop { waiting.server?.stop() }
  }

  @Test func moreConnectionsThanTheLimitWaitUntilOneEnds() async throws {
    let waiting = try await onLoop {
      var limits = LoopServer.Limits()
      limits.connections = 2
      return try Waiting(limits: limits)
    }
    let port = try await onLoop { waiting.port }
    var connections = try (0..<3).map { _ in try RawConnection(port: port) }
    for connection in connections { connection.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n") }
    try await until { waiting.begun == 2 }
    try await onLoop { waiting.gate.open() }
    let last = connections.removeLast()
    for connection in connections { #expect(try connection.answer().status == 200) }
    // Both are kept alive, so there is no room for the third yet.
    #expect(try await onLoop { waiting.begun } == 2)
    connections = []
    #expect(try last.answer().status == 200)
    try await onLoop { waiting.server?.stop() }
  }

  @Test(arguments: ["/%zz", "/a?b=%FF"])
  func brokenEscapesAreRefused(_ target: String) async throws {
    let server = try await onLoop { try LoopServer { _ in ServerResponse(status: 200) } }
    let connection = try RawConnection(port: try await onLoop { server.port })
    connection.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try connection.answer().status == 400)
    try await onLoop { server.stop() }
  }

  @Test func aHeaderWithoutAValueIsLeftOutAndATabIsASpace() async throws {
    let server = try await onLoop {
      try LoopServer { _ in
        ServerResponse(status: 200, headers: ["X-Empty": "", "X-Blank": " \t", "X-Tab": "a\tb"], text: "whole")
      }
    }
    let connection = try RawConnection(port: try await onLoop { server.port })
    connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    let answer = try connection.answer()
    #expect(answer.status == 200 && answer.text == "whole")
    #expect(answer["X-Empty"] == nil && answer["X-Blank"] == nil && answer["X-Tab"] == "a b")
    try await onLoop { server.stop() }
  }

  @Test func nothingKeepsAServerThatHasStopped() async throws {
    try await onLoop { () async throws in
      weak var gone: LoopServer?
      do {
        let server = try LoopServer { _ in ServerResponse(status: 200) }
        gone = server
        server.stop()
      }
      while gone != nil { await Task.yield() }
    }
  }

  @Test func aLargeAnswerArrivesWhole() async throws {
    let server = try await onLoop {
      try LoopServer { _ in ServerResponse(status: 200, body: [UInt8](repeating: 0x61, count: 5 << 20)) }
    }
    let connection = try RawConnection(port: try await onLoop { server.port })
    connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try connection.answer().body.count == 5 << 20)
    try await onLoop { server.stop() }
  }
}
