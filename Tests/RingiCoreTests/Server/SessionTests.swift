import JSON
import JSONRPC
import RingiTestSupport
import Testing

@Suite struct SessionTests {
  // MARK: Ids

  @Test func idsComeBackAsTheyWereSent() async throws {
    let ids = [
      "42", "-7", "0", #""""#, #""req-ü""#, #""007""#, #""\u00e9\t""#, #""a\u0000b""#, "null", "9007199254740993",
      "18446744073709551615", "-123456789012345678901234567890", "1e3", "3.14", "1.0", "-0",
    ]
    try await withAgent { agent in
      let client = try agent.connect()
      try client.send(ids.map { #"{"jsonrpc":"2.0","id":\#($0),"method":"agent.ping"}"# })
      for id in ids { #expect(try client.receiveText() == #"{"jsonrpc":"2.0","id":\#(id),"result":"pong"}"#) }
    }
  }

  @Test func errorsCarryTheIDAsItWasSentToo() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      for id in ["18446744073709551615", "1.0", #""\u0041""#, "null"] {
        try client.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"none"}"#)
        #expect(try client.receiveText().hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32601,"#))
      }
    }
  }

  @Test func aResponseHasEitherAResultOrAnErrorAndNothingMore() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      let good = try client.response(to: client.ask("test.echo", .null))
      #expect(good.object?.map(\.key).sorted() == ["id", "jsonrpc", "result"])
      let bad = try client.response(to: client.ask("none"))
      #expect(bad.object?.map(\.key).sorted() == ["error", "id", "jsonrpc"])
      #expect(bad["error"]?.object?.map(\.key).sorted() == ["code", "data", "message"])
    }
  }

  // MARK: Values

  @Test(arguments: ["agent.echo", "test.echo"])
  func numbersAndTruthKeepTheirKindAndShortestForm(method: String) async throws {
    let values = "[68.32,0.1,1.0,1,true,false,9007199254740993,-9223372036854775808,1e22,5e-324]"
    try await withAgent { agent in
      let client = try agent.connect()
      let echoed = try client.call(method, ["v": JSONValue(parsing: values)])
      #expect(try echoed["v"] == JSONValue(parsing: values))
      #expect(echoed["v"]?.array?.map(\.kind) == (try JSONValue(parsing: values)).array?.map(\.kind))
      try client.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":[68.32,1.0,1]}"#)
      // A method with no params by position takes an empty array alone.
      if method == "agent.echo" {
        #expect(try client.receiveText() == #"{"jsonrpc":"2.0","id":1,"result":[68.32,1.0,1]}"#)
      }
    }
  }

  @Test(arguments: [
    ("18446744073709551615", 69), ("-9223372036854775809", 69), ("1e400", 69),
    (#""\ud800""#, 70), (#""\ud83dx""#, 70), (#""\udc00""#, 70),
  ])
  func aValueThatJSONCanNotHoldIsAParseErrorWithItsPlace(value: String, byte: Int64) async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      let request = #"{"jsonrpc":"2.0","id":1,"method":"agent.echo","params":{"åäö":[1, \#(value)]}}"#
      try client.send(request, #"{"jsonrpc":"2.0","id":2,"method":"agent.ping"}"#)
      let answer = try client.receive()
      #expect(answer["id"] == .null)
      #expect(answer["error"]?["code"] == -32700)
      #expect(answer["error"]?["data"]?["kind"] == "parse-error")
      #expect(answer["error"]?["data"]?["line"] == 1)
      #expect(answer["error"]?["data"]?["byte"]?.int == byte)
      // Three of the characters before it take two bytes each.
      #expect(answer["error"]?["data"]?["column"]?.int == byte - 3 + 1)
      #expect(try client.receive()["id"] == 2)
    }
  }

  @Test(arguments: ["agent.echo", "test.echo"])
  func everyCharacterPassesUnchanged(method: String) async throws {
    let text = "Ordre d’achat – 🚀 ünï \u{0}\u{7F}\u{2028}\"\\/ e\u{301}"
    try await withAgent { agent in
      for framing in [Framing.newline, .contentLength] {
        let client = try agent.connect(framing)
        #expect(try client.call(method, ["text": JSONValue(text)]) == ["text": JSONValue(text)])
        try client.send(
          #"{"jsonrpc":"2.0","id":"e","method":"\#(method)","params":{"a":"\ud83d\ude80","\u0062":"\u0000"}}"#)
        #expect(try client.receive()["result"] == ["a": "🚀", "b": "\u{0}"])
      }
    }
  }

  // MARK: Names

  @Test func namesMayBeWrittenWithEscapes() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.send(#"{"jsonrpc":"2.0","\u0069d":1,"\u006dethod":"agent.\u0070ing","p\u0061rams":[]}"#)
      #expect(try client.receive() == ["jsonrpc": "2.0", "id": 1, "result": "pong"])
    }
  }

  @Test(arguments: [
    "", "Agent.Ping", "agent.ping ", " agent.ping", "agent.ping\\u0000", "agent", "rpc.none", "agent.p\u{131}ng",
  ])
  func aNameThatIsNotJustAMethodsIsNotFound(name: String) async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(name)"}"#)
      let error = try client.receive()["error"]
      #expect(error?["code"] == -32601)
      #expect(error?["data"] == ["kind": "method-not-found", "retryable": false])
    }
  }

  @Test func ofTwoMembersWithOneNameTheLastCounts() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      let text =
        #"{"jsonrpc":"2.0","id":1,"method":"none","method":"subtract","params":[1,1],"params":{"minuend":1,"minuend":5,"subtrahend":2},"id":2}"#
      try client.send(text)
      #expect(try client.receive() == ["jsonrpc": "2.0", "id": 2, "result": 3])
    }
  }

  // MARK: Params

  @Test(arguments: [nil, "[]", "{}", "null"])
  func aMethodWithoutParamsTakesNoneInAnyForm(params: String?) async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      let member = params.map { #","params":\#($0)"# } ?? ""
      for method in ["get_data", "agent.ping", "sum"] {
        try client.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)"\#(member)}"#)
        #expect(try client.receive()["result"] != nil, "\(method)")
      }
    }
  }

  @Test func paramsByPositionAreInTheOrderOfTheSchema() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      #expect(try client.call("subtract", [5, 3]) == 2)
      #expect(try client.call("sum", [5]) == 5)
      let error = try client.refusal("subtract", [1, 2, 3])
      #expect(error?["code"] == -32602)
      #expect(error?["message"]?.string?.contains("minuend, subtrahend") == true)
      #expect(error?["message"]?.string?.contains("3") == true)
    }
  }

  @Test func wrongParamsAreToldByNameWithWhatTheyGotAndWhatTheyTake() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      func message(_ params: JSONValue) throws -> String {
        let error = try client.refusal("subtract", params)
        #expect(error?["code"] == -32602)
        #expect(error?["data"]?["kind"] == "invalid-params")
        return error?["message"]?.string ?? ""
      }
      let wrongType = try message(["minuend": "5", "subtrahend": 2])
      for part in ["minuend", "\"5\"", "integer"] { #expect(wrongType.contains(part), "\(wrongType)") }
      #expect(try message([5, "x"]).contains("subtrahend"))
      #expect(try message(["minuend": 5]).contains("subtrahend"))
      let misspelt = try message(["minuend": 5, "subtrahent": 2, "subtrahend": 2])
      for part in ["subtrahent", "subtrahend"] { #expect(misspelt.contains(part), "\(misspelt)") }
    }
  }

  // MARK: Notifications

  @Test func aNotificationIsCarriedOutAndNeverAnswered() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.call("events.subscribe")
      try client.notify("none", [])
      try client.notify("subtract", ["minuend": "wrong"])
      try client.notify("test.echo", [])
      try client.notify("agent.echo", [])
      try client.notify("events.publish", ["type": "task-ready"])
      try client.notify("events.publish", ["type": "x.done"])
      #expect(try client.receive()["params"]?["event"]?["type"] == "x.done")
      #expect(try client.call("agent.ping") == "pong")
    }
  }

  @Test func aRequestWithANullIDIsAnsweredWithIt() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.send(#"{"jsonrpc":"2.0","id":null,"method":"test.echo","params":{}}"#)
      #expect(try client.receive() == ["jsonrpc": "2.0", "id": .null, "result": [:]])
    }
  }

  // MARK: Batches

  @Test func inABatchOnlyRequestsAndGarbageAreAnswered() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.send(
        #"[{"jsonrpc":"2.0","id":1,"method":"test.echo","params":{"x":1}},{"jsonrpc":"2.0","method":"test.echo","params":{}},7,{"foo":"boo"}]"#
      )
      let batch = try #require(try client.receive().array)
      #expect(batch.count == 3)
      #expect(batch.contains(["jsonrpc": "2.0", "id": 1, "result": ["x": 1]]))
      #expect(batch.count { $0["id"] == .null && $0["error"]?["code"] == -32600 } == 2)
    }
  }

  @Test func aBatchIsAnsweredTogetherOnceItsLastRequestIs() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.send(
        #"[{"jsonrpc":"2.0","id":1,"method":"test.wait","params":["b"]},{"jsonrpc":"2.0","id":2,"method":"agent.ping"}]"#,
        #"{"jsonrpc":"2.0","id":3,"method":"agent.ping"}"#)
      #expect(try client.receive()["id"] == 3)
      try await onLoop { agent.waits.open("b") }
      #expect(try client.receive().array?.compactMap { $0["id"]?.int }.sorted() == [1, 2])
    }
  }

  // MARK: Order

  @Test func requestsOfOneConnectionRunSideBySide() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      let (first, second) = (try client.ask("test.wait", ["a"]), try client.ask("test.wait", ["b"]))
      #expect(try client.call("agent.ping") == "pong")
      try await onLoop { agent.waits.open("b") }
      #expect(try client.receive()["id"] == JSONValue(second))
      try await onLoop { agent.waits.open("a") }
      #expect(try client.receive()["id"] == JSONValue(first))
    }
  }

  @Test func aWriteOfManyRequestsIsAnsweredToItsEnd() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.send(
        #"{"jsonrpc":"2.0","id":"a","method":"agent.ping"}"#, #"{"jsonrpc":"2.0","method":"agent.ping"}"#,
        #"{"jsonrpc":"2.0","id":"b","method":"agent.ping"}"#)
      #expect(try [client.receive(), client.receive()].map { $0["id"] } == ["a", "b"])
      let requests = (0..<500).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"agent.ping"}"# }
      try client.sendRaw(requests.joined(separator: "\n").utf8)
      for id in 0..<499 { #expect(try client.receive()["id"]?.int == Int64(id)) }
      try client.sendRaw([0x0A])
      #expect(try client.receive()["id"] == 499)
    }
  }
}
