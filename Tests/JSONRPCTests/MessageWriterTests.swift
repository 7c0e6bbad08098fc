import JSON
import JSONRPC
import Testing

@Suite struct MessageWriterTests {
  private func text(_ body: (inout [UInt8]) -> Void) -> String {
    var output: [UInt8] = []
    body(&output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test func aResponseGivesTheIDBackAsItCame() {
    let id = Array("18446744073709551615".utf8)
    let response = text { output in
      id.withUnsafeBufferPointer { MessageWriter.beginResult(id: $0, in: &output) }
      output.append(literal: "68.32")
      MessageWriter.end(&output)
    }
    #expect(response == #"{"jsonrpc":"2.0","id":18446744073709551615,"result":68.32}"#)
  }

  @Test func anErrorWithoutAnIDHasNullForIt() throws {
    let response = try JSONValue(parsing: text { MessageWriter.error(.invalidRequest("m"), id: nil, in: &$0) })
    #expect(response["id"] == .null)
    #expect(response["error"]?["code"] == -32600)
    #expect(response["result"] == nil)
  }

  @Test func aNotificationHasNoID() {
    let message = text { MessageWriter.notification("a\"b", in: &$0) { $0.append(literal: "[1]") } }
    #expect(message == #"{"jsonrpc":"2.0","method":"a\"b","params":[1]}"#)
  }

  @Test func aRequestLeavesOutParamsThatItLacks() {
    #expect(
      text { MessageWriter.request("m", id: 7, params: nil, in: &$0) } == #"{"jsonrpc":"2.0","id":7,"method":"m"}"#)
    #expect(
      text { MessageWriter.request("m", id: 7, params: ["a": 1], in: &$0) }
        == #"{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1}}"#)
  }

  @Test(arguments: [0, 1, 9, 10, 99, 100, 12_345])
  func theHeaderIsTheLengthAlone(length: Int) {
    let framed = text { output in
      output.append(literal: "before")
      let start = output.count
      output += repeatElement(UInt8(ascii: "x"), count: length)
      MessageWriter.frame(.contentLength, from: start, in: &output)
    }
    #expect(framed == "beforeContent-Length: \(length)\r\n\r\n\(String(repeating: "x", count: length))")
  }

  @Test func charactersOfSeveralBytesCountByTheirBytes() {
    let framed = text { output in
      output += "稟🚀".utf8
      MessageWriter.frame(.contentLength, from: 0, in: &output)
    }
    #expect(framed == "Content-Length: 7\r\n\r\n稟🚀")
  }

  @Test func aLineEndsInANewline() {
    let framed = text { output in
      output += "{}".utf8
      MessageWriter.frame(.newline, from: 0, in: &output)
    }
    #expect(framed == "{}\n")
  }
}
