import JSON
import Testing

@Suite struct JSONPatchTests {
  @Test(
    arguments: [
      (#"{"a":1}"#, #"{"a":1}"#, "[]"),
      (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, "[]"),
      (#"{"a":1}"#, #"{"a":1,"b":[]}"#, #"[{"op":"add","path":"/b","value":[]}]"#),
      (#"{"a":1,"b":2}"#, #"{"a":1}"#, #"[{"op":"remove","path":"/b"}]"#),
      (#"{"a":{"b":[1,{"c":2}]}}"#, #"{"a":{"b":[1,{"c":3}]}}"#, #"[{"op":"replace","path":"/a/b/1/c","value":3}]"#),
      (#"{"a":null}"#, "{}", #"[{"op":"remove","path":"/a"}]"#),
      (#"{"a":1}"#, #"{"a":1.0}"#, #"[{"op":"replace","path":"/a","value":1.0}]"#),
      ("1", "[1]", #"[{"op":"replace","path":"","value":[1]}]"#),
      ("{}", "[]", #"[{"op":"replace","path":"","value":[]}]"#),
      ("[1,2,3]", "[0,1,2,3]", #"[{"op":"add","path":"/0","value":0}]"#),
      ("[1,2,3]", "[1,3]", #"[{"op":"remove","path":"/1"}]"#),
      ("[1,2,3]", "[]", #"[{"op":"remove","path":"/2"},{"op":"remove","path":"/1"},{"op":"remove","path":"/0"}]"#),
      ("[1,1]", "[1,1,1]", #"[{"op":"add","path":"/2","value":1}]"#),
    ])
  func theStepsBetweenTwoValues(_ old: String, _ new: String, _ patch: String) throws {
    #expect(try between(old, new).json.description == patch)
  }

  /// RFC 6901, section 3: `~0` and `~1`; an empty key is a token, too.
  @Test func keysAreEscapedInPointers() throws {
    let patch = try between(#"{"a/b":1,"m~n":1,"":1,"~1":1}"#, #"{"a/b":2,"m~n":2,"":2,"~1":2}"#)
    #expect(patch.json.array?.map { $0["path"]?.string } == ["/a~1b", "/m~0n", "/", "/~01"])
    #expect(try patch.applied(to: ["a/b": 1, "m~n": 1, "": 1, "~1": 1]) == ["a/b": 2, "m~n": 2, "": 2, "~1": 2])
  }

  @Test func anIdentifierBeyondTheRangeOfDoublesIsKept() throws {
    let patch = try between(#"{"id":9007199254740993}"#, #"{"id":9007199254740992}"#)
    #expect(patch.json.description == #"[{"op":"replace","path":"/id","value":9007199254740992}]"#)
  }

  @Test func applyingGivesTheNewValueWhateverTheTwoAre() throws {
    var random = SplitMix(seed: 20_261_130)
    for _ in 0..<3000 {
      let (old, new) = (Self.value(&random, 4), Self.value(&random, 4))
      #expect(try JSONPatch(from: old, to: new).applied(to: old) == new)
      #expect(JSONPatch(from: old, to: old).isEmpty)
    }
  }

  /// RFC 6902, section 4.1: an `add` may replace a member, and `-` means an array's end.
  @Test func addTakesWhatTheSpecificationGivesIt() throws {
    #expect(try JSONPatch([.add(pointer("/a"), 2)]).applied(to: ["a": 1]) == ["a": 2])
    #expect(try JSONPatch([.add(pointer("/-"), 2)]).applied(to: [1]) == [1, 2])
    #expect(try JSONPatch([.add(.root, 2)]).applied(to: [1]) == 2)
  }

  @Test(
    arguments: [
      .remove(pointer("/x")), .replace(pointer("/x"), 1), .add(pointer("/x/y"), 1), .add(pointer("/a/2"), 1),
      .remove(pointer("/a/1")), .replace(pointer("/a/-"), 1), .replace(pointer("/a/00"), 1), .remove(.root),
      .add(pointer("/n/y"), 1),
    ] as [JSONPatch.Operation])
  func aStepWithoutAPlaceIsRefused(_ operation: JSONPatch.Operation) {
    #expect(throws: JSONPatch.ApplicationError.self) {
      try JSONPatch([operation]).applied(to: ["a": [1], "n": 1])
    }
  }

  private func between(_ old: String, _ new: String) throws -> JSONPatch {
    JSONPatch(from: try JSONValue(parsing: old), to: try JSONValue(parsing: new))
  }

  /// Small values of few kinds, so that two of them have much in common.
  private static func value(_ random: inout SplitMix, _ depth: Int) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 5 : 3), using: &random) {
    case 0: return JSONValue(Int.random(in: 0...2, using: &random))
    case 1: return .null
    case 2: return "x"
    case 3:
      return JSONValue(array: (0..<Int.random(in: 0...4, using: &random)).map { _ in value(&random, depth - 1) })
    default:
      return JSONValue(
        object: ["a", "b/c", "~", ""].shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random)).map {
          ($0, value(&random, depth - 1))
        })
    }
  }
}

private func pointer(_ text: String) -> JSONPointer { JSONPointer(text) ?? .root }
