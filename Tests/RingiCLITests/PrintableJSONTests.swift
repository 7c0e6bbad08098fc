import JSON
import Testing

@testable import RingiClient

@Suite struct PrintableJSONTests {
  private let value: JSONValue = ["title": "\u{1B}[2J\u{9B}1m\u{7F}\u{202E}gnp\u{2028}\u{0}", "\u{85}": "承認 é"]

  @Test(arguments: [false, true])
  func whatWouldActIsEscapedAndMeansTheSame(pretty: Bool) throws {
    let text = PrintableJSON.text(of: value, pretty: pretty)
    #expect(text.contains("\\u001b[2J\\u009b1m\\u007f\\u202egnp\\u2028\\u0000") || text.contains("\\u001B[2J"))
    #expect(
      !text.unicodeScalars.contains { $0 != "\n" && ($0.properties.generalCategory == .control || $0 == "\u{202E}") })
    #expect(text.contains("承認 é"))
    #expect(try JSONValue(parsing: text) == value)
  }
}
