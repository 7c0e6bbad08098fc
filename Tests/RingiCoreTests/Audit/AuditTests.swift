import EventLoop
import JSON
import RingiCore
import RingiKit
import RingiModel
import RingiTestSupport
import SQLite
import Testing

@Suite(.timeLimit(.minutes(5))) struct AuditTests {
  /// A store with `count` entries about a task each.
  @Loop
  private static func fixture(_ count: Int) async throws -> StoreFixture {
    let fixture = try await StoreFixture()
    for number in 0..<count {
      var entry = AuditEntry("approve", by: Actor(job: "nightly"), outcome: "approved", at: fixture.clock.now)
      entry.task = TaskItem.ID(provider: "sap", key: "\(number)")
      try await fixture.record(.audit(entry, redactor: fixture.redactor))
    }
    return fixture
  }

  @Loop
  private static func call(
    _ fixture: StoreFixture, _ name: String, _ params: JSONValue = [:]
  ) async throws -> JSONValue {
    let method = try #require(AuditMethods.all(fixture.store).first { $0.name == name })
    return try await method.invoke(params, Call(origin: .owner(causes: [])))
  }

  private static let mayBeChanged = "DROP TRIGGER audit_is_not_changed; DROP TRIGGER audit_is_not_shortened;"

  // MARK: The chain

  @Test("A log that nobody touched holds, over more than one piece and a restart")
  func whole() async throws {
    try await onLoop {
      let fixture = try await Self.fixture(1500)
      try await fixture.reopen()
      let check = try await Self.call(fixture, "audit.verify")
      #expect(check["valid"] == true)
      #expect(check["entries"] == 1500)
      #expect(check["firstBroken"] == nil)
      let last = try await Self.call(fixture, "audit.list", ["limit": 1])
      #expect(check["head"] == last["entries"]?[0]?["hash"])
    }
  }

  @Test("A log without entries holds, too")
  func empty() async throws {
    try await onLoop {
      let fixture = try await Self.fixture(0)
      let check = try await Self.call(fixture, "audit.verify")
      #expect(check["valid"] == true)
      #expect(check["entries"] == 0)
    }
  }

  @Test(
    "What was changed, taken out or put in shows, with its place",
    arguments: [
      ("UPDATE audit SET text = replace(text, 'approved', 'rejected') WHERE number = 3", 3),
      ("UPDATE audit SET hash = zeroblob(32) WHERE number = 2", 2),
      ("DELETE FROM audit WHERE number = 2", 2),
      ("DELETE FROM audit WHERE number = 1", 1),
      ("INSERT INTO audit (number, text, hash) SELECT 6, text, hash FROM audit WHERE number = 5", 6),
      ("INSERT INTO audit (number, text, hash) SELECT 0, text, hash FROM audit WHERE number = 1", 1),
      (
        "UPDATE audit SET number = -number; UPDATE audit SET number = -number + 1 WHERE number < -2; UPDATE audit SET number = -number WHERE number < 0",
        3
      ),
    ])
  func spoilt(_ sql: String, _ place: Int64) async throws {
    try await onLoop {
      let fixture = try await Self.fixture(5)
      try fixture.tamper(Self.mayBeChanged + sql)
      let check = try await Self.call(fixture, "audit.verify")
      #expect(check["valid"] == false)
      #expect(check["firstBroken"]?.int == place)
    }
  }

  @Test("A missing end shows in the head alone, which is why it is to be kept elsewhere")
  func cutOff() async throws {
    try await onLoop {
      let fixture = try await Self.fixture(3)
      let before = try await Self.call(fixture, "audit.verify")
      try fixture.tamper(Self.mayBeChanged + "DELETE FROM audit WHERE number = 3")
      let after = try await Self.call(fixture, "audit.verify")
      #expect(after["valid"] == true)
      #expect(after["head"] != before["head"])
      #expect(after["entries"] == 2)
    }
  }

  @Test("Even another program can't change the log by mistake")
  func triggers() async throws {
    try await onLoop {
      let fixture = try await Self.fixture(2)
      #expect(throws: SQLiteError.self) { try fixture.tamper("DELETE FROM audit") }
      #expect(throws: SQLiteError.self) { try fixture.tamper("UPDATE audit SET text = '{}'") }
    }
  }

  @Test("An entry is recorded with what it is about, or not at all")
  func together() async throws {
    try await onLoop {
      let fixture = try await Self.fixture(1)
      let entry = AuditEntry("approve", by: Actor(), outcome: "approved", at: fixture.clock.now)
      await #expect(throws: CancellationError.self) {
        try await fixture.record(
          .audit(entry, redactor: fixture.redactor), Change { _ in throw CancellationError() })
      }
      #expect(try await Self.call(fixture, "audit.verify")["entries"] == 1)
    }
  }

  // MARK: Entries

  @Test("An entry tells who it was, with the name of the user, and no secret")
  func entry() async throws {
    try await onLoop {
      let fixture = try await Self.fixture(0)
      fixture.redactor.add("hunter2hunter2")
      var client = Actor.Client(listener: "/run/a.sock", process: Actor.Process(user: 0, group: 5, id: 77))
      client.name = "ringi"
      var entry = AuditEntry(
        "approve", by: Actor(client: client, phrase: "yes"), outcome: "failed", at: fixture.clock.now)
      entry.idempotencyKey = "k1"
      entry.backend = ["status": 400, "message": "no hunter2hunter2 here"]
      try await fixture.record(.audit(entry, redactor: fixture.redactor))
      let found = try await Self.call(fixture, "audit.list")["entries"]?[0]
      #expect(
        found?["actor"] == [
          "client": ["listener": "/run/a.sock", "uid": 0, "gid": 5, "pid": 77, "name": "ringi", "user": "root"],
          "phrase": "yes",
        ])
      #expect(found?["idempotencyKey"] == "k1")
      #expect(found?["backend"] == ["status": 400, "message": "no ••• here"])
      #expect(found?["number"] == 1)
    }
  }

  @Test("An actor comes back from its JSON as it was")
  func actorJSON() throws {
    var client = Actor.Client(listener: "stdio", process: Actor.Process(user: 4_294_967_294, group: 1, id: 2))
    client.user = "nobody"
    client.name = "bot"
    client.version = "2"
    for actor in [
      Actor(), Actor(client: client, hook: "a", job: "b", phrase: "c", signal: "d"),
      Actor(client: Actor.Client(listener: "x")),
    ] {
      #expect(Actor(json: actor.json) == actor)
    }
  }

  // MARK: Pages

  @Test("Without a number the newest come, with one those after it, always the oldest first")
  func pages() async throws {
    try await onLoop {
      let fixture = try await Self.fixture(12)
      func numbers(_ params: JSONValue) async throws -> ([Int64?], JSONValue?) {
        let page = try await Self.call(fixture, "audit.list", params)
        return (page["entries"]?.array?.map { $0["number"]?.int } ?? [], page["last"])
      }
      #expect(try await numbers(["limit": 2]) == ([11, 12], 12))
      #expect(try await numbers(["since": 0, "limit": 5]) == ([1, 2, 3, 4, 5], 5))
      #expect(try await numbers(["since": 10, "limit": 5]) == ([11, 12], 12))
      #expect(try await numbers(["task": "sap/1"]) == ([2, 11, 12], 12))
      #expect(try await numbers(["task": "sap/1", "since": 0, "limit": 1]) == ([2], 2))
      #expect(try await numbers(["task": "sap/11"]) == ([12], 12))
      #expect(try await numbers(["action": "reject"]) == ([], 12))
    }
  }
}
