import JSON
import Testing

@Suite struct JSONTextTests {
  @Test func aTextStaysAsItWasWritten() throws {
    let written = #" { "a" : 1e2, "a":"\u0061\/" }"#
    let text = try JSONText(validating: Array(written.utf8))
    var output = Array("=".utf8)
    text.write(into: &output)
    #expect(String(decoding: output, as: UTF8.self) == "=" + written)
    #expect(JSONValue(text) == ["a": "a/"])
  }

  @Test func whatIsNoTextIsRefused() {
    #expect(throws: JSONSyntaxError.self) { try JSONText(validating: Array("{} {}".utf8)) }
  }

  @Test func aLargeIntegerThatWasLetPassBecomesAReal() throws {
    let options = JSONParsingOptions(largeIntegers: .asReal)
    let text = try JSONText(validating: Array("18446744073709551615".utf8), options: options)
    #expect(JSONValue(text) == 18446744073709551615.0)
  }

  @Test func aValueBecomesItsCompactText() {
    #expect(JSONText(["a": [1, nil]]).description == #"{"a":[1,null]}"#)
  }
}
