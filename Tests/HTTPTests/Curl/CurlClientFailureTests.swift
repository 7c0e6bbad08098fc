import EventLoop
import HTTP
import HTTPServer
import RingiTestSupport
import Testing

@Suite struct CurlClientFailureTests {
  @Test func aHostNameWithoutAnAddressIsSaid() async throws {
    try await onLoop {
      let error = await failure(of: HTTPRequest(.get, try HTTPURL("http://no-such-host.invalid/")))
      #expect(error?.kind == .resolve)
      #expect(error?.requestWasSent == false)
    }
  }

  @Test func aPortWhereNobodyListensIsRefused() async throws {
    let server = RawServer { _ in }
    let url = try server.address()
    server.stop()
    try await onLoop {
      let error = await failure(of: HTTPRequest(.post, url))
      guard case .connect(let code) = error?.kind else { Issue.record("\(String(describing: error))"); return }
      #expect(code == 111)
      #expect(error?.requestWasSent == false)
      #expect(error?.description.contains("Connection refused") == true)
    }
  }

  @Test func aServerThatNeverAnswersTheHandshakeEndsInAConnectTimeout() async throws {
    let server = RawServer { $0.waitForClose() }
    try await onLoop {
      var request = HTTPRequest(.post, try HTTPURL("https://127.0.0.1:\(server.port)/"))
      request.timeouts.connect = .milliseconds(50)
      let error = await failure(of: request)
      #expect(error?.kind == .timeout(.connect))
      #expect(error?.requestWasSent == false)
    }
  }

  @Test func aServerThatHangsEndsInATotalTimeout() async throws {
    let server = try LoopbackServer { _ in ServerResponse(status: 200, delivery: Delivery(ending: .hang)) }
    try await onLoop {
      var request = HTTPRequest(.post, try server.address())
      request.timeouts.total = .milliseconds(500)
      let error = await failure(of: request)
      #expect(error?.kind == .timeout(.total))
    }
  }

  @Test func aServerThatFallsSilentInTheBodyEndsInAnIdleTimeout() async throws {
    let server = RawServer { connection in
      _ = connection.request()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123")
      connection.waitForClose()
    }
    try await onLoop {
      var request = HTTPRequest(.post, try server.address())
      request.timeouts.idle = .milliseconds(50)
      let error = await failure(of: request)
      #expect(error?.kind == .timeout(.idle))
      #expect(error?.requestWasSent == true)
    }
  }

  @Test func aSlowAnswerThatKeepsComingIsNotIdle() async throws {
    let server = try LoopbackServer { _ in
      ServerResponse(status: 200, body: [UInt8](repeating: 1, count: 25), delivery: Delivery(bytesPerSecond: 10))
    }
    try await onLoop {
      var request = HTTPRequest(.get, try server.address())
      request.timeouts.idle = .seconds(1)
      #expect(try await send(request).body.count == 25)
    }
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123"])
  func aResetIsALostConnection(_ sentBefore: String) async throws {
    let server = RawServer { connection in
      _ = connection.request()
      connection.send(sentBefore)
      connection.reset()
    }
    try await onLoop {
      let error = await failure(of: HTTPRequest(.post, try server.address()))
      #expect(error?.kind == .reset)
      #expect(error?.requestWasSent == true)
    }
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n123",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n123\r\n",
  ])
  func aBodyThatEndsEarlyIsNoResponse(_ sent: String) async throws {
    let server = RawServer { connection in
      _ = connection.request()
      connection.send(sent)
    }
    try await onLoop { () async throws in
      #expect(await failure(of: HTTPRequest(.get, try server.address()))?.kind == .truncated)
    }
  }

  @Test func aBodyOverTheLimitIsCutOffWhileItComes() async throws {
    let server = RawServer { connection in
      _ = connection.request()
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      while connection.isOpen { connection.send([UInt8](repeating: 0x61, count: 4096)) }
    }
    try await onLoop {
      let request = HTTPRequest(.get, try server.address(), maxResponseBytes: 10_000)
      #expect(await failure(of: request)?.kind == .tooLarge(10_000))
    }
  }

