import JSON
import JSONRPC
import RingiTestSupport
import Testing

/// The examples of the JSON-RPC 2.0 specification, section 7, in its order.
@Suite struct SpecificationTests {
  /// What is sent, and what comes back: nothing, a message, or a batch in any order; of an error its code is compared.
  struct Example: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let sent: String
    let answer: JSONValue?

    init(_ name: String, _ sent: String, _ answer: JSONValue?) {
      testDescription = name
      self.sent = sent
      self.answer = answer
    }
  }

  private static func result(_ value: JSONValue, _ id: JSONValue) -> JSONValue {
    ["jsonrpc": "2.0", "result": value, "id": id]
  }

  private static func error(_ code: Int, _ id: JSONValue) -> JSONValue {
    ["jsonrpc": "2.0", "error": JSONValue(code), "id": id]
  }

  static let examples = [
    Example(
      "positional parameters", #"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#, result(19, 1)),
    Example(
      "positional parameters the other way round",
      #"{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}"#, result(-19, 2)),
    Example(
      "named parameters",
      #"{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}"#, result(19, 3)),
    Example(
      "named parameters in the other order",
      #"{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}"#, result(19, 4)),
    Example("a notification", #"{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}"#, nil),
    Example("a notification of a method that is not there", #"{"jsonrpc": "2.0", "method": "foobar"}"#, nil),
    Example("a method that is not there", #"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#, error(-32601, "1")),
    Example(
      "invalid JSON", #"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#, error(-32700, .null)),
    Example(
      "an invalid request object", #"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#, error(-32600, .null)),
    Example(
      "a batch of invalid JSON",
      #"[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method"]"#,
      error(-32700, .null)),
    Example("an empty array", "[]", error(-32600, .null)),
    Example("an invalid batch that isn't empty", "[1]", [error(-32600, .null)]),
    Example(
      "an invalid batch", "[1,2,3]", [error(-32600, .null), error(-32600, .null), error(-32600, .null)]),
    Example(
      "a batch",
      """
      [{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, \
      {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}, \
      {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"}, {"foo": "boo"}, \
      {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"}, \
      {"jsonrpc": "2.0", "method": "get_data", "id": "9"}]
      """,
      [
        result(7, "1"), result(19, "2"), error(-32600, .null), error(-32601, "5"), result(["hello", 5], "9"),
      ]),
    Example(
      "a batch of notifications",
      """
      [{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]}, \
      {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]
      """, nil),
  ]

  @Test(arguments: examples, [Framing.newline, .contentLength])
  func theSpecificationsExamplesAreAnsweredAsItSays(example: Example, framing: Framing) async throws {
    try await withAgent { agent in
      let client = try agent.connect(framing)
      // What is answered with nothing is followed by something that is answered.
      try client.send(example.sent, #"{"jsonrpc":"2.0","method":"agent.ping","id":"end"}"#)
      if let answer = example.answer {
        #expect(Self.comparable(try client.receive { $0["id"] != "end" }) == Self.comparable(answer))
      }
      #expect(try client.receive() == ["jsonrpc": "2.0", "result": "pong", "id": "end"])
    }
  }

  @Test func allExamplesInOneWriteAreAllAnswered() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.send(Self.examples.map(\.sent))
      let answers = try Self.examples.compactMap(\.answer).map { _ in Self.comparable(try client.receive()) }
      let expected = Self.examples.compactMap { $0.answer.map(Self.comparable) }
      #expect(answers.map(\.description).sorted() == expected.map(\.description).sorted())
    }
  }

  /// The message with each error reduced to its code, and the elements of a batch in order of their texts.
  private static func comparable(_ message: JSONValue) -> JSONValue {
    if let batch = message.array {
      return JSONValue(array: batch.map(comparable).sorted { $0.description < $1.description })
    }
    let members = (message.object.map(Array.init) ?? []).map { key, value in
      (key, key == "error" ? value["code"] ?? value : value)
    }
    return JSONValue(object: members.sorted { $0.0 < $1.0 })
  }
}
