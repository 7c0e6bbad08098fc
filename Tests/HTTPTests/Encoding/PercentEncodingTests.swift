import Testing

@testable import HTTP

@Suite struct PercentEncodingTests {
  @Test func everythingButUnreservedCharactersIsEncoded() {
    #expect(PercentEncoding.encode("aZ09-._~") == "aZ09-._~")
    #expect(PercentEncoding.encode("sb-x!b1|w $=+/ü") == "sb-x%21b1%7Cw%20%24%3D%2B%2F%C3%BC")
    #expect(PercentEncoding.pairs([("a&", "b="), ("c", "")]) == "a%26=b%3D&c=")
  }

  @Test func aLongTextIsEncodedToItsEnd() {
    #expect(
      PercentEncoding.encode(String(repeating: "承認", count: 5000))
        == String(repeating: "%E6%89%BF%E8%AA%8D", count: 5000))
  }
}
