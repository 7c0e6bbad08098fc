import JSONRPC
import Testing

@Suite struct FrameReaderTests {
  /// Three messages, with characters of one to four bytes.
  private static let messages = [#"{"a":"d’achat – 🚀 ünï"}"#, "[1,2]", #"{"b":""}"#]

  private static func stream(_ framing: Framing, _ messages: [String] = messages) -> [UInt8] {
    messages.flatMap { message -> [UInt8] in
      switch framing {
      case .newline: Array("\(message)\n".utf8)
      case .contentLength: Array("Content-Length: \(message.utf8.count)\r\n\r\n\(message)".utf8)
      }
    }
  }

  // MARK: Detection

  @Test(arguments: [
    (#"{"a":1}"#, Framing.newline), ("[1]", .newline), ("x", .newline), ("  \r\n {", .newline),
    ("Content-Length: 1", .contentLength), ("content-length: 1", .contentLength),
    ("\nContent-Type: x", .contentLength),
  ])
  func theFirstByteThatIsNoBlankTellsTheFraming(text: String, framing: Framing) throws {
    var feed = FrameFeed()
    _ = try feed.feed(text)
    #expect(feed.reader.framing == framing)
  }

  @Test(arguments: [Framing.newline, .contentLength])
  func aByteOrderMarkAtTheFrontIsDroppedHoweverItArrives(framing: Framing) throws {
    let stream = [0xEF, 0xBB, 0xBF] + Self.stream(framing)
    var whole = FrameFeed()
    #expect(try whole.feed(stream) == Self.messages.map { .message($0) })
    var bytewise = FrameFeed()
    #expect(try stream.flatMap { try bytewise.feed([$0]) } == Self.messages.map { .message($0) })
  }

  @Test func aByteOrderMarkFurtherOnBelongsToItsMessage() throws {
    var feed = FrameFeed()
    #expect(try feed.feed("1\n\u{FEFF}2\n") == [.message("1"), .message("\u{FEFF}2")])
  }

  @Test func linesMayEndInCRLFAndBlankLinesAreNothing() throws {
    var feed = FrameFeed()
    #expect(try feed.feed("\r\n\n  \t\n1\r\n\r\n \n 2\n\n\n") == [.message("1\r"), .message("2")])
  }

  // MARK: Cuts

  @Test(arguments: [Framing.newline, .contentLength])
  func aStreamCutAtAnyByteHoldsTheSameMessages(framing: Framing) throws {
    let stream = Self.stream(framing)
    for cut in 0...stream.count {
      var feed = FrameFeed()
      let found = try feed.feed(stream[..<cut]) + feed.feed(stream[cut...])
      #expect(found == Self.messages.map { .message($0) }, "cut at byte \(cut)")
    }
  }

  @Test(arguments: [Framing.newline, .contentLength])
  func piecesOfAnySizeHoldTheSameMessages(framing: Framing) throws {
    let stream = Self.stream(framing)
    for size in 1...stream.count {
      var feed = FrameFeed()
      let found = try stride(from: 0, to: stream.count, by: size).flatMap { start in
        try feed.feed(stream[start..<min(start + size, stream.count)])
      }
      #expect(found == Self.messages.map { .message($0) }, "pieces of \(size) bytes")
    }
  }

  @Test func randomMessagesInRandomPiecesComeOutAsTheyWentIn() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let framing = Bool.random(using: &random) ? Framing.newline : .contentLength
      let messages = (0..<Int.random(in: 1...20, using: &random)).map { _ in Self.message(&random) }
      var rest = Self.stream(framing, messages)[...]
      var feed = FrameFeed()
      var found: [FrameFeed.Found] = []
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...80, using: &random))
        found += try feed.feed(piece)
        rest = rest.dropFirst(piece.count)
      }
      #expect(found == messages.map { .message($0) })
    }
  }

  private static func message(_ random: inout SystemRandomNumberGenerator) -> String {
    let character = "xé稟🚀".randomElement(using: &random) ?? "x"
    return "{" + String(repeating: character, count: .random(in: 0...60, using: &random)) + "}"
  }

  // MARK: Too long

  @Test func aLineOfJustTheLimitPassesAndOneByteMoreDoesNot() throws {
    var feed = FrameFeed(maxMessageBytes: 10)
    #expect(try feed.feed("1234567890\n12345678901\n2\n") == [.message("1234567890"), .tooLong, .message("2")])
  }

  @Test func aLineThatNeverEndsIsToldOnceAndHeldByNobody() throws {
    var feed = FrameFeed(maxMessageBytes: 1000)
    var found: [FrameFeed.Found] = []
    for _ in 0..<1000 { found += try feed.feed(repeatElement(UInt8(ascii: "x"), count: 100)) }
    #expect(found == [.tooLong])
    #expect(feed.mostHeld <= 1000)
    #expect(try feed.feed("x\n1\n") == [.message("1")])
  }

  @Test func aBodyOfJustTheLimitPassesAndOneByteMoreDoesNot() throws {
    var feed = FrameFeed(maxMessageBytes: 10)
    let stream = Self.stream(.contentLength, ["1234567890", "12345678901", "2"])
    #expect(try feed.feed(stream) == [.message("1234567890"), .tooLong, .message("2")])
  }

  @Test func aGibibyteIsRefusedAtItsHeaderAndSkippedAsItComes() throws {
    var feed = FrameFeed(maxMessageBytes: 1 << 20)
    #expect(try feed.feed("Content-Length: 1073741824\r\n\r\n") == [.tooLong])
    let piece = [UInt8](repeating: UInt8(ascii: "{"), count: 1 << 20)
    for _ in 0..<1024 { #expect(try feed.feed(piece).isEmpty) }
    #expect(feed.mostHeld == 0)
    #expect(try feed.feed(Self.stream(.contentLength, ["1"])) == [.message("1")])
  }

  @Test(arguments: [
    "9223372036854775807", "9223372036854775808", "9223372036854775809", String(repeating: "9", count: 99),
  ])
  func aLengthBeyondEveryCounterIsTooLong(digits: String) throws {
    var feed = FrameFeed()
    #expect(try feed.feed("Content-Length: \(digits)\r\n\r\n{}") == [.tooLong])
  }

  // MARK: Headers

  @Test(arguments: [
    "Content-Length: 1\r\n\r\n", "content-length:1\r\n\r\n", "CONTENT-LENGTH: \t 1 \r\n\r\n",
    "Content-Length: 001\r\n\r\n",
    "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 1\r\n\r\n",
    "Content-Length: 1\r\nX-Other: 2\r\n\r\n", "Content-Length: 1\n\n",
    "Content-Length: 1\r\nContent-Length: 1\r\n\r\n",
  ])
  func headersAreReadInAnyFormThatIsPlain(headers: String) throws {
    var feed = FrameFeed()
    #expect(try feed.feed("\(headers)1\(headers)2") == [.message("1"), .message("2")])
  }

  @Test(arguments: [
    "Content-Length: abc\r\n\r\n", "Content-Length: -5\r\n\r\n", "Content-Length: +5\r\n\r\n",
    "Content-Length: 1 2\r\n\r\n", "Content-Length: 0x10\r\n\r\n", "Content-Length:\r\n\r\n",
    "Content-Length: 1.0\r\n\r\n", "Content-Type: x\r\n\r\n", "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "Content-Length 5\r\n\r\n",
  ])
  func headersThatHideTheEndOfTheMessageEndTheStream(headers: String) {
    var feed = FrameFeed()
    #expect(throws: FramingError.self) { _ = try feed.feed("\(headers)12345") }
  }

  @Test func headersWithoutEndEndTheStream() {
    for headers in ["C", "C: x\r\n", "C: x\r\nX: y\r\n"] {
      var feed = FrameFeed()
      let unit = headers.suffix(6)
      #expect(throws: FramingError.self) {
        _ = try feed.feed(
          headers + String(repeating: String(unit), count: FrameReader.maxHeaderBytes / unit.utf8.count + 1))
      }
      #expect(feed.mostHeld <= FrameReader.maxHeaderBytes)
    }
  }

  @Test func blanksBetweenMessagesAreNothingWithHeadersToo() throws {
    var feed = FrameFeed()
    let stream = "Content-Length: 1\r\n\r\n1\r\n\nContent-Length: 1\r\n\r\n2"
    #expect(try feed.feed(stream) == [.message("1"), .message("2")])
  }

  @Test func aLengthOfZeroIsAnEmptyMessage() throws {
    var feed = FrameFeed()
    let stream = "Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\n2"
    #expect(try feed.feed(stream) == [.message(""), .message("2")])
  }

  // MARK: The end

  @Test func theLastLineNeedsNoNewline() throws {
    var feed = FrameFeed()
    #expect(try feed.feed("1\n {\"a\":2}") == [.message("1")])
    #expect(feed.end() == #" {"a":2}"#)
  }

  @Test(arguments: ["", "\n", "1\n  ", "Content-Length: 5\r\n\r\n123", "Content-Le"])
  func anEndWithoutALastMessageHoldsNothing(stream: String) throws {
    var feed = FrameFeed()
    _ = try feed.feed(stream)
    #expect(feed.end() == nil)
  }

  @Test func theEndOfALineThatWasTooLongHoldsNothing() throws {
    var feed = FrameFeed(maxMessageBytes: 3)
    #expect(try feed.feed("12345") == [.tooLong])
    #expect(try feed.feed("678").isEmpty)
    #expect(feed.end() == nil)
  }
}
