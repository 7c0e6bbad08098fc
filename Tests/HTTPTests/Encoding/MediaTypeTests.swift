import Testing

@testable import HTTP

@Suite struct MediaTypeTests {
  @Test func typeAndCharsetAreReadInAnyCase() {
    #expect(MediaType("Text/HTML; Charset=UTF-8")?.essence == "text/html")
    #expect(MediaType("text/html;a=b ; charset=\"ISO-8859-1\"")?.charset == "iso-8859-1")
    #expect(MediaType("text/html")?.charset == nil)
    #expect(MediaType("html") == nil)
  }
}
