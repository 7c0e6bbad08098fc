import JSON
import Testing

@Suite struct JSONSyntaxErrorTests {
  @Test(arguments: [
    ("", 1, 1, 0, "there is no JSON value in the text"),
    (" \n ", 2, 2, 3, "there is no JSON value in the text"),
    ("{\"a\":1,\n \"b\" 2}", 2, 6, 13, "expected ':' after a key, found '2'"),
    ("[\"だ\" x]", 1, 6, 7, "expected ',' or ']' after an element, found 'x'"),
    ("[1,]", 1, 4, 3, "expected a value, found ']'"),
    ("{\"a\":1,}", 1, 8, 7, "expected a key in double quotes, found '}'"),
    ("{'a':1}", 1, 2, 1, "expected a key in double quotes, found '''"),
    ("[1 2]", 1, 4, 3, "expected ',' or ']' after an element, found '2'"),
    ("{\"a\":1 \"b\"}", 1, 8, 7, "expected ',' or '}' after a member, found '\"'"),
    ("1 2", 1, 3, 2, "expected the end of the text after its value, found '2'"),
    ("{}\\n", 1, 3, 2, "expected the end of the text after its value, found '\\'"),
    ("[tru]", 1, 2, 1, "expected true, false or null"),
    ("tru", 1, 4, 3, "the text ends before its value does"),
    ("[1", 1, 3, 2, "the text ends before its value does"),
    ("\"a", 1, 3, 2, "the text ends before its value does"),
    ("\"a\tb\"", 1, 3, 2, "a string contains the control character U+0009; it must be escaped"),
    ("\"\\x\"", 1, 2, 1, "unknown escape; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u"),
    ("\"\\u12g4\"", 1, 2, 1, "\\u needs four hexadecimal digits"),
    ("{\"a\":\"\\ud800\"}", 1, 7, 6, "this escape is half of a surrogate pair"),
    ("\"x\\udc00\"", 1, 3, 2, "this escape is half of a surrogate pair"),
    ("\"\\ud800\\u0041\"", 1, 2, 1, "this escape is half of a surrogate pair"),
    ("{\"\\u0000\":1}", 1, 3, 2, "a key can't contain \\u0000"),
    ("[01]", 1, 2, 1, "a number can't begin with a zero followed by a digit"),
    ("[-]", 1, 3, 2, "expected a digit, found ']'"),
    ("[1.]", 1, 4, 3, "expected a digit, found ']'"),
    ("[1e]", 1, 4, 3, "expected a digit, found ']'"),
    ("[9223372036854775808]", 1, 2, 1, "the integer does not fit in 64 bits"),
    ("[-9223372036854775809]", 1, 2, 1, "the integer does not fit in 64 bits"),
    ("[1e400]", 1, 2, 1, "the number is too large for a real"),
    ("\u{FEFF}1", 1, 1, 0, "expected a value, found U+FEFF"),
  ])
  func pointsAtTheFirstWrongCharacter(_ text: String, line: Int, column: Int, byte: Int, message: String) {
    let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
    #expect(error?.line == line)
    #expect(error?.column == column)
    #expect(error?.byte == byte)
    #expect(error?.message == message)
  }

  @Test func aBadByteIsNamedInHexadecimal() {
    let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [0x5B, 0xFF, 0x5D]) }
    #expect(error?.description == "line 1, column 2: expected a value, found byte 0xFF")
  }

  @Test func theSecondOfTwoKeysIsNamedWhereItStands() {
    let text = "{\"a\":{\"x\":1},\n \"b\":[{\"ü\":1,\"\\u00fc\":2}]}"
    let options = JSONParsingOptions(duplicateKeys: .reject)
    let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text, options: options) }
    #expect(error?.description == "line 2, column 14: the key \"ü\" is already there in this object")
  }

  @Test func depthIsBounded() throws {
    let options = JSONParsingOptions(maxDepth: 3)
    #expect(throws: Never.self) { try JSONValue(parsing: "[[{\"a\":1}]]", options: options) }
    let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: "[[{\"a\":[]}]]", options: options) }
    #expect(error?.byte == 7)
    let deepest = String(repeating: "[", count: 2047) + String(repeating: "]", count: 2047)
    let unbounded = JSONParsingOptions(maxDepth: .max)
    #expect(try JSONValue(parsing: deepest, options: unbounded).description == deepest)
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: "[" + deepest + "]", options: unbounded) }
  }
}
