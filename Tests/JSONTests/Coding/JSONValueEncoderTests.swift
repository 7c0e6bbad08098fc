import Foundation
import JSON
import Testing

@Suite struct JSONValueEncoderTests {
  private func error(_ value: some Encodable) -> String? {
    #expect(throws: JSONEncodingError.self) { try JSONValue(encoding: value) }?.description
  }

  @Test func membersComeInTheOrderOfTheType() throws {
    struct Point: Encodable { var y = 1, x: [Double] = [0.1, 2], label: String?, name = "a\"\u{1}" }
    #expect(try JSONValue(encoding: Point()).description == #"{"y":1,"x":[0.1,2.0],"name":"a\"\u0001"}"#)
  }

  @Test func nothingEncodedIsAnEmptyObject() throws {
    struct Nothing: Encodable { func encode(to encoder: any Encoder) {} }
    #expect(try JSONValue(encoding: [Nothing()]).description == "[{}]")
    #expect(try JSONValue(encoding: [String: Int]()) == [:])
    #expect(try JSONValue(encoding: [Int]()) == [])
    #expect(try JSONValue(encoding: nil as Int?) == nil)
  }

  @Test func whatJSONCantHoldIsNamedWithItsPlace() {
    #expect(error(["a": [0.5, .infinity]]) == "/a/1: JSON has no form for the real inf")
    #expect(error(Float.nan) == "JSON has no form for the real nan")
    #expect(error([UInt64.max]) == "/0: the integer 18446744073709551615 does not fit in 64 bits")
  }

  @Test func anErrorOfATypesOwnGetsThePlaceOfItsValue() {
    struct Refused: Error, CustomStringConvertible { var description: String { "not today" } }
    struct Shy: Encodable { func encode(to encoder: any Encoder) throws { throw Refused() } }
    #expect(error(["a": [Shy()]]) == "/a/0: not today")
  }

  @Test func aFloatKeepsItsShortForm() throws {
    #expect(try JSONValue(encoding: Float(0.1)).description == "0.1")
  }

  @Test func nestedContainersFillTheirPlaces() throws {
    struct Nested: Encodable {
      enum Key: CodingKey { case list, object }
      func encode(to encoder: any Encoder) throws {
        var top = encoder.container(keyedBy: Key.self)
        var list = top.nestedUnkeyedContainer(forKey: .list)
        var object = top.nestedContainer(keyedBy: Key.self, forKey: .object)
        try list.encode(1)
        try object.encodeNil(forKey: .list)
        var inner = list.nestedUnkeyedContainer()
        try inner.encode(contentsOf: ["a", "b"])
        var innerObject = list.nestedContainer(keyedBy: Key.self)
        try innerObject.encode(true, forKey: .object)
        #expect(list.count == 3)
      }
    }
    #expect(
      try JSONValue(encoding: Nested()).description == #"{"list":[1,["a","b"],{"object":true}],"object":{"list":null}}"#
    )
  }

  @Test func otherCodersSeeTheSameValue() throws {
    let value: JSONValue = ["a": [nil, true, 1, 1.5, "x", [:], []]]
    let data = try JSONEncoder().encode(value)
    #expect(try JSONValue(parsing: Array(data)) == value)
    #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
  }

  @Test func severalContainersOfOneValueFillOneObjectOrArray() throws {
    struct Twice: Encodable {
      enum Key: CodingKey { case first, second }
      let isArray: Bool
      func encode(to encoder: any Encoder) throws {
        for key in [Key.first, .second] {
          if isArray {
            var container = encoder.unkeyedContainer()
            try container.encode(key.stringValue)
          } else {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: key)
          }
        }
      }
    }
    #expect(try JSONValue(encoding: Twice(isArray: false)).description == #"{"first":1,"second":1}"#)
    #expect(try JSONValue(encoding: Twice(isArray: true)).description == #"["first","second"]"#)
  }
}
