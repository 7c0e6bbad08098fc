import JSON
import Testing

@Suite struct JSONValueTests {
  static let text = #"{"n":null,"t":true,"i":-7,"r":2.0,"s":"だ\u0000!","a":[1,"x",[]],"o":{"k":{}}}"#

  @Test func membersAreReadByTheirKinds() throws {
    let value = try JSONValue(parsing: Self.text)
    #expect(value.object?.map(\.value.kind) == [.null, .bool, .integer, .real, .string, .array, .object])
    #expect(value["n"]?.isNull == true)
    #expect(value["t"]?.bool == true)
    #expect(value["i"]?.int == -7)
    #expect(value["i"]?.double == -7)
    #expect(value["r"]?.double == 2)
    #expect(value["s"]?.string == "だ\0!")
    #expect(value["a"]?.array?.count == 3)
    #expect(value["a"]?[1]?.string == "x")
    #expect(value["o"]?["k"]?.object?.isEmpty == true)
    #expect(value.object?.keys == ["n", "t", "i", "r", "s", "a", "o"])
  }

  @Test func anotherKindAnswersNil() throws {
    let value = try JSONValue(parsing: Self.text)
    #expect(value["missing"] == nil && value["a"]?["x"] == nil && value["i"]?["x"] == nil)
    #expect(value[0] == nil && value["a"]?[3] == nil && value["a"]?[-1] == nil)
    #expect(value["n"]?.bool == nil && value["t"]?.int == nil && value["s"]?.double == nil && value["i"]?.string == nil)
    #expect(value.array == nil && value["a"]?.object == nil && value["s"]?.array == nil)
    #expect(value["i"]?.withUTF8 { $0.count } == nil)
  }

  @Test func aRealWithoutAFractionIsAnIntToo() throws {
    let values = try JSONValue(parsing: "[2.0,2.5,-0.0,9007199254740993.0,9.3e18,1e300]").array
    #expect(values?.map(\.int) == [2, nil, 0, 9_007_199_254_740_992, nil, nil])
  }

  @Test func bytesOfAStringAreReadInPlace() {
    let value: JSONValue = "だ\0"
    #expect(value.withUTF8 { Array($0) } == [0xE3, 0x81, 0xA0, 0])
    #expect(JSONValue("").withUTF8 { $0.count } == 0)
  }

  @Test func aPartOutlivesItsWhole() throws {
    var whole: JSONValue? = try JSONValue(parsing: #"{"a":[{"b":"kept"}]}"#)
    let part = whole?["a"]?[0]
    let elements = whole?["a"]?.array
    let members = part?.object
    whole = nil
    #expect(part?["b"]?.string == "kept")
    #expect(elements?[0]["b"]?.string == "kept")
    #expect(members?["b"]?.string == "kept")
  }

  @Test func equalityKnowsIntegersFromRealsAndNoOrder() throws {
    func same(_ left: String, _ right: String) throws -> Bool {
      try JSONValue(parsing: left) == JSONValue(parsing: right)
    }
    #expect(try same(#"{"a":1,"b":[true,null]}"#, #"{ "b" : [true,null], "a":1 }"#))
    #expect(try same(#""\u00e9\n""#, "\"é\\u000a\""))
    #expect(try !same("1", "1.0"))
    #expect(try !same("[1]", "[1.0]"))
    #expect(try !same("[1,2]", "[2,1]"))
    #expect(try !same("{\"a\":1}", "{\"a\":1,\"b\":1}"))
    #expect(try !same("0", "false") && !same("null", "false") && !same("\"1\"", "1") && !same("[]", "{}"))
    #expect(try same("0.0", "-0.0"))
  }

  @Test func literalsAndBuildersMakeTheSameValues() throws {
    let literal: JSONValue = [
      "n": nil, "t": true, "i": -7, "r": 2.0, "s": "だ\0!", "a": [1, "x", []], "o": ["k": [:]],
    ]
    let built = JSONValue(object: [
      ("n", .null), ("t", JSONValue(true)), ("i", JSONValue(-7)), ("r", JSONValue(2.0)), ("s", JSONValue("だ\0!")),
      ("a", JSONValue(array: [JSONValue(Int64(1)), "x", .emptyArray])), ("o", ["k": .emptyObject]),
    ])
    #expect(literal == built)
    #expect(literal.description == Self.text)
  }

  @Test func aRealWithoutJSONFormIsNull() {
    #expect(JSONValue(Double.nan).isNull && JSONValue(-Double.infinity).isNull)
  }

  @Test func theLastOfTwoKeysWinsInTheFirstPlace() throws {
    let parsed = try JSONValue(parsing: #"{"a":1,"b":2,"a":3}"#)
    #expect(parsed.description == #"{"a":3,"b":2}"#)
    #expect(JSONValue(object: [("a", 1), ("b", 2), ("a", 3)]).description == #"{"a":3,"b":2}"#)
  }

  @Test func integersBeyond64BitsBecomeRealsWhereThatIsWanted() throws {
    let options = JSONParsingOptions(largeIntegers: .asReal)
    let text = #"[18446744073709551615,{"id":-9223372036854775809,"n":9223372036854775807},"18446744073709551615"]"#
    let expected =
      #"[1.8446744073709552e+19,{"id":-9.223372036854776e+18,"n":9223372036854775807},"18446744073709551615"]"#
    #expect(try JSONValue(parsing: text, options: options).description == expected)
    let huge = String(repeating: "9", count: 400)
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: huge, options: options) }
  }

  @Test func everyFormOfBytesIsParsed() throws {
    let bytes = Array("[1]".utf8)
    #expect(try JSONValue(parsing: bytes) == [1])
    #expect(try JSONValue(parsing: ([0x20] + bytes)[1...]) == [1])
    #expect(try bytes.withUnsafeBytes { try JSONValue(parsing: $0) } == [1])
    #expect(try JSONValue(parsing: "[1]") == [1])
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [UInt8]()) }
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: UnsafeRawBufferPointer(start: nil, count: 0)) }
  }

  @Test func manyTasksMayReadAndDropOneValue() async throws {
    let value = try JSONValue(parsing: "[\(Array(repeating: Self.text, count: 50).joined(separator: ","))]")
    let lengths = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var total = 0
          for _ in 0..<20 {
            for index in 0..<50 { total += value[index]?["a"]?[1]?.string?.count ?? 0 }
            total += value.description.utf8.count
          }
          return total
        }
      }
      return await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(lengths == [20 * (50 + value.description.utf8.count)])
  }
}
