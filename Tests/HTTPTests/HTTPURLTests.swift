import Testing

@testable import HTTP

@Suite struct HTTPURLTests {
  @Test(arguments: [
    "", "host", "//host/x", "/path", "ftp://host/", "file:///etc/passwd", "http://", "http://a b/", "http://h:99999/",
    "http://h:x/", "http://h/\0", "javascript:x",
  ])
  func whatIsNoHTTPAddressIsRefused(_ text: String) {
    #expect(throws: HTTPError.self) { try HTTPURL(text) }
  }

  @Test(arguments: [
    "https:///u:p@h/x", "https://u@h/", "https://h/?", "https://h/?a=b", "https://h/#", "https://h/x#y",
    "https:\\\\u:p@h/x", "https://h\\@g/", "/x", "",
  ])
  func aBaseAddressHasNothingButSchemeHostPortAndPath(_ text: String) throws {
    #expect(throws: HTTPError.self) { try HTTPURL(base: text) }
    #expect(try HTTPURL(base: "https://h:8443/a@b/").text == "https://h:8443/a@b/")
  }

  @Test func schemeAndHostAreLowerCaseAndThePortIsKnown() throws {
    #expect(try HTTPURL("HTTP://Example.ORG/A").origin == HTTPURL("http://example.org:80/b").origin)
    #expect(try HTTPURL("https://example.org").origin.port == 443)
    #expect(try HTTPURL("https://example.org").origin != HTTPURL("http://example.org").origin)
    #expect(try HTTPURL("http://[::1]:8080/x").origin.host == "[::1]")
  }

  @Test func aDescriptionShowsNoUserPasswordOrQuery() throws {
    let url = try HTTPURL("https://user:s3cr3t@example.org:8443/path?token=s3cr3t#s3cr3t")
    #expect("\(url)" == "https://example.org:8443/path")
    #expect(url.text == "https://user:s3cr3t@example.org:8443/path?token=s3cr3t")
  }

  @Test(arguments: ["http://h/base", "http://h/base/", "http://h/base?x=1"])
  func segmentsAreAddedWithOrWithoutAFinalSlash(_ base: String) throws {
    let url = try HTTPURL(base).appending("v1", "a/b c?#ü")
    #expect(url.text == "http://h/base/v1/a%2Fb%20c%3F%23%C3%BC")
    #expect("\(url)" == url.text)
  }

  @Test func dotsAreNamesToo() throws {
    #expect(try HTTPURL("http://h/a").appending("..", ".", "...").text == "http://h/a/%2E%2E/%2E/...")
  }

  @Test func aQueryIsEncodedAndMayRepeatNames() throws {
    let url = try HTTPURL("http://h/x").adding(query: [("status", "READY"), ("status", "RESERVED"), ("$top", "a&b=ü")])
    #expect(url.text == "http://h/x?status=READY&status=RESERVED&%24top=a%26b%3D%C3%BC")
    #expect(url.adding(query: [("y", "1")]).text == url.text + "&y=1")
    #expect(url.adding(query: []) == url)
  }

  @Test(arguments: [
    ("other", "http://h/a/other"), ("/root?q=1", "http://h/root?q=1"), ("//g/x", "http://g/x"),
    ("https://g/", "https://g/"), ("../up", "http://h/up"), ("?q", "http://h/a/b?q"), ("spa ce", "http://h/a/spa%20ce"),
  ])
  func aReferenceIsResolved(_ reference: String, _ expected: String) throws {
    #expect(try HTTPURL("http://h/a/b").resolving(reference).text == expected)
  }
}
