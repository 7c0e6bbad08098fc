import JSON
import Testing

@Suite struct JSONValueTests {
  @Test func whatWasParsedIsWrittenAsItCame() throws {
    let text = #"{"a":[1,-2,3.5,1.0,-0.0,true,false,null],"ü":"だ\"\\\n\u0000","e":{},"l":[]}"#
    #expect(try JSONValue(parsing: text).description == text)
  }
}
