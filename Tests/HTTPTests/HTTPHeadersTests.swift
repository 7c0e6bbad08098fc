import Testing

@testable import HTTP

@Suite struct HTTPHeadersTests {
  @Test func namesAreComparedWithoutRegardToCaseAndAllValuesAreKept() {
    var headers: HTTPHeaders = ["x-csrf-token": "A", "Set-Cookie": "a=1"]
    headers.add("SET-COOKIE", "b=2")
    #expect(headers["X-CSRF-Token"] == "A")
    #expect(headers.values("set-cookie") == ["a=1", "b=2"])
    #expect(headers["Missing"] == nil)
    headers["Set-Cookie"] = nil
    #expect(headers.values("set-cookie").isEmpty)
  }

  @Test(arguments: ["", "A B", "A:", "Ä", "A\r\n"])
  func aNameThatIsNoTokenIsFound(_ name: String) {
    #expect((["Fine": "x", name: "y"] as HTTPHeaders).firstMalformedName == name)
  }

  @Test(arguments: ["a\r\nInjected: b", "a\n", "a\0"])
  func aValueThatWouldBreakTheRequestApartIsFound(_ value: String) {
    #expect((["Name": value] as HTTPHeaders).firstMalformedName == "Name")
  }

  @Test func aUserAndAPasswordAreWrittenInUTF8() {
    #expect(HTTPHeaders.basic(user: "P1000001", password: "pä:ß") == "Basic UDEwMDAwMDE6cMOkOsOf")
  }
}
