import JSON
import JSONRPC
import Testing

@Suite struct MessageReaderTests {
  /// What a frame was read as, with the texts of its parts.
  private enum Reading: Equatable {
    case request(id: String?, method: String, params: String?)
    case invalid(id: String?)
    case batch([Reading])
    case emptyBatch
    case batchTooLong(Int)
  }

  private func read(_ text: String, maxDepth: Int = 256) throws(JSONSyntaxError) -> Reading {
    let bytes = Array(text.utf8)
    let result = bytes.withUnsafeBufferPointer { frame -> Result<Reading, JSONSyntaxError> in
      do throws(JSONSyntaxError) {
        return .success(Self.describe(try MessageReader(maxDepth: maxDepth, maxBatch: 10).read(frame), frame))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private static func describe(_ message: MessageReader.Message, _ frame: UnsafeBufferPointer<UInt8>) -> Reading {
    func text(_ part: Range<Int>) -> String { String(decoding: frame[part], as: UTF8.self) }
    func describe(_ result: Result<Request, Request.Invalid>) -> Reading {
      switch result {
      case .success(let request):
        .request(id: request.id.map(text), method: text(request.method), params: request.params.map(text))
      case .failure(let invalid): .invalid(id: invalid.id.map(text))
      }
    }
    switch message {
    case .single(let result): return describe(result)
    case .batch(let results): return .batch(results.map(describe))
    case .emptyBatch: return .emptyBatch
    case .batchTooLong(let count): return .batchTooLong(count)
    }
  }

  // MARK: Requests

  @Test func aRequestIsTheTextsOfItsMembers() throws {
    let reading = try read(#"{"jsonrpc" : "2.0", "id" : 7, "method" : "a.b", "params" : [1, {"x": 2}] , "more": {}} "#)
    #expect(reading == .request(id: "7", method: "a.b", params: #"[1, {"x": 2}]"#))
  }

  @Test func aNotificationHasNoID() throws {
    #expect(try read(#"{"jsonrpc":"2.0","method":"m"}"#) == .request(id: nil, method: "m", params: nil))
  }

  @Test(arguments: [
    "0", "-7", "42", #""""#, #""req-ü""#, #""007""#, "null", "3.14", "1e3", "1.0", "-0", "9007199254740993",
    "9223372036854775807", "18446744073709551615", "-99999999999999999999", "123456789012345678901234567890",
    #""\u00e9\n""#, #""a\u0000b""#,
  ])
  func anIDKeepsTheTextItWasWrittenIn(id: String) throws {
    #expect(try read(#"{"jsonrpc":"2.0","id":\#(id),"method":"m"}"#) == .request(id: id, method: "m", params: nil))
    #expect(
      try read(#"[1, {"method":"m","jsonrpc":"2.0","id":\#(id)}]"#)
        == .batch([.invalid(id: nil), .request(id: id, method: "m", params: nil)]))
  }

  @Test func ofTwoMembersWithOneNameTheLastCounts() throws {
    let text = #"{"jsonrpc":"1.0","jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"b","params":[1],"params":[2]}"#
    #expect(try read(text) == .request(id: "2", method: "b", params: "[2]"))
  }

  @Test func memberNamesMayBeWrittenWithEscapes() throws {
    let text = #"{"\u006asonrpc":"2.0","\u0069d":1,"\u006dethod":"m","p\u0061rams":{}}"#
    #expect(try read(text) == .request(id: "1", method: "m", params: "{}"))
  }

  @Test func anEscapedNameThatComesLaterCountsAsTheSameName() throws {
    let text = #"{"jsonrpc":"2.0","id":1,"method":"a","\u006dethod":"b"}"#
    #expect(try read(text) == .request(id: "1", method: "b", params: nil))
  }

  @Test func theVersionMayBeWrittenWithEscapes() throws {
    #expect(try read(#"{"jsonrpc":"\u0032.0","id":1,"method":"m"}"#) == .request(id: "1", method: "m", params: nil))
  }

  @Test func paramsOfNullAreNone() throws {
    let text = #"{"jsonrpc":"2.0","id":1,"method":"m","params":null}"#
    #expect(try read(text) == .request(id: "1", method: "m", params: nil))
  }

  @Test(arguments: [
    ("{}", nil), ("1", nil), (#""x""#, nil), ("null", nil), ("true", nil),
    (#"{"jsonrpc":"2.0","id":1}"#, "1"), (#"{"jsonrpc":"2.0","id":"a","method":1}"#, #""a""#),
    (#"{"jsonrpc":"2.0","id":null,"method":1}"#, "null"), (#"{"id":1,"method":"m"}"#, "1"),
    (#"{"jsonrpc":2.0,"id":1,"method":"m"}"#, "1"), (#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, "1"),
    (#"{"jsonrpc":"2.0","id":1,"method":"m","params":"bar"}"#, "1"),
    (#"{"jsonrpc":"2.0","id":1,"method":"m","params":5}"#, "1"),
    (#"{"jsonrpc":"2.0","id":18446744073709551615,"method":5}"#, "18446744073709551615"),
    (#"{"jsonrpc":"2.0","id":true,"method":"m"}"#, nil), (#"{"jsonrpc":"2.0","id":{},"method":"m"}"#, nil),
    (#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#, nil),
  ])
  func whatIsNoRequestIsToldWithTheIDItHas(text: String, id: String?) throws {
    #expect(try read(text) == .invalid(id: id))
  }

  // MARK: Batches

  @Test func aBatchIsReadElementByElement() throws {
    let text =
      #"[{"jsonrpc":"2.0","method":"a","id":1}, 7 ,[],{"jsonrpc":"2.0","method":"b","params":[3]},{"foo":"boo"}]"#
    #expect(
      try read(text)
        == .batch([
          .request(id: "1", method: "a", params: nil), .invalid(id: nil), .invalid(id: nil),
          .request(id: nil, method: "b", params: "[3]"), .invalid(id: nil),
        ]))
  }

  @Test(arguments: ["[]", " [ ] ", "\r\n[]"])
  func anEmptyBatchIsOneHoweverItIsSpaced(text: String) throws {
    #expect(try read(text) == .emptyBatch)
  }

  @Test func aBatchBehindWhiteSpaceIsABatch() throws {
    #expect(
      try read("\r\n\t [{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":1}]")
        == .batch([.request(id: "1", method: "m", params: nil)]))
  }

  @Test func aBatchOverTheLimitIsCountedAndNotRead() throws {
    let ten = repeatElement("1", count: 10).joined(separator: ",")
    #expect(try read("[\(ten)]") == .batch(Array(repeating: .invalid(id: nil), count: 10)))
    #expect(try read("[\(ten),1]") == .batchTooLong(11))
  }

  // MARK: Texts that are none

  @Test(arguments: [
    (#"{"jsonrpc":"2.0","method":"m","params":{"a":99999999999999999999}}"#, 44),
    (#"[{"jsonrpc":"2.0","method":"m"}, {"jsonrpc":"2.0","method":"m","params":[99999999999999999999]}]"#, 73),
    (#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"m","params":[18446744073709551615]}"#, 66),
  ])
  func anIntegerBeyond64BitsIsRefusedWhereItStands(text: String, byte: Int) throws {
    let error = #expect(throws: JSONSyntaxError.self) { try self.read(text) }
    #expect(error?.byte == byte)
    #expect(error?.column == byte + 1)
    #expect(error?.line == 1)
  }

  @Test(arguments: [
    #"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\ud800"}}"#,
    #"{"jsonrpc":"2.0","id":1,"method":"m","params":{"\udc00":1}}"#,
    #"{"jsonrpc":"2.0","id":"\ud83d","method":"m"}"#, #"{"jsonrpc":"2.0","id":1,"method":"\ud83dx"}"#,
    #"{"jsonrpc":"2.0","id":1,"method":"m","params":[1e400]}"#, #"{"jsonrpc":"2.0","id":1e400,"method":"m"}"#,
    #"{"jsonrpc":"2.0","method":"foobar","params":"bar","baz]"#,
    #"[{"jsonrpc":"2.0","id":"1"},{"jsonrpc":"2.0","method"]"#,
    "", "   ", "{", "nul", "{'a':1}", #"{"a":1,}"#, "[1,]", "{\"a\":\"\u{1}\"}",
  ])
  func whatIsNoJSONIsASyntaxError(text: String) {
    #expect(throws: JSONSyntaxError.self) { try self.read(text) }
  }

  @Test func bytesThatAreNoUTF8AreASyntaxError() {
    for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE7, 0xA8]] {
      let frame = Array(#"{"jsonrpc":"2.0","id":1,"method":"m","params":[""#.utf8) + bytes + Array(#""]}"#.utf8)
      frame.withUnsafeBufferPointer { frame -> Void in
        #expect(throws: JSONSyntaxError.self) { _ = try MessageReader(maxDepth: 256, maxBatch: 10).read(frame) }
      }
    }
  }

  @Test func nestingOverTheLimitIsASyntaxError() throws {
    func nested(_ depth: Int) -> String {
      let params = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      return #"{"jsonrpc":"2.0","method":"m","params":\#(params)}"#
    }
    #expect(try read(nested(7), maxDepth: 8) == .request(id: nil, method: "m", params: "[[[[[[[]]]]]]]"))
    #expect(throws: JSONSyntaxError.self) { try self.read(nested(8), maxDepth: 8) }
    #expect(throws: JSONSyntaxError.self) { try self.read("[\(nested(7))]", maxDepth: 8) }
  }

  // MARK: Junk behind a message

  @Test(arguments: [
    (#"{"a":1}\n\n"#, 7), (#"{"a":1}}"#, 7), (#"[1] {"#, 4), ("{} \r", nil), ("{", nil), ("}", nil), (#"{"a":}"#, nil),
    (#"{"a":1 2}"#, nil), ("[1}2]", nil),
  ])
  func theRestOfALineBeginsWhereAWholeTextEnds(text: String, rest: Int?) {
    let bytes = Array(text.utf8)
    bytes.withUnsafeBufferPointer { frame in
      let reader = MessageReader(maxDepth: 256, maxBatch: 10)
      do throws(JSONSyntaxError) {
        _ = try reader.read(frame)
        #expect(rest == nil)
      } catch {
        #expect(reader.restAfterWholeText(frame, error) == rest)
      }
    }
  }
}
