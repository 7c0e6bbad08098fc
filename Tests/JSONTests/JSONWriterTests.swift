import JSON
import Testing

@Suite struct JSONWriterTests {
  @Test func whatWasParsedIsWrittenAsItCame() throws {
    let text = #"{"a":[1,-2,3.5,1.0,-0.0,true,false,null],"ü":"だ\"\\\n\u0000","e":{},"l":[],"":""}"#
    #expect(try JSONValue(parsing: text).description == text)
  }

  @Test(arguments: [
    ("68.32", "68.32"), ("0.1", "0.1"), ("1.0", "1.0"), ("1", "1"), ("-0", "0"), ("-0.0", "-0.0"),
    ("9007199254740993", "9007199254740993"), ("-9223372036854775808", "-9223372036854775808"),
    ("9223372036854775807", "9223372036854775807"), ("1e22", "1e+22"), ("5e-324", "5e-324"), ("100000.0", "100000.0"),
    ("1E2", "100.0"), ("0.30000000000000004", "0.30000000000000004"), ("1e-400", "0.0"), ("0", "0"), ("-10", "-10"),
    ("1.7976931348623157e308", "1.7976931348623157e+308"), ("123456789012345678.0", "1.2345678901234568e+17"),
  ])
  func numbersAreWrittenInTheirShortestExactForm(_ text: String, _ expected: String) throws {
    #expect(try JSONValue(parsing: text).description == expected)
  }

  @Test func everyRealReadsBackAsItself() throws {
    var random = SplitMix(seed: 1)
    for _ in 0..<2000 {
      let real = Double(bitPattern: random.next())
      guard real.isFinite else { continue }
      let back = try JSONValue(parsing: JSONValue(real).utf8)
      #expect(back.kind == .real && back.double?.bitPattern == real.bitPattern)
    }
  }

  @Test func onlyWhatMustBeEscapedIs() {
    let all = String(String.UnicodeScalarView((0..<0x80).compactMap(Unicode.Scalar.init)))
    let expected =
      #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f"#
      + #"\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f"#
      + ##" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"##
      + "\u{7F}\""
    #expect(JSONValue(all).description == expected)
    #expect(JSONValue("é だ 😀 \u{2028}").description == "\"é だ 😀 \u{2028}\"")
  }

  @Test func randomTextsSurviveReadingAndWriting() throws {
    var random = SplitMix(seed: 7)
    for _ in 0..<300 {
      let value = try JSONValue(parsing: RandomText.make(&random))
      var pretty: [UInt8] = []
      value.write(into: &pretty, pretty: true)
      #expect(try JSONValue(parsing: value.utf8) == value)
      #expect(try JSONValue(parsing: pretty) == value)
    }
  }

  @Test func prettyTextHasALineForEachPart() {
    var output = Array("> ".utf8)
    let value: JSONValue = ["a": [1, [], ["b": [:]]], "c": "x\ny"]
    value.write(into: &output, pretty: true)
    #expect(
      String(decoding: output, as: UTF8.self) == #"""
        > {
          "a": [
            1,
            [],
            {
              "b": {}
            }
          ],
          "c": "x\ny"
        }
        """#)
  }

  @Test func aStringIsAppendedWithoutMakingAValue() {
    var output = Array("[".utf8)
    output.appendJSON("a\"だ\u{1}")
    output.appendJSON(Int64.min)
    output.appendJSON(0.5)
    #expect(String(decoding: output, as: UTF8.self) == #"["a\"だ\u0001"-92233720368547758080.5"#)
  }
}
