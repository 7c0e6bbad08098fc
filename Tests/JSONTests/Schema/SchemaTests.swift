import JSON
import Testing

@Suite struct SchemaTests {
  static let settings: Schema = .object(
    "How to reach it",
    [
      "url": .string("Where", minLength: 1, format: "uri"),
      "account": .object(["user": .string(), "password": .secret("Kept")], required: ["password"]),
      "zone": .string(enum: ["east", "west"]).nullable,
      "limit": .integer("Rows", 1...5000).default(100),
      "port": .integer(nil, 0...),
      "factor": .number(minimum: 0.5, maximum: 2),
      "timeout": .duration().default("30s"),
      "fields": .array(of: .string(maxLength: 3), minItems: 1, maxItems: 2),
      "labels": .map("By name", of: .integer()),
      "who": .anyOf([.string(), .object(["group": .string()], required: ["group"])]),
      "flag": .boolean("Flag"),
      "more": .any,
    ], required: ["url"])

  @Test func theDocumentHasPropertiesInTheirOrder() {
    let expected =
      #"{"type":"object","properties":{"#
      + #""url":{"type":"string","minLength":1,"format":"uri","description":"Where"},"#
      + #""account":{"type":"object","properties":{"user":{"type":"string"},"#
      + #""password":{"type":["string","object"],"x-secret":true,"description":"Kept"}},"#
      + #""required":["password"],"additionalProperties":false},"#
      + #""zone":{"type":["string","null"],"enum":["east","west",null]},"#
      + #""limit":{"type":"integer","minimum":1,"maximum":5000,"description":"Rows","default":100},"#
      + #""port":{"type":"integer","minimum":0},"#
      + #""factor":{"type":"number","minimum":0.5,"maximum":2.0},"#
      + #""timeout":{"type":"string","x-duration":true,"default":"30s"},"#
      + #""fields":{"type":"array","items":{"type":"string","maxLength":3},"minItems":1,"maxItems":2},"#
      + #""labels":{"type":"object","additionalProperties":{"type":"integer"},"description":"By name"},"#
      + #""who":{"anyOf":[{"type":"string"},{"type":"object","properties":{"group":{"type":"string"}},"#
      + #""required":["group"],"additionalProperties":false}]},"#
      + #""flag":{"type":"boolean","description":"Flag"},"more":{}},"#
      + #""required":["url"],"additionalProperties":false,"description":"How to reach it"}"#
    #expect(Self.settings.json.description == expected)
    #expect(
      Self.settings.propertyNames == [
        "url", "account", "zone", "limit", "port", "factor", "timeout", "fields", "labels", "who", "flag", "more",
      ])
    #expect(Self.settings.required == ["url"])
    #expect(Self.settings.summary == "How to reach it")
    #expect(Self.settings.properties[3].schema.defaultValue == 100)
  }

  @Test func aDocumentReadAndWrittenIsTheSame() throws {
    let json = Self.settings.json
    #expect(try Schema(json: json).json.description == json.description)
    let foreign = try JSONValue(
      parsing:
        ##"{"$schema":"x","pattern":"^a","oneOf":[{},false,{"const":1}],"$defs":{"a/b":{"$ref":"#"}},"items":{"$ref":"#/$defs/a~1b"}}"##
    )
    #expect(try Schema(json: foreign).json.description == foreign.description)
  }

  @Test(arguments: [
    ("[]", "a schema is an object, true or false"),
    (
      #"{"type":"strin"}"#,
      "/type: this keyword takes a type or an array of types: null, boolean, integer, number, string, array, object"
    ),
    (
      #"{"type":[]}"#,
      "/type: this keyword takes a type or an array of types: null, boolean, integer, number, string, array, object"
    ),
    (#"{"properties":{"a":{"enum":1}}}"#, "/properties/a/enum: this keyword takes an array of values"),
    (#"{"items":{"minLength":-1}}"#, "/items/minLength: this keyword takes a number from 0"),
    (#"{"maximum":"1"}"#, "/maximum: this keyword takes a number"),
    (#"{"required":[1]}"#, "/required: this keyword takes an array of strings"),
    (#"{"anyOf":[]}"#, "/anyOf: this keyword takes an array of one schema or more"),
    (#"{"anyOf":[{},3]}"#, "/anyOf/1: a schema is an object, true or false"),
    (
      #"{"$ref":"http://x/y"}"#,
      ##"/$ref: this keyword takes "#" or "#/$defs/NAME"; references to other places are not followed"##
    ),
    (##"{"items":{"$ref":"#/$defs/x"}}"##, #"there is no "x" in $defs"#),
    (##"{"$ref":"#"}"##, ##"the $ref to "#" leads back to itself"##),
    (
      ##"{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}"##,
      #"the $ref to "a" leads back to itself"#
    ),
  ])
  func aWrongDocumentIsRefusedWithItsPlace(_ text: String, message: String) throws {
    let json = try JSONValue(parsing: text)
    let error = #expect(throws: SchemaError.self) { try Schema(json: json) }
    #expect(error?.description == message)
  }
}
