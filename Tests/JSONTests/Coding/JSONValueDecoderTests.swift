import JSON
import Testing

@Suite struct JSONValueDecoderTests {
  struct Inner: Codable, Hashable {
    var tags: [String]
    var count: UInt8?
  }

  struct Outer: Codable, Hashable {
    enum Level: String, Codable { case low, high }

    var name: String
    var flag: Bool
    var level: Level?
    var ratio: Double
    var inner: [Inner]
    var byName: [String: Int32]
  }

  static let text = #"""
    {"name":"だ\u0000","flag":true,"level":"high","ratio":2,"inner":[{"tags":[],"count":255},{"tags":["a"],"count":null}],
     "byName":{"x":-1},"unknown":[1]}
    """#

  private func error<T: Decodable>(_ text: String, _ type: T.Type) throws -> String? {
    let value = try JSONValue(parsing: text)
    return #expect(throws: JSONDecodingError.self) { try value.decode(type) }?.description
  }

  @Test func aStructureIsReadWithoutItsUnknownKeys() throws {
    let outer = try JSONValue(parsing: Self.text).decode(Outer.self)
    let expected = Outer(
      name: "だ\0", flag: true, level: .high, ratio: 2, inner: [Inner(tags: [], count: 255), Inner(tags: ["a"])],
      byName: ["x": -1])
    #expect(outer == expected)
  }

  @Test func whatIsMissingIsNamedWithItsPlace() throws {
    #expect(try error(#"{"inner":{}}"#, [String: Inner].self) == #"/inner: the key "tags" is missing"#)
    #expect(try error("{}", Inner.self) == #"the key "tags" is missing"#)
  }

  @Test func anotherKindIsNamedWithItsPlaceAndWithoutItsText() throws {
    #expect(try error(#"[{"tags":["a",7]}]"#, [Inner].self) == "/0/tags/1: expected a string, found an integer")
    #expect(
      try error(#"{"a/b":{"c~":"s3cr3t"}}"#, [String: [String: Int]].self)
        == "/a~1b/c~0: expected an integer, found a string")
    #expect(try error("null", Int.self) == "expected an integer, found null")
    #expect(try error("1", Bool.self) == "expected a boolean, found an integer")
    #expect(try error("true", Int.self) == "expected an integer, found a boolean")
    #expect(try error("{}", [Int].self) == "expected an array, found an object")
    #expect(try error("[]", [String: Int].self) == "expected an object, found an array")
    #expect(try error("\"1\"", Double.self) == "expected a number, found a string")
  }

  @Test func anIntegerOutOfRangeSaysTheRange() throws {
    #expect(
      try error(#"{"tags":[],"count":256}"#, Inner.self) == "/count: expected an integer from 0 to 255, found 256")
    #expect(try error("-1", UInt64.self) == "expected an integer from 0 to 18446744073709551615, found -1")
    #expect(
      try error("1e300", Int64.self)
        == "expected an integer from -9223372036854775808 to 9223372036854775807, found 1e+300")
    #expect(try error("1e39", Float.self) == "the number is too large for a Float")
  }

  @Test func aRealIsAnIntegerOnlyWithoutAFraction() throws {
    #expect(try JSONValue(parsing: "[1.0,-2e3]").decode([Int].self) == [1, -2000])
    #expect(try error("1.5", Int.self) == "expected an integer, found 1.5")
  }

  @Test func everyWidthIsReadWhole() throws {
    func same<T: FixedWidthInteger & Codable>(_ type: T.Type) throws {
      for number in [T.min, 0, T.max] where Int64(exactly: number) != nil {
        let value = try JSONValue(encoding: [number])
        #expect(value[0]?.int == Int64(number))
        #expect(try value.decode([T].self) == [number])
        #expect(try JSONValue(encoding: number).decode(T.self) == number)
      }
    }
    try same(Int.self)
    try same(Int8.self)
    try same(Int16.self)
    try same(Int32.self)
    try same(Int64.self)
    try same(UInt.self)
    try same(UInt8.self)
    try same(UInt16.self)
    try same(UInt32.self)
    try same(UInt64.self)
  }

  @Test func valuesPassThroughAsTheyAre() throws {
    struct Holder: Codable { var any: JSONValue, maybe: JSONValue?, absent: JSONValue? }
    let value = try JSONValue(parsing: #"{"any":[1,1.0,null,{"b":1,"a":2}],"maybe":null}"#)
    let holder = try value.decode(Holder.self)
    #expect(holder.any == value["any"])
    #expect(holder.maybe == nil)
    #expect(try JSONValue(encoding: holder).description == #"{"any":[1,1.0,null,{"b":1,"a":2}]}"#)
  }

  @Test func anErrorOfATypesOwnGetsThePlaceOfItsValue() throws {
    struct Refused: Error, CustomStringConvertible { var description: String { "no such colour" } }
    struct Colour: Decodable { init(from decoder: any Decoder) throws { throw Refused() } }
    #expect(try error(#"{"a":[0]}"#, [String: [Colour]].self) == "/a/0: no such colour")
    #expect(
      try error(#"{"a":"medium"}"#, [String: Outer.Level].self)
        == "/a: Cannot initialize Level from invalid String value medium")
  }

  @Test func elementsAreReadOneAfterTheOther() throws {
    struct Pair: Decodable {
      var left: Int, right: String?, isAtEnd: Bool
      init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        left = try container.decode(Int.self)
        right = try container.decodeIfPresent(String.self)
        isAtEnd = container.isAtEnd
        if isAtEnd { _ = try container.decode(Int.self) }
      }
    }
    let pair = try JSONValue(parsing: "[1,null,3]").decode(Pair.self)
    #expect(pair.left == 1 && pair.right == nil && !pair.isAtEnd)
    #expect(try error("[[1,\"a\"]]", [Pair].self) == "/0: expected more than 2 elements")
  }

  @Test func aSubclassReadsItsSuperclassFromSuper() throws {
    class Base: Codable { var a = 1 }
    final class Derived: Base {
      var b = 2
      private enum CodingKeys: CodingKey { case b }
      override init() { super.init() }
      required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        b = try container.decode(Int.self, forKey: .b)
        try super.init(from: container.superDecoder())
      }
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(b, forKey: .b)
        try super.encode(to: container.superEncoder())
      }
    }
    let value = try JSONValue(encoding: Derived())
    #expect(value.description == #"{"b":2,"super":{"a":1}}"#)
    let back = try JSONValue(parsing: #"{"b":20,"super":{"a":10}}"#).decode(Derived.self)
    #expect(back.a == 10 && back.b == 20)
  }
}
