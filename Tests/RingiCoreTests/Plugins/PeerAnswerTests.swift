import JSON
import Testing

@testable import RingiCore

/// Answers that go on as they came.
struct PeerAnswerTests {
  private static func read(_ line: String) -> (id: Int, result: String)? {
    Array(line.utf8).withUnsafeBufferPointer { line in
      PeerAnswer(line, JSONScanner()).map { ($0.id, String(decoding: line[$0.result], as: UTF8.self)) }
    }
  }

  @Test("A result is found wherever it stands, and taken as it is written")
  func result() {
    let answer = Self.read(#" {"result" : { "a":1.50, "a":[] } ,"id":7,"extra":0,"jsonrpc":"2.0"} "#)
    #expect(answer?.id == 7 && answer?.result == #"{ "a":1.50, "a":[] }"#)
    #expect(Self.read(#"{"jsonrpc":"2.0","\u0069d":3,"r\u0065sult":null}"#)?.result == "null")
  }

  @Test(
    "Anything else is left for a closer look",
    arguments: [
      #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#,
      #"{"jsonrpc":"2.0","id":1,"result":1,"error":null}"#,
      #"{"jsonrpc":"2.0","id":1,"method":"x","result":1}"#, #"{"id":1,"result":1}"#,
      #"{"jsonrpc":"1.0","id":1,"result":1}"#,
      #"{"jsonrpc":"2.0","id":1,"result":1,"result":2}"#, #"{"jsonrpc":"2.0","id":1,"id":2,"result":1}"#,
      #"{"jsonrpc":"2.0","id":1.0,"result":1}"#, #"{"jsonrpc":"2.0","id":"1","result":1}"#,
      #"{"jsonrpc":"2.0","id":1}"#,
      #"{"jsonrpc":"2.0","id":1,"result":1"#, #"{"jsonrpc":"2.0","id":1,"result":1} x"#, "[]", "",
      #"{"jsonrpc":"2.0","id":1,"m\u0065thod":"x","result":1}"#,
    ])
  func others(line: String) { #expect(Self.read(line) == nil) }
}
