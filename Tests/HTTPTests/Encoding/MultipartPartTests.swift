import Testing

@testable import HTTP

@Suite struct MultipartPartTests {
  @Test func partsStandBetweenBoundariesWithTheirNames() throws {
    var request = HTTPRequest(.post, try HTTPURL("http://h/"))
    request.setBody(multipart: [
      MultipartPart("name", Array("佐藤 花子".utf8)),
      MultipartPart("data", Array("{}".utf8), contentType: "application/json"),
    ])
    let type = try #require(request.headers["Content-Type"])
    let boundary = try #require(type.split(separator: "boundary=").last)
    #expect(type == "multipart/form-data; boundary=\(boundary)")
    let body = String(decoding: try #require(request.body), as: UTF8.self)
    #expect(
      body == """
        --\(boundary)\r
        Content-Disposition: form-data; name="name"\r
        \r
        佐藤 花子\r
        --\(boundary)\r
        Content-Disposition: form-data; name="data"\r
        Content-Type: application/json\r
        \r
        {}\r
        --\(boundary)--\r

        """)
  }

  @Test func aNameCannotEndItsQuotesOrItsLine() {
    let body = MultipartPart.body([MultipartPart("a\"\r\nX-Evil: 1", [])], boundary: "b")
    #expect(String(decoding: body, as: UTF8.self).contains("name=\"a%22%0D%0AX-Evil: 1\"\r\n\r\n"))
  }

  @Test func eachRequestHasABoundaryOfItsOwn() {
    #expect(MultipartPart.boundary(for: []) != MultipartPart.boundary(for: []))
  }
}
