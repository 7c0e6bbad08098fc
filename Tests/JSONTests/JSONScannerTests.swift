import JSON
import Testing

@Suite struct JSONScannerTests {
  private func members(_ text: String) throws -> [(key: String, escapes: Bool, value: String)] {
    let bytes = Array(text.utf8)
    var found: [(String, Bool, String)] = []
    try bytes.withUnsafeBufferPointer { buffer in
      _ = try JSONScanner().members(of: buffer) { member in
        found.append(
          (
            String(decoding: bytes[member.key], as: UTF8.self), member.keyHasEscapes,
            String(decoding: bytes[member.value], as: UTF8.self)
          ))
      }
    }
    return found
  }

  @Test func membersOfTheTopObjectAreReportedAndNoOthers() throws {
    let found = try members(#" {"id" : 7 , "pa\u0072ams":{"id":[1,{"id":2}]},"":"x" } "#)
    #expect(found.map(\.key) == ["id", #"pa\u0072ams"#, ""])
    #expect(found.map(\.escapes) == [false, true, false])
    #expect(found.map(\.value) == ["7", #"{"id":[1,{"id":2}]}"#, #""x""#])
  }

  @Test func anotherValueThanAnObjectHasNoMembersButIsChecked() throws {
    #expect(try members("[1]").isEmpty)
    #expect(throws: JSONSyntaxError.self) { try members("[1") }
  }

  @Test func elementsMayBeAnyValue() throws {
    let bytes = Array(#"[ {"a":1}, 7 ,[],"]" ]"#.utf8)
    var found: [String] = []
    let isArray = try bytes.withUnsafeBufferPointer { buffer in
      try JSONScanner().elements(of: buffer) { found.append(String(decoding: bytes[$0], as: UTF8.self)) }
    }
    #expect(isArray)
    #expect(found == [#"{"a":1}"#, "7", "[]", #""]""#])
  }

  @Test func elementsThatAreObjectsAreReportedAfterTheirMembers() throws {
    let bytes = Array(#"[{"a":1,"b":[{"c":2}]}, 7 ,{}, [{"d":1}],{"\u0061":3}]"#.utf8)
    var found: [String] = []
    let isArray = try bytes.withUnsafeBufferPointer { text in
      try JSONScanner().elements(of: text) { member in
        let name = member.isNamed("a", in: text) ? "a" : "another"
        found.append("\(name) is \(String(decoding: bytes[member.value], as: UTF8.self))")
      } element: {
        found.append(String(decoding: bytes[$0], as: UTF8.self))
      }
    }
    #expect(isArray)
    #expect(
      found == [
        "a is 1", #"another is [{"c":2}]"#, #"{"a":1,"b":[{"c":2}]}"#, "7", "{}", #"[{"d":1}]"#, "a is 3",
        #"{"\u0061":3}"#,
      ])
  }

  @Test func aFaultInsideAnElementIsFoundWhereverItIs() throws {
    for text in ["[{\"a\":1},{\"a\":}]", "[{},", "[{\"a\":1}]x", "[", "{\"a\":1", "[[1,]]"] {
      #expect(throws: JSONSyntaxError.self) {
        try Array(text.utf8).withUnsafeBufferPointer { text in
          try JSONScanner().elements(of: text, member: { _ in }, element: { _ in })
        }
      }
    }
  }

  @Test func duplicateKeysAreAllReported() throws {
    #expect(try members(#"{"a":1,"a":2}"#).map(\.value) == ["1", "2"])
  }

  @Test func aTextWithAFaultAfterItsMembersIsRefused() {
    #expect(throws: JSONSyntaxError.self) { try members(#"{"id":1} x"#) }
    #expect(throws: JSONSyntaxError.self) { try members("") }
  }

  @Test func largeIntegersAreAcceptedOnlyWhereThatIsWanted() throws {
    try Array("[18446744073709551615]".utf8).withUnsafeBufferPointer { text in
      #expect(throws: JSONSyntaxError.self) { try JSONScanner().validate(text) }
      try JSONScanner(JSONParsingOptions(largeIntegers: .asReal)).validate(text)
    }
  }

  @Test func anEmptyArrayHasNoElements() throws {
    var count = 0
    let isArray = try Array(" [ ] ".utf8).withUnsafeBufferPointer { text in
      try JSONScanner().elements(of: text) { _ in count += 1 }
    }
    #expect(isArray && count == 0)
  }
}
