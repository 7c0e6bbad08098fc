import JSON
import Testing

@Suite struct SchemaValidatorTests {
  private func complaints(_ text: String, _ schema: Schema = SchemaTests.settings) throws -> [String] {
    schema.validate(try JSONValue(parsing: text)).map(\.description)
  }

  private func complaints(_ text: String, _ schema: String) throws -> [String] {
    try complaints(text, Schema(json: JSONValue(parsing: schema)))
  }

  @Test func whatFitsHasNoViolations() throws {
    let text = #"""
      {"url":"x","account":{"user":"u","password":"p"},"zone":null,"limit":5000.0,"port":9223372036854775807,
       "factor":2,"timeout":"500ms","fields":["だっふ"],"labels":{"a":1,"b":2},"who":{"group":"g"},"flag":false,"more":[]}
      """#
    #expect(try complaints(text) == [])
    #expect(try complaints(#"{"url":"x","zone":"west","who":"me"}"#) == [])
  }

  @Test func everyViolationIsFoundAtOnce() throws {
    let text = #"""
      {"url":"","account":{"usr":"u"},"zone":"north","limit":0,"port":1.5,"factor":2.01,"timeout":"30 s",
       "fields":["abcd",3,null],"labels":{"a":"1"},"who":{"grup":"g"},"flag":"yes","mroe":1}
      """#
    #expect(
      try complaints(text) == [
        #"/url: takes a string of at least 1 character, got """#,
        #"/account: the key "password" is missing; it takes a string, {"env": NAME}, {"file": PATH}, {"command": [PROGRAM, ARGUMENT…]} or {"credential": NAME}"#,
        #"/account/usr: unknown key "usr"; did you mean "user"?"#,
        #"/zone: takes "east", "west" or null, got "north""#,
        "/limit: takes an integer from 1 to 5000, got 0",
        "/port: takes an integer from 0, got 1.5",
        "/factor: takes a number from 0.5 to 2.0, got 2.01",
        #"/timeout: takes a duration such as "30s", in ms, s, m, h or d, got "30 s""#,
        "/fields: takes an array of 1 to 2 elements, got an array of 3",
        #"/labels/a: takes an integer, got "1""#,
        #"/who: the key "group" is missing; it takes a string"#,
        #"/who/grup: unknown key "grup"; did you mean "group"?"#,
        #"/flag: takes true or false, got "yes""#,
        #"/mroe: unknown key "mroe"; did you mean "more"?"#,
      ])
  }

  @Test func aMissingKeyIsAViolationOfItsObject() throws {
    let violations = SchemaTests.settings.validate([:])
    #expect(violations.map(\.pointer) == [.root])
    #expect(violations.map(\.message) == [#"the key "url" is missing; it takes a string of at least 1 character"#])
  }

  @Test func onlyAnUnknownKeyConcernsTheKey() {
    let violations = SchemaTests.settings.validate(["url": 1, "x": 1])
    #expect(violations.map(\.concernsKey) == [false, true])
    #expect(violations[1].message.hasPrefix(#"unknown key "x"; known are url, account"#))
  }

  @Test(arguments: [
    #"{"env":"A"}"#, #"{"file":"/a"}"#, #"{"command":["pass","show"]}"#, #"{"credential":"c"}"#, #""plain""#,
  ])
  func aSecretIsAStringOrSaysWhereItIs(_ text: String) throws {
    #expect(try complaints(text, .secret()) == [])
  }

  @Test(arguments: [
    "12345", "[\"hidden\"]", "null", #"{"env":12345}"#, #"{"command":[]}"#, #"{"command":["hidden",1]}"#,
    #"{"env":"hidden","file":"hidden"}"#, #"{"environment":"hidden"}"#, "{}",
  ])
  func aWrongSecretIsNeverShown(_ text: String) throws {
    for schema: Schema in [.secret(), .anyOf([.secret(), .boolean()])] {
      let found = try complaints(text, schema)
      #expect(found.count == 1)
      #expect(!found.joined().contains("hidden") && !found.joined().contains("12345"))
    }
    #expect(try complaints("null", .secret().nullable) == [])
  }

  @Test func whatStandsInPlaceOfAnObjectWithASecretIsNeverShown() throws {
    #expect(try complaints(#"{"url":"x","account":"hidden"}"#) == ["/account: takes an object, got a string"])
    let schema =
      ##"{"items":{"$ref":"#/$defs/s"},"$defs":{"s":{"properties":{"p":{"x-secret":true}},"type":"object"}}}"##
    #expect(try complaints(#"["hidden"]"#, schema) == ["/0: takes an object, got a string"])
  }

  @Test func referencesAreFollowedIntoTheDefinitions() throws {
    let tree =
      ##"{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"}}}}}"##
    #expect(try complaints(#"{"next":{"next":{}}}"#, tree) == [])
    #expect(try complaints(#"{"next":{"next":3}}"#, tree) == ["/next/next: takes an object, got 3"])
    let root = ##"{"type":["array","integer"],"items":{"$ref":"#"}}"##
    #expect(try complaints("[[1,[]],[[\"x\"]]]", root) == [#"/1/0/0: takes an array or an integer, got "x""#])
  }

  @Test func combinationsSayWhatTheyTake() throws {
    #expect(try complaints("1", #"{"oneOf":[{"minimum":0},{"maximum":9}]}"#) == ["fits more than one of any value"])
    #expect(try complaints("-1", #"{"oneOf":[{"minimum":0},{"maximum":9}]}"#) == [])
    #expect(try complaints("true", #"{"allOf":[{"type":"boolean"},{"const":false}]}"#) == ["takes false, got true"])
    #expect(try complaints("1", "false") == ["takes nothing, got 1"])
    #expect(
      try complaints("1", #"{"exclusiveMinimum":1,"exclusiveMaximum":3,"type":"integer"}"#)
        == ["takes an integer above 1 below 3, got 1"])
    #expect(try complaints("7", #"{"type":"number","maximum":3}"#) == ["takes a number up to 3, got 7"])
  }

  @Test func anIntegerAndARealAreOneNumber() throws {
    #expect(try complaints("1.0", #"{"enum":[1]}"#) == [])
    #expect(try complaints("1", #"{"const":1.0}"#) == [])
    #expect(try complaints("9223372036854775807", #"{"type":"integer","maximum":9223372036854775806}"#).count == 1)
  }

  @Test func aLongValueIsCut() throws {
    let found = try complaints(String(repeating: "\"", count: 1) + String(repeating: "x", count: 99) + "\"", .integer())
    #expect(found == ["takes an integer, got \"\(String(repeating: "x", count: 39))…\""])
  }
}
