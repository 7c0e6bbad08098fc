import Glibc
import HTTPServer
import RingiTestSupport
import Testing

@Suite struct LoopbackServerTests {
  /// Answers with what it saw.
  private static let echo: LoopbackServer.Handler = { request in
    let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
    let text = "\(request.method)|\(request.segments.joined(separator: ","))|\(query)|"
    return ServerResponse(status: 200, body: Array(text.utf8) + request.body)
  }

  private func ask(_ server: LoopbackServer, _ request: String) throws -> RawAnswer {
    let connection = try RawConnection(port: server.port)
    connection.send(request)
    return try connection.answer()
  }

  @Test func decodesEachSegmentAndQueryPairByItself() throws {
    let server = try LoopbackServer(handler: Self.echo)
    let answer = try ask(
      server, "GET /a%2Fb/%E7%A8%9F/?%24top=5&x=1&x=2%2B3+4&empty&c=a%3Db=c HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(answer.text == "GET|a/b,稟,|$top=5;x=1;x=2+3 4;empty=;c=a=b=c|")
  }

  @Test(arguments: ["/%zz", "/%4", "/a?b=%FF", "/%"])
  func refusesBrokenEscapes(target: String) throws {
    let server = try LoopbackServer(handler: Self.echo)
    #expect(try ask(server, "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").status == 400)
  }

  @Test func readsTheOriginFormOfAnAbsoluteTarget() throws {
    let server = try LoopbackServer(handler: Self.echo)
    #expect(try ask(server, "GET http://h:1/p/q?a=b HTTP/1.1\r\nHost: h:1\r\n\r\n").text == "GET|p,q|a=b|")
  }

  @Test func keepsAllValuesOfAHeaderAndFindsThemInAnyCase() throws {
    let server = try LoopbackServer { request in
      ServerResponse(
        status: 200,
        text: request.headers.all("cookie").joined(separator: "|") + "#" + "\(request.headers["NONE"] ?? "-")")
    }
    let answer = try ask(server, "GET / HTTP/1.1\r\nHost: a\r\nCookie: a=1\r\nCOOKIE: b=2\r\n\r\n")
    #expect(answer.text == "a=1|b=2#-")
  }

  @Test func writesHeadersAsSpeltAndRepeatsAsLines() throws {
    let server = try LoopbackServer { _ in
      var response = ServerResponse(status: 200, headers: ["x-LOW": "1", "Set-Cookie": "a=1"], text: "hi")
      response.headers.add("Set-Cookie", "b=2; Path=/")
      return response
    }
    let answer = try ask(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(answer.headers.map(\.name).sorted() == ["Content-Length", "Set-Cookie", "Set-Cookie", "x-LOW"])
    #expect(answer.all("set-cookie") == ["a=1", "b=2; Path=/"])
  }

  @Test func sendsNoLengthWithoutABody() throws {
    let server = try LoopbackServer { _ in ServerResponse(status: 204) }
    #expect(try ask(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").headers.isEmpty)
  }

  @Test func readsBodiesUpToTheLimitAndKeepsTheConnection() throws {
    let server = try LoopbackServer(bodyLimit: 100_000, handler: Self.echo)
    let connection = try RawConnection(port: server.port)
    for (length, status) in [(100_000, 200), (100_001, 413), (0, 200)] {
      connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
      connection.send([UInt8](repeating: 97, count: length))
      let answer = try connection.answer()
      #expect(answer.status == status)
      #expect(answer.body.count == (status == 200 ? length + 7 : 0))
    }
  }

  @Test func cutsTheBodyShortOfItsLength() throws {
    let server = try LoopbackServer { _ in
      var response = ServerResponse(status: 200, text: "0123456789")
      response.delivery.cutAfter = 4
      return response
    }
    #expect(throws: RawConnection.Failure.endedEarly(received: 4)) {
      try ask(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    }
  }

  @Test func aBodyWithAPaceComesWhole() throws {
    let server = try LoopbackServer { _ in
      var response = ServerResponse(status: 200, text: "0123456789")
      response.delivery.bytesPerSecond = 40
      return response
    }
    #expect(try ask(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").text == "0123456789")
  }

  /// At its pace it would take a day.
  @Test func aBodyWithAPaceDoesNotComeAtOnce() throws {
    let length = 864_000
    let server = try LoopbackServer { _ in
      var response = ServerResponse(status: 200, body: [UInt8](repeating: 97, count: length))
      response.delivery.bytesPerSecond = 10
      return response
    }
    let connection = try RawConnection(port: server.port)
    connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    try connection.waitForBytes()
    server.stop()
    let failure = #expect(throws: RawConnection.Failure.self) { try connection.answer() }
    guard case .endedEarly(let received)? = failure else { throw RawConnection.Failure.timedOut }
    #expect(received < length)
  }

  @Test func aDelayedAnswerComes() throws {
    let server = try LoopbackServer { _ in ServerResponse(status: 200, delivery: Delivery(delay: .milliseconds(1))) }
    #expect(try ask(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
  }

  @Test func anAnswerWithADelayHoldsUpNobodyAndEndsWithTheServer() throws {
    let server = try LoopbackServer { request in
      ServerResponse(status: 200, delivery: Delivery(delay: request.path == "/late" ? .seconds(86_400) : .zero))
    }
    let late = try RawConnection(port: server.port)
    late.send("GET /late HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try ask(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
    server.stop()
    #expect(late.isClosedUnanswered())
  }

  @Test func resetsTheConnectionRatherThanClosingIt() throws {
    let server = try LoopbackServer { _ in ServerResponse(status: 200, delivery: Delivery(ending: .reset)) }
    for _ in 1...20 {
      #expect(throws: RawConnection.Failure.reset) { try ask(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
    }
  }

  @Test func aHangingAnswerHoldsUpNobodyAndEndsWithTheServer() throws {
    let server = try LoopbackServer { request in
      ServerResponse(status: 200, delivery: Delivery(ending: request.path == "/hang" ? .hang : .answer))
    }
    let hanging = try RawConnection(port: server.port)
    hanging.send("GET /hang HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try ask(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
    server.stop()
    #expect(hanging.isClosedUnanswered())
  }

  @Test func refusesAPortThatIsTaken() throws {
    let server = try LoopbackServer(handler: Self.echo)
    #expect(throws: ServerError.cannotListen(port: server.port, code: EADDRINUSE)) {
      try LoopbackServer(port: server.port, handler: Self.echo)
    }
  }

  @Test func refusesACertificateThatIsNone() {
    #expect(throws: ServerError.unusableCertificate) {
      try LoopbackServer(tls: .init(certificate: "no", key: "no"), handler: Self.echo)
    }
  }

  @Test func isGoneWhenItHasStopped() throws {
    let server = try LoopbackServer(handler: Self.echo)
    let idle = try RawConnection(port: server.port)
    idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try idle.answer().status == 200)
    server.stop()
    server.stop()
    #expect(idle.isClosedUnanswered())
    #expect(throws: RawConnection.Failure.cannotConnect) { try RawConnection(port: server.port) }
  }

  @Test func answersAfterHalfARequestOfAnotherClient() throws {
    let server = try LoopbackServer(handler: Self.echo)
    let half = try RawConnection(port: server.port)
    half.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Len")
    #expect(try ask(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
  }
}
