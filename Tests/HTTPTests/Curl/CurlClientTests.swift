import EventLoop
import HTTP
import HTTPServer
import RingiTestSupport
import Testing

@Suite struct CurlClientTests {
  @Test(arguments: [HTTPMethod.get, .head, .options, .post, .put, .patch, .delete])
  func everyMethodArrivesAsItself(_ method: HTTPMethod) async throws {
    let server = try LoopbackServer { ServerResponse(status: 200, text: $0.method) }
    try await onLoop {
      let response = try await send(HTTPRequest(method, server.address()))
      #expect(response.status == 200)
      #expect(response.text.string == (method == .head ? "" : method.rawValue))
    }
  }

  @Test func bodyAndHeadersArriveAsGivenAndNothingIsMadeUp() async throws {
    let seen = Notes<ServerRequest>()
    let server = try LoopbackServer {
      seen.add($0)
      return ServerResponse(status: 204)
    }
    try await onLoop {
      var request = HTTPRequest(.patch, try server.address("/a?b=c"), headers: ["X-Empty": "", "X-Text": "é"])
      request.body = Array("{\"ü\":1}".utf8)
      _ = try await send(request)
      _ = try await send(HTTPRequest(.post, server.address()))
    }
    let first = try #require(seen.all.first)
    #expect(first.target == "/a?b=c")
    #expect(first.body == Array("{\"ü\":1}".utf8))
    #expect(first.headers["X-Empty"] == "")
    #expect(first.headers["X-Text"] == "é")
    #expect(first.headers["User-Agent"] == "Ringi/test")
    #expect(first.headers["Content-Type"] == nil)
    #expect(first.headers["Expect"] == nil)
    #expect(seen.all.last?.headers["Content-Length"] == "0")
  }

  @Test func aBodyOfAMegabyteGoesOutAtOnceAndComesBack() async throws {
    let server = try LoopbackServer { ServerResponse(status: 200, body: $0.body) }
    let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try await onLoop { () async throws in
      #expect(try await send(HTTPRequest(.post, server.address(), body: body)).body == body)
    }
  }

  @Test(arguments: [400, 403, 404, 500, 503])
  func anErrorStatusIsAResponse(_ status: Int) async throws {
    let server = try LoopbackServer { _ in ServerResponse(status: status, text: "why") }
    try await onLoop {
      let response = try await send(HTTPRequest(.get, server.address()))
      #expect(response.status == status)
      #expect(!response.isSuccess)
      #expect(response.text.string == "why")
    }
  }

  @Test func headerNamesAreFoundInAnyCaseAndInterimResponsesAreForgotten() async throws {
    let server = RawServer { connection in
      _ = connection.request()
      connection.send("HTTP/1.1 103 Early Hints\r\nX-Csrf-Token: no\r\nLink: x\r\n\r\n")
      connection.send(answer("200 OK", ["x-CSRF-token:  AB12 ", "X-Twice: 1", "x-twice: 2", "X-Latin: caf\u{E9}"]))
    }
    try await onLoop {
      let response = try await send(HTTPRequest(.get, server.address()))
      #expect(response.headers["X-CSRF-Token"] == "AB12")
      #expect(response.headers.values("x-twice") == ["1", "2"])
      #expect(response.headers["Link"] == nil)
    }
  }

  @Test func compressedAndChunkedBodiesAreUndone() async throws {
    let hello: [UInt8] = [
      31, 139, 8, 0, 0, 0, 0, 0, 2, 255, 203, 72, 205, 201, 201, 7, 0, 134, 166, 16, 54, 5, 0, 0, 0,
    ]
    let server = RawServer { connection in
      let request = connection.request() ?? ""
      if request.contains("/gzip"), request.lowercased().contains("accept-encoding: ") {
        connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(hello.count)\r\n\r\n")
        connection.send(hello)
      } else {
        connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n")
      }
    }
    try await onLoop { () async throws in
      #expect(try await send(HTTPRequest(.get, server.address("/gzip"))).text.string == "hello")
      #expect(try await send(HTTPRequest(.get, server.address("/chunked"))).text.string == "hello")
    }
  }

  @Test func oneConnectionServesManyRequestsInTurn() async throws {
    let server = RawServer { connection in
      while connection.request() != nil { connection.send(answer("200 OK", [], "x")) }
    }
    try await onLoop {
      for _ in 0..<5 { _ = try await send(HTTPRequest(.post, server.address())) }
    }
    #expect(server.accepted == 1)
  }

  @Test func requestsRunAtTheSameTime() async throws {
    let server = try LoopbackServer { request in
      ServerResponse(status: 200, body: request.body, delivery: Delivery(delay: .milliseconds(50)))
    }
    try await onLoop {
      let tasks = try (0..<30).map { number in
        let request = HTTPRequest(.post, try server.address(), body: [UInt8(number)])
        return Loop.task { try await send(request).body }
      }
      for (number, task) in tasks.enumerated() { #expect(try await task.value == [UInt8(number)]) }
    }
  }
}
