import JSON
import Testing

@Suite struct JSONPointerTests {
  /// The examples of RFC 6901, section 5.
  @Test(arguments: [
    ("", #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#),
    ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"),
    ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"),
  ])
  func leadsToTheValue(_ text: String, value: String) throws {
    let document = try JSONValue(
      parsing: #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#)
    let pointer = try #require(JSONPointer(text))
    #expect(document[pointer: pointer]?.description == value)
    #expect(pointer.description == text)
  }

  @Test(arguments: [
    "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/+1", "/foo/0/x", "/bar", "/n/x", "/foo/99999999999999999999",
  ])
  func leadsNowhere(_ text: String) throws {
    let document = try JSONValue(parsing: #"{"foo":["bar","baz"],"n":null}"#)
    #expect(document[pointer: try #require(JSONPointer(text))] == nil)
  }

  @Test(arguments: ["foo", "#/foo", "/~", "/a~2", "/~01/~"])
  func whatIsNoPointerIsRefused(_ text: String) {
    #expect(JSONPointer(text) == nil)
  }

  @Test func escapesAreUndoneOnce() {
    #expect(JSONPointer("/~01/~10")?.tokens == ["~1", "/0"])
    #expect(JSONPointer.root.appending("a~/").appending(3).description == "/a~0~1/3")
  }
}
