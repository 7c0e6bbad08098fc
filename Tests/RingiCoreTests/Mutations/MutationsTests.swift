import EventLoop
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiTestSupport
import SQLite
import Testing

@Suite(.timeLimit(.minutes(5))) struct MutationsTests {
  /// Methods that count their calls, over a store that can be opened anew.
  @Loop
  private final class Rig {
    let fixture: StoreFixture
    private(set) var registry = Registry()
    private(set) var calls: [JSONValue] = []
    /// What the next calls do.
    var answer: @Loop @Sendable (JSONValue) async throws -> JSONValue = { ["got": $0] }

    init() async throws {
      fixture = try await StoreFixture()
      try build()
    }

    /// As after the end of the process.
    func restart() async throws {
      try await fixture.reopen()
      registry = Registry()
      try build()
    }

    private func build() throws {
      registry.mutations = Mutations(store: fixture.store, clock: fixture.clock, redactor: fixture.redactor)
      let params = Schema.object(["a": .any, "dryRun": .boolean()])
      let handler = Method.Handler.async { [unowned self] params, _ in
        calls.append(params)
        return try await answer(params)
      }
      try registry.add(
        [
          Method("x.act", "Acts.", params: params, result: .any, isMutation: true, handler: handler),
          Method("x.other", "Acts.", params: params, result: .any, isMutation: true, handler: handler),
          Method(
            "x.decide", "Decides.", params: params, result: .any, isMutation: true, settlesItself: true,
            handler: handler),
          Method("x.read", "Reads.", params: params, result: .any, handler: handler),
        ] + AuditMethods.all(fixture.store), of: "x")
    }

    func call(_ method: String, _ params: JSONValue = [:], by actor: Actor = Actor(job: "j")) async throws -> JSONValue
    {
      try await registry.call(method, params, Call(origin: .owner(actor, causes: [])))
    }

    func error(_ method: String, _ params: JSONValue = [:]) async throws -> RPCError {
      do {
        let result = try await call(method, params)
        throw Unexpected("\(method) answered \(result)")
      } catch let error as RPCError {
        return error
      }
    }

    func audit() async throws -> [JSONValue] {
      try await call("audit.list")["entries"]?.array.map(Array.init) ?? []
    }
  }

  // MARK: Keys

  @Test("The same key answers the same bytes without acting, also after a restart")
  func repeated() async throws {
    try await onLoop {
      let rig = try await Rig()
      let first = try await rig.call("x.act", ["a": 1.50, "idempotencyKey": "k"])
      #expect(rig.calls == [["a": 1.5]])
      #expect(try await rig.call("x.act", ["idempotencyKey": "k", "a": 1.5]).utf8 == first.utf8)
      try await rig.restart()
      #expect(try await rig.call("x.act", ["a": 1.5, "idempotencyKey": "k"]).utf8 == first.utf8)
      #expect(rig.calls.count == 1)
      #expect(try await rig.audit().count == 1)
    }
  }

  @Test("Of two at once with one key the second waits for the first")
  func concurrent() async throws {
    try await onLoop {
      let rig = try await Rig()
      let (gate, begun) = (Gate(), Gate())
      rig.answer = { _ in
        begun.open()
        try await gate.wait()
        return "done"
      }
      let calls = (0..<3).map { _ in Loop.task { try await rig.call("x.act", ["idempotencyKey": "k"]) } }
      try await begun.wait()
      gate.open()
      for call in calls { #expect(try await call.value == "done") }
      #expect(rig.calls.count == 1)
    }
  }

  @Test("A key that was used for something else is a conflict", arguments: [false, true])
  func taken(isUnderWay: Bool) async throws {
    try await onLoop {
      let rig = try await Rig()
      let (gate, begun) = (Gate(), Gate())
      if !isUnderWay { gate.open() }
      rig.answer = { _ in
        begun.open()
        try await gate.wait()
        return "done"
      }
      let first = Loop.task { try await rig.call("x.act", ["a": 1, "idempotencyKey": "k"]) }
      try await begun.wait()
      if !isUnderWay { _ = try await first.value }
      #expect(try await rig.error("x.act", ["a": 2, "idempotencyKey": "k"]).kind == "conflict")
      #expect(try await rig.error("x.other", ["a": 1, "idempotencyKey": "k"]).kind == "conflict")
      gate.open()
      #expect(try await first.value == "done")
      #expect(rig.calls.count == 1)
    }
  }

  @Test("A failure frees the key; an unknown outcome is answered again, except where the method finds out by itself")
  func failures() async throws {
    try await onLoop {
      let rig = try await Rig()
      let params: JSONValue = ["idempotencyKey": "k"]
      rig.answer = { _ in throw RPCError.backendError(provider: "sap", status: 400, message: "No.") }
      #expect(try await rig.error("x.act", params).kind == "backend-error")
      rig.answer = { _ in throw RPCError.outcomeUnknown("Lost.", details: ["since": "now"]) }
      let unknown = try await rig.error("x.act", params)
      rig.answer = { _ in "done" }
      #expect(try await rig.error("x.act", params) == unknown)
      #expect(rig.calls.count == 2)
      rig.answer = { _ in throw RPCError.outcomeUnknown("Lost.") }
      #expect(try await rig.error("x.decide", ["idempotencyKey": "l"]).kind == "outcome-unknown")
      rig.answer = { _ in "done" }
      #expect(try await rig.call("x.decide", ["idempotencyKey": "l"]) == "done")
    }
  }

  @Test("What was begun before the process was killed is unknown, and a decision is taken up again")
  func killed() async throws {
    try await onLoop {
      let rig = try await Rig()
      for name in ["x.act", "x.decide"] {
        _ = try await rig.call(name, ["idempotencyKey": JSONValue(name)])
      }
      try rig.fixture.tamper("UPDATE idempotency_key SET state = 'begun', answer = NULL")
      try await rig.restart()
      let error = try await rig.error("x.act", ["idempotencyKey": "x.act"])
      #expect(error.kind == "outcome-unknown")
      #expect(error.message.contains("2026-11-30T00:00:00Z"))
      #expect(try await rig.error("x.act", ["idempotencyKey": "x.act"]) == error)
      #expect(rig.calls.count == 2)
      _ = try await rig.call("x.decide", ["idempotencyKey": "x.decide"])
      #expect(rig.calls.count == 3)
      #expect(try await rig.audit().map { $0["outcome"]?.string } == ["done", "unknown"])
    }
  }

  @Test("Keys are a listener's own and last seven days")
  func scope() async throws {
    try await onLoop {
      let rig = try await Rig()
      _ = try await rig.call("x.act", ["idempotencyKey": "k"])
      try rig.fixture.tamper("UPDATE idempotency_key SET listener = '/run/other.sock'")
      _ = try await rig.call("x.act", ["idempotencyKey": "k"])
      #expect(rig.calls.count == 2)
      rig.fixture.clock.advance(by: .seconds(7 * 86_400 + 1))
      _ = try await rig.call("x.act", ["idempotencyKey": "k"])
      #expect(rig.calls.count == 3)
    }
  }

  @Test("An answer too long to be kept is remembered as done")
  func long() async throws {
    try await onLoop {
      let rig = try await Rig()
      rig.answer = { _ in JSONValue(String(repeating: "x", count: 1 << 20)) }
      _ = try await rig.call("x.act", ["idempotencyKey": "k"])
      let error = try await rig.error("x.act", ["idempotencyKey": "k"])
      #expect(error.kind == "conflict")
      #expect(error.message.contains("was done at"))
      #expect(rig.calls.count == 1)
    }
  }

  @Test("A dry run uses no key up and leaves no trace")
  func dryRun() async throws {
    try await onLoop {
      let rig = try await Rig()
      _ = try await rig.call("x.act", ["dryRun": true, "idempotencyKey": "k"])
      _ = try await rig.call("x.act", ["idempotencyKey": "k"])
      #expect(rig.calls.count == 2)
      #expect(try await rig.audit().count == 1)
    }
  }

  // MARK: Recording

  @Test("Each change has an entry that tells who, what and what came of it")
  func entries() async throws {
    try await onLoop {
      let rig = try await Rig()
      _ = try await rig.call("x.act", ["a": 1], by: Actor(hook: "h"))
      rig.answer = { _ in throw RPCError.backendError(provider: "sap", status: 400, code: "E1", message: "No.") }
      _ = try await rig.error("x.act", ["idempotencyKey": "k"])
      _ = try await rig.error("x.read")
      _ = try await rig.error("x.decide")
      let entries = try await rig.audit()
      #expect(entries.count == 2)
      #expect(entries[0]["action"] == "x.act")
      #expect(entries[0]["actor"] == ["hook": "h"])
      #expect(entries[0]["outcome"] == "done")
      #expect(entries[0]["details"] == ["params": ["a": 1], "result": ["got": ["a": 1]]])
      #expect(entries[1]["outcome"] == "failed")
      #expect(entries[1]["idempotencyKey"] == "k")
      #expect(entries[1]["backend"] == ["provider": "sap", "status": 400, "code": "E1", "message": "No."])
    }
  }

  @Test("Nothing is begun that could not be recorded, with a key or without; a store that has recovered is noticed")
  func trouble() async throws {
    try await onLoop {
      let rig = try await Rig()
      let folder = rig.fixture.folder.path
      let blocker = try Connection(path: rig.fixture.file)
      try blocker.execute("BEGIN IMMEDIATE")
      #expect(try await rig.error("x.act", ["idempotencyKey": "k"]).kind == "unavailable")
      #expect(try await rig.error("x.act").kind == "unavailable")
      #expect(rig.calls.isEmpty, "in \(folder)")
      #expect(try await rig.call("x.act", ["dryRun": true]) == ["got": ["dryRun": true]])
      try blocker.execute("ROLLBACK")
      _ = try await rig.call("x.act", ["idempotencyKey": "k"])
      #expect(rig.calls.count == 2)
    }
  }
}
