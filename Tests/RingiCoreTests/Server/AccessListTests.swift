import JSON
import RingiCore
import RingiKit
import RingiTestSupport
import Testing

@Suite struct AccessListTests {
  private func request(_ id: Int, _ method: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"}"#
  }

  @Test func whatNoGlobMatchesIsForbidden() async throws {
    try await withAgent(allow: ["events.*", "agent.ping"]) { agent in
      let client = try agent.connect()
      #expect(try client.call("agent.ping") == "pong")
      #expect(try client.call("events.list")["events"] == [])
      let error = try client.refusal("tasks.approve", ["task": "newest"])
      #expect(error?["code"] == -32001)
      #expect(error?["data"] == ["kind": "forbidden", "retryable": false])
      #expect(error?["message"]?.string?.contains("tasks.approve") == true)
    }
  }

  @Test func eachElementOfABatchIsCheckedByItself() async throws {
    try await withAgent(allow: ["agent.ping"]) { agent in
      let client = try agent.connect()
      try client.send("[\(request(1, "agent.ping")),\(request(2, "agent.status")),\(request(3, "test.wait"))]")
      let answers = try #require(try client.receive().array).sorted { ($0["id"]?.int ?? 0) < ($1["id"]?.int ?? 0) }
      #expect(answers.map { $0["error"]?["code"] } == [nil, -32001, -32001])
    }
  }

  @Test func aForbiddenNotificationIsNotCarriedOut() async throws {
    try await withAgent(allow: ["events.list"]) { agent in
      let client = try agent.connect()
      try client.notify("events.publish", ["type": "x.one"])
      try client.notify("test.wait", ["key": "a"])
      #expect(try client.call("events.list")["events"] == [])
      try await onLoop { #expect(agent.counters.inFlight == 0) }
    }
  }

  @Test(arguments: ["Agent.Ping", "agent.ping ", "agent.ping\\u0000", "tasks.approve\\u0000", "TASKS.APPROVE"])
  func namesThatOnlyLookLikeAMethodAreNotFoundRatherThanAllowed(name: String) async throws {
    try await withAgent(allow: ["agent.ping"]) { agent in
      let client = try agent.connect()
      try client.send(request(1, name))
      #expect(try client.receive()["error"]?["code"] == -32601)
    }
  }

  @Test func aNameWrittenWithEscapesIsCheckedAsWhatItIs() async throws {
    try await withAgent(allow: ["agent.ping"]) { agent in
      let client = try agent.connect()
      try client.send(request(1, "agent.statu\\u0073"), request(2, "\\u0061gent.ping"))
      #expect(try client.receive()["error"]?["code"] == -32001)
      #expect(try client.receive()["result"] == "pong")
    }
  }

  @Test func ofTwoMethodsInOneRequestTheCheckedOneIsTheOneThatRuns() async throws {
    try await withAgent(allow: ["agent.ping"]) { agent in
      let client = try agent.connect()
      for method in ["method", "\\u006dethod"] {
        try client.send(
          #"{"jsonrpc":"2.0","id":1,"method":"agent.ping","\#(method)":"agent.status"}"#,
          #"{"jsonrpc":"2.0","id":2,"method":"agent.status","\#(method)":"agent.ping"}"#)
        #expect(try client.receive()["error"]?["code"] == -32001)
        #expect(try client.receive()["result"] == "pong")
      }
    }
  }

  @Test func discoveryShowsWhatIsAllowedAndNoMore() async throws {
    try await withAgent(allow: ["rpc.discover", "agent.*"]) { agent in
      let client = try agent.connect()
      let names = try client.call("rpc.discover")["methods"]?.array?.compactMap { $0["name"]?.string }
      #expect(
        names == [
          "agent.echo", "agent.identify", "agent.ping", "agent.reload", "agent.shutdown", "agent.status",
          "rpc.discover",
        ])
    }
    try await withAgent(allow: ["agent.*"]) { agent in
      let client = try agent.connect()
      #expect(try client.refusal("rpc.discover")?["code"] == -32001)
    }
  }

  @Test func whatAnOwnersMethodCallsIsNotCheckedAgain() async throws {
    try await withAgent(allow: ["phrases.say"]) { agent in
      try await onLoop {
        let say = PhraseMethods.all { [registry = agent.registry] text, _ in
          let result = try await registry.call("subtract", [5, 3], Call(origin: .owner(causes: [])))
          return ["phrase": JSONValue(text), "method": "subtract", "result": result]
        }
        try agent.registry.add(say, of: "phrases")
      }
      let client = try agent.connect()
      #expect(try client.call("phrases.say", ["text": "x"])["result"] == 2)
      #expect(try client.refusal("subtract", [5, 3])?["code"] == -32001)
    }
  }

  @Test func eachListenerHasAListOfItsOwn() async throws {
    try await withAgent(allow: ["agent.ping"]) { agent in
      let path = "\(agent.folder.path)/owner.sock"
      try await onLoop { try agent.server.listen(Listener.Address(path: path)) }
      #expect(try agent.connect().refusal("get_data")?["code"] == -32001)
      #expect(try TestClient(path).call("get_data") == ["hello", 5])
    }
  }

  @Test func methodsThatComeLaterAreCheckedToo() async throws {
    try await withAgent(allow: ["late.*"]) { agent in
      let client = try agent.connect()
      #expect(try client.refusal("late.one")?["code"] == -32601)
      let methods = ["late.one", "other.one"].map { name in
        Method(name, "A method.", params: .object([:]), result: .null, handler: .sync { _, _ in .null })
      }
      try await onLoop { try agent.registry.add(methods, of: "late") }
      #expect(try client.call("late.one") == .null)
      #expect(try client.refusal("other.one")?["code"] == -32001)
      try await onLoop { agent.registry.remove("late") }
      #expect(try client.refusal("late.one")?["code"] == -32601)
    }
  }
}
