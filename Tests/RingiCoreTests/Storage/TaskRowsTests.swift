import EventLoop
import JSON
import RingiKit
import RingiModel
import RingiTestSupport
import SQLite
import Testing
import Timing

@testable import RingiCore

@Suite struct TaskRowsTests {
  private static let now = Timestamp(milliseconds: 1_795_996_800_000)

  private static func memory() throws -> Connection {
    let connection = try Connection(path: ":memory:")
    try Migrator.store.migrate(connection) { _ in }
    return connection
  }

  private static func task(_ key: String = "a", amount: Int = 100, raw: JSONValue = ["a": 1]) -> TaskItem {
    TaskItem(
      id: TaskItem.ID(provider: "sap", key: key), title: "注文 300280 を承認", decidedBy: "Q1", requester: "P1",
      assignees: ["P2", "P3"], priority: .urgent, createdAt: now, dueAt: now + .seconds(60), url: "https://a.example/1",
      decisive: JSONValue(amount), raw: raw)
  }

  private static func record(
    _ task: TaskItem, steps: [String] = [], pending: TaskTable.Pending? = nil, isSlim: Bool = false
  ) -> TaskTable.Record {
    TaskTable.Record(
      task: task, fingerprint: .max, pending: pending, steps: steps.map { TaskTable.Step(time: now, what: $0) },
      isSlim: isSlim, version: 0)
  }

  private static func only(_ connection: Connection) throws -> TaskTable.Record? {
    try TaskRows.all(connection)["sap"]?.first
  }

  @Test func aTaskComesBackAsItWentButForTheBackendsRecord() throws {
    let connection = try Self.memory()
    var pending = TaskTable.Pending(
      decision: Decision(.complete, decision: "button", comment: "お願いします", context: ["n": 0.5]), since: Self.now,
      revision: "r")
    pending.causes = ["01", "02"]
    pending.isAnswered = true
    try TaskRows.put(Self.record(Self.task(), pending: pending), at: Self.now, connection)
    let found = try #require(try Self.only(connection))
    var expected = Self.task()
    expected.raw = .null
    #expect(found.task == expected)
    #expect(found.fingerprint == .max)
    #expect(found.pending == pending)
    #expect(found.isSlim)
    let id = Self.task().id
    #expect(try TaskRows.raws(of: [id], connection)[id].map { try JSONValue(parsing: $0) } == ["a": 1])
  }

  @Test func aSlimRecordLeavesTheBackendsRecordAsItIs() throws {
    let connection = try Self.memory()
    try TaskRows.put(Self.record(Self.task()), at: Self.now, connection)
    try TaskRows.put(Self.record(Self.task(raw: .null), isSlim: true), at: Self.now, connection)
    let id = Self.task().id
    #expect(try TaskRows.raws(of: [id], connection)[id] == #"{"a":1}"#.utf8.map(\.self))
  }

  @Test func theHistoryTellsTheLatestStepsAlone() throws {
    let connection = try Self.memory()
    for number in 0..<120 {
      try TaskRows.put(Self.record(Self.task(), steps: ["step \(number)"]), at: Self.now, connection)
    }
    let steps = try TaskRows.steps(of: Self.task().id, connection)
    #expect(steps.map(\.what) == (70..<120).map { "step \($0)" })
    #expect(steps.allSatisfy { $0.time == Self.now })
  }

  @Test func theLastFormsOfATaskAreKeptByTheirRevisions() throws {
    let connection = try Self.memory()
    let forms = (0..<10).map { Self.task(amount: $0, raw: ["amount": JSONValue($0)]) }
    for form in forms { try TaskRows.put(Self.record(form), at: Self.now, connection) }
    for (number, form) in forms.enumerated() {
      let found = try TaskRows.form(of: form.id, revision: form.revision, connection)
      #expect(found == (number < 4 ? nil : form))
    }
  }

  @Test func aTaskThatIsLetGoLeavesNothing() throws {
    let connection = try Self.memory()
    for amount in 1...3 {
      try TaskRows.put(Self.record(Self.task(amount: amount), steps: ["s"]), at: Self.now, connection)
    }
    try TaskRows.remove(Self.task().id, connection)
    for table in ["task", "task_step", "task_form"] {
      #expect(try connection.first("SELECT count(*) FROM \(table)") { $0.integer(0) } == 0)
    }
  }

  @Test func closedTasksComeBackInTheOrderOfTheirEnds() throws {
    let connection = try Self.memory()
    for key in ["a", "b", "c"] { try TaskRows.put(Self.record(Self.task(key)), at: Self.now, connection) }
    for (seconds, key) in ["c", "a", "b"].enumerated() {
      var task = Self.task(key)
      task.status = .done
      try TaskRows.put(Self.record(task), at: Self.now + .seconds(Double(seconds)), connection)
    }
    // A later change of a closed task doesn't move its end.
    var task = Self.task("c", amount: 5)
    task.status = .done
    try TaskRows.put(Self.record(task), at: Self.now + .seconds(99), connection)
    #expect(try TaskRows.all(connection)["sap"]?.map(\.task.id.key) == ["c", "a", "b"])
  }
}
