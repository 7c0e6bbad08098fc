import Testing

@testable import HTTP

@Suite struct PercentEncodingTests {
  @Test func everythingButUnreservedCharactersIsEncoded() {
    #expect(PercentEncoding.encode("aZ09-._~") == "aZ09-._~")
    #expect(PercentEncoding.encode("sb-x!b1|w $=+/ü") == "sb-x%21b1%7Cw%20%24%3D%2B%2F%C3%BC")
    #expect(PercentEncoding.pairs([("a&", "b="), ("c", "")]) == "a%26=b%3D&c=")
  }
}