  @Test func aBodyOfExactlyTheLimitIsFine() async throws {
    let server = try LoopbackServer { _ in ServerResponse(status: 200, text: "12345") }
    try await onLoop { () async throws in
      #expect(try await send(HTTPRequest(.get, server.address(), maxResponseBytes: 5)).body.count == 5)
      #expect(await failure(of: HTTPRequest(.get, try server.address(), maxResponseBytes: 4))?.kind == .tooLarge(4))
    }
  }

  @Test func headersWithoutEndAreCutOff() async throws {
    let server = RawServer { connection in
      _ = connection.request()
      connection.send("HTTP/1.1 200 OK\r\n")
      while connection.isOpen { connection.send("X-More: \(String(repeating: "x", count: 1000))\r\n") }
    }
    try await onLoop {
      guard case .tooLarge = await failure(of: HTTPRequest(.get, try server.address()))?.kind else {
        Issue.record("the headers were taken"); return
      }
    }
  }

  @Test(arguments: [
    "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
  ])
  func whatIsNotHTTPIsMalformed(_ sent: String) async throws {
    let server = RawServer { connection in
      _ = connection.request()
      connection.send(sent)
    }
    try await onLoop {
      guard case .malformed = await failure(of: HTTPRequest(.get, try server.address()))?.kind else {
        Issue.record("it was taken for an answer"); return
      }
    }
  }

  @Test func aHeaderThatWouldBreakTheRequestApartIsNotSent() async throws {
    try await onLoop {
      let request = HTTPRequest(.get, try HTTPURL("http://127.0.0.1:1/"), headers: ["X-A": "b\r\nX-Evil: 1"])
      let error = await failure(of: request)
      #expect(error?.kind == .badHeader("X-A"))
      #expect(error?.requestWasSent == false)
    }
  }

  @Test func aWriteIsNotRepeatedWhenAKeptConnectionDiesButAReadIs() async throws {
    let requests = Notes<String>()
    let server = RawServer { connection in
      // The first request of a connection is answered, the second is read and the connection dropped.
      _ = connection.request()
      connection.send(answer())
      if let second = connection.request() { requests.add(String(second.prefix(4))) }
    }
    try await onLoop {
      _ = try await send(HTTPRequest(.get, server.address()))
      let error = await failure(of: HTTPRequest(.post, try server.address(), body: [1]))
      #expect(error?.kind == .reset)
      #expect(error?.requestWasSent == true)
      #expect(requests.all == ["POST"])
      #expect(await failure(of: HTTPRequest(.post, try server.address())) == nil)
      #expect(await failure(of: HTTPRequest(.post, try server.address()))?.kind == .reset)
      #expect(try await send(HTTPRequest(.get, server.address())).status == 200)
      #expect(try await send(HTTPRequest(.get, server.address())).status == 200)
    }
    #expect(requests.all == ["POST", "POST", "GET "])
  }

  @Test func noErrorShowsWhatIsSecret() async throws {
    let server = RawServer { connection in
      _ = connection.request()
      connection.reset()
    }
    try await onLoop {
      let address = "http://user:s3cr3t@127.0.0.1:\(server.port)/path?key=s3cr3t"
      let headers: HTTPHeaders = ["Authorization": "Bearer s3cr3t", "Cookie": "a=s3cr3t"]
      var request = HTTPRequest(.post, try HTTPURL(address), headers: headers, body: Array("s3cr3t".utf8))
      for _ in 0..<2 {
        let error = try #require(await failure(of: request))
        #expect(!"\(error)".contains("s3cr3t"))
        #expect("\(error)".hasPrefix("POST http://127.0.0.1:\(server.port)/path: "))
        server.stop()
      }
      request.headers["X"] = "s3cr3t\n"
      let error = try #require(await failure(of: request))
      #expect(!"\(error)".contains("s3cr3t"))
    }
  }
}
