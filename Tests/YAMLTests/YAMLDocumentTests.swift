import JSON
import Testing
import YAML

@Suite struct YAMLDocumentTests {
  @Test func aDocumentIsItsValueInJSON() throws {
    let text = """
      # an API
      openapi: 3.0.3
      info: {title: "Users: all", version: '1.0'}
      paths:
        /users/{id}:
          get:
            summary: >-
              Reads
              a user.
            parameters: &common
              - name: id
                required: true
            responses:
              200: {description: ok}
          delete:
            parameters: *common
      """
    let parameters: JSONValue = [["name": "id", "required": true]]
    #expect(
      try YAMLDocument.parse(text) == [
        "openapi": "3.0.3", "info": ["title": "Users: all", "version": "1.0"],
        "paths": [
          "/users/{id}": [
            "get": [
              "summary": "Reads a user.", "parameters": parameters, "responses": ["200": ["description": "ok"]],
            ], "delete": ["parameters": parameters],
          ]
        ],
      ])
  }

  /// YAML 1.2.2, section 10.3.2: what other versions take for a boolean, a time or an octal number is none.
  @Test(
    arguments: [
      ("", .null), ("~", .null), ("NULL", .null), ("true", true), ("False", false), ("yes", "yes"), ("off", "off"),
      ("0", 0), ("-7", -7), ("+12", 12), ("007", 7), ("0o14", 12), ("0x1F", 31),
      ("9223372036854775807", 9_223_372_036_854_775_807),
      ("1.5", 1.5), (".5", 0.5), ("1e3", 1000.0), ("9223372036854775808", 9_223_372_036_854_775_808.0),
      ("1_000", "1_000"),
      ("2026-11-30", "2026-11-30"), ("12:30", "12:30"), ("0o8", "0o8"), ("0x", "0x"), ("'1'", "1"), ("\"a\\n\"", "a\n"),
      ("!!str 1", "1"), ("稟議", "稟議"),
    ] as [(String, JSONValue)])
  func aScalarIsWhatTheCoreSchemaSays(_ text: String, _ value: JSONValue) throws {
    #expect(try YAMLDocument.parse("a: \(text)") == ["a": value])
  }

  @Test func anEmptyDocumentIsNull() throws {
    for text in ["", "# nothing\n", "---\n...\n"] { #expect(try YAMLDocument.parse(text) == .null) }
  }

  @Test(arguments: [
    ("a: [1", 2, "did not find expected"), ("a: 1\n b: 2", 2, "mapping values"), ("a: 1\na: 2", 2, "occurs twice"),
    ("? [1]\n: 2", 1, "a key takes a scalar"), ("a: 1\n---\nb: 2", 2, "a second document"), ("a: *b", 1, "no anchor b"),
    ("a: .inf", 1, "JSON has no number"), ("a: !ruby/object x", 1, "is not taken"), ("a: !!set {}", 1, "is not taken"),
    ("b: &x {}\na:\n  <<: *x", 3, "<<"), ("a: &x [*x]", 1, "no anchor x"), ("\ta: 1", 1, "cannot start any token"),
  ])
  func whatHasNoFormIsRefusedWithItsPlace(_ text: String, _ line: Int, _ message: String) throws {
    let error = try #require(throws: YAMLError.self) { try YAMLDocument.parse(text) }
    #expect(error.line == line && error.message.contains(message), "\(error)")
  }

  @Test func aliasesThatMultiplyAreRefused() throws {
    var text = "a0: &a0 [x]\n"
    for level in 1...12 {
      let ten = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(ten)]\n"
    }
    let error = try #require(throws: YAMLError.self) { try YAMLDocument.parse(text) }
    #expect(error.message.contains("values"))
  }

  @Test func aDepthThatAliasesAddUpToIsRefused() throws {
    func nested(_ inner: String) -> String {
      String(repeating: "[", count: 100) + inner + String(repeating: "]", count: 100)
    }
    let text = "a: &a \(nested("x"))\nb: &b \(nested("*a"))\nc: \(nested("*b"))\n"
    let error = try #require(throws: YAMLError.self) { try YAMLDocument.parse(text) }
    #expect(error.line == 3 && error.message.contains("nested deeper"))
    _ = try YAMLDocument.parse("a: &a \(nested("x"))\nb: \(nested("*a"))\nc: [*a, *a]\n")
  }

  @Test func aDepthBeyondTheLimitIsRefused() throws {
    let error = try #require(throws: YAMLError.self) {
      try YAMLDocument.parse(String(repeating: "[", count: 100_000))
    }
    #expect(error.message.contains("nested deeper"))
  }
}
