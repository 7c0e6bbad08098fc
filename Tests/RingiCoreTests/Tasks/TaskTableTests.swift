import JSON
import RingiCore
import RingiModel
import Testing
import Timing

@Suite struct TaskTableTests {
  private static let now = Timestamp(milliseconds: 1_795_996_800_000)

  private func task(
    _ key: String, _ status: TaskItem.Status = .ready, amount: Int = 100, created: Int64? = 0, raw: JSONValue = .null
  ) -> TaskItem {
    TaskItem(
      id: TaskItem.ID(provider: "sap", key: key), title: "Order", status: status,
      createdAt: created.map { Timestamp(milliseconds: $0) }, decisive: JSONValue(amount), raw: raw)
  }

  private func id(_ key: String) -> TaskItem.ID { TaskItem.ID(provider: "sap", key: key) }

  /// Merges a list that a look of just now found.
  private func merge(
    _ table: inout TaskTable, _ tasks: TaskItem..., lost: [String] = [], announces: Bool = true
  ) -> [String] {
    names(
      table.merge(
        tasks, lost: lost.map { id($0) }, since: table.version, announces: announces, now: Self.now))
  }

  private func names(_ changes: [TaskTable.Change]) -> [String] {
    changes.map { change in
      switch change {
      case .ready(let task): "ready \(task.id.key)"
      case .changed(let task): "changed \(task.id.key)"
      case .done(let task): "done \(task.id.key)"
      case .gone(let task): "gone \(task.id.key)"
      }
    }
  }

  // MARK: Readiness

  @Test func aTaskBecomesReadyOnce() {
    var table = TaskTable()
    #expect(merge(&table, task("a"), task("b")) == ["ready a", "ready b"])
    #expect(merge(&table, task("a"), task("b"), task("c")) == ["ready c"])
    #expect(merge(&table, task("a"), task("b"), task("c")).isEmpty)
  }

  @Test func aTaskThatSomebodyReservedIsReadyOnceItIsReleased() {
    var table = TaskTable()
    #expect(merge(&table, task("a", .claimed)).isEmpty)
    #expect(merge(&table, task("a")) == ["ready a"])
    #expect(merge(&table, task("a", .claimed)) == ["changed a"])
    #expect(merge(&table, task("a")) == ["ready a"])
  }

  @Test(arguments: [TaskItem.Status.done, .gone])
  func aTaskThatIsOpenedAnewIsReadyAnew(status: TaskItem.Status) {
    var table = TaskTable()
    _ = merge(&table, task("a"))
    #expect(merge(&table, task("a", status)).count == 1)
    #expect(merge(&table, task("a", status)).isEmpty)
    #expect(merge(&table, task("a")) == ["ready a"])
  }

  @Test(arguments: [TaskItem.Status.done, .gone])
  func whatWasOverBeforeItWasSeenIsNothing(status: TaskItem.Status) {
    var table = TaskTable()
    #expect(merge(&table, task("a", status)).isEmpty)
    #expect(table.entries.isEmpty)
  }

  @Test func aFirstLookThatOnlyNotesAnnouncesNothingYetKnowsAll() {
    var table = TaskTable()
    #expect(merge(&table, task("a"), announces: false).isEmpty)
    #expect(merge(&table, task("a"), task("b")) == ["ready b"])
  }

  @Test func changesComeOldestFirstAndByIDAmongEquals() {
    var table = TaskTable()
    let changes = merge(
      &table, task("late", created: 9), task("none", created: nil), task("b", created: 1), task("a", created: 1))
    #expect(changes == ["ready a", "ready b", "ready late", "ready none"])
  }

  @Test func aTaskListedTwiceCountsOnce() {
    var table = TaskTable()
    #expect(merge(&table, task("a"), task("a")) == ["ready a"])
    #expect(merge(&table, task("a"), lost: ["a"]).isEmpty)
  }

  // MARK: Changes

  @Test func onlyWhatMattersToADecisionIsAChange() {
    var table = TaskTable()
    _ = merge(&table, task("a", raw: ["at": 1]))
    #expect(merge(&table, task("a", raw: ["at": 2])).isEmpty)
    #expect(table.entries[id("a")]?.task.raw == ["at": 2])
    #expect(merge(&table, task("a", amount: 90_000)) == ["changed a"])
    #expect(merge(&table, task("a", amount: 90_000)).isEmpty)
  }

  @Test func aBulkEditOfWhatDoesNotMatterIsNothingAndOneOfWhatMattersIsAChangeEach() {
    var table = TaskTable()
    let keys = (0..<600).map { "\($0)" }
    _ = table.merge(keys.map { task($0) }, since: table.version, announces: false, now: Self.now)
    let stamped = table.merge(
      keys.map { task($0, raw: ["at": 2]) }, since: table.version, announces: true, now: Self.now)
    #expect(stamped.isEmpty)
    let raised = table.merge(keys.map { task($0, amount: 1) }, since: table.version, announces: true, now: Self.now)
    #expect(names(raised).sorted() == keys.map { "changed \($0)" }.sorted())
  }

  // MARK: Fingerprints

  /// A table that has merged these tasks from a list in which each had the fingerprint 1.
  private func listed(_ tasks: TaskItem...) -> TaskTable {
    var table = TaskTable()
    list(tasks, 1, in: &table)
    return table
  }

  private func list(_ tasks: [TaskItem], _ fingerprint: UInt64, in table: inout TaskTable) {
    let fingerprints = Dictionary(uniqueKeysWithValues: tasks.map { ($0.id, fingerprint) })
    _ = table.merge(tasks, fingerprints: fingerprints, since: table.version, announces: true, now: Self.now)
  }

  @Test func aRecordIsKnownByTheFingerprintOfTheLatestThatWasListed() {
    var table = listed(task("a"))
    #expect(table.knows(id("a"), by: 1))
    #expect(!table.knows(id("a"), by: 2) && !table.knows(id("b"), by: 1))
    // Also where nothing changed that matters.
    list([task("a", raw: ["at": 2])], 2, in: &table)
    #expect(table.knows(id("a"), by: 2) && !table.knows(id("a"), by: 1))
    list([task("a", amount: 7)], 3, in: &table)
    #expect(table.knows(id("a"), by: 3) && !table.knows(id("a"), by: 2))
  }

  @Test func aTaskThatCameFromElsewhereIsNotWhatTheListSaid() {
    for elsewhere in [task("a"), task("a", raw: ["at": 2]), task("a", .claimed), task("a", .done), task("a", .gone)] {
      var table = listed(task("a"))
      _ = merge(&table, elsewhere)
      #expect(!table.knows(id("a"), by: 1))
    }
    var lost = listed(task("a"))
    _ = merge(&lost, lost: ["a"])
    #expect(!lost.knows(id("a"), by: 1))
    var decided = listed(task("a"))
    decided.set(task("a", .done), "approved through the agent", Self.now)
    #expect(!decided.knows(id("a"), by: 1))
    list([task("a")], 1, in: &decided)
    #expect(decided.entries[id("a")]?.task.status == .ready && decided.knows(id("a"), by: 1))
  }

  @Test func aRecordFromBeforeAChangeIsNotKnownAfterIt() {
    var table = listed(task("a"))
    let began = table.version
    table.set(task("a", .done), "approved through the agent", Self.now)
    _ = table.merge([task("a")], fingerprints: [id("a"): 1], since: began, announces: true, now: Self.now)
    #expect(!table.knows(id("a"), by: 1))
    #expect(table.entries[id("a")]?.task.status == .done)
  }

  // MARK: Leaving

  @Test func aDecisionAtTheBackendIsToldOnce() {
    var table = TaskTable()
    _ = merge(&table, task("a"))
    #expect(merge(&table, task("a", .done)) == ["done a"])
    #expect(merge(&table, task("a", .done), lost: ["a"]).isEmpty)
  }

  @Test func aTaskTheBackendDoesNotKnowAnyMoreIsGoneOnce() {
    var table = TaskTable()
    _ = merge(&table, task("a"))
    #expect(merge(&table, lost: ["a", "never seen"]) == ["gone a"])
    #expect(merge(&table, lost: ["a"]).isEmpty)
    #expect(table.entries[id("a")]?.task.status == .gone)
  }

  @Test func whatAListLacksIsMissingAndNotGone() {
    var table = TaskTable()
    _ = merge(&table, task("a"), task("b"), task("c", .claimed), task("d"))
    _ = merge(&table, task("d", .done))
    #expect(merge(&table, task("a")).isEmpty)
    #expect(table.missing(from: [id("a")], since: table.version) == [id("b"), id("c")])
  }

  // MARK: Old looks

  @Test func aLookFromBeforeADecisionDoesNotUndoIt() {
    var table = TaskTable()
    _ = merge(&table, task("a"))
    let began = table.version
    table.set(task("a", .done), "approved through the agent", Self.now)
    let changes = table.merge([task("a")], lost: [id("a")], since: began, announces: true, now: Self.now)
    #expect(changes.isEmpty)
    #expect(table.entries[id("a")]?.task.status == .done)
  }

  @Test func whatCameAfterALookBeganIsNotMissingFromIt() {
    var table = TaskTable()
    let began = table.version
    _ = merge(&table, task("a"))
    #expect(table.missing(from: [], since: began).isEmpty)
    #expect(table.missing(from: [], since: table.version) == [id("a")])
    #expect(table.merge([], lost: [id("a")], since: began, announces: true, now: Self.now).isEmpty)
  }

  // MARK: Memory

  @Test func whatIsToBeRecordedIsWhatChangedSinceTheLastTime() {
    var table = TaskTable()
    _ = merge(&table, task("a", raw: 1), task("b"))
    #expect(table.takeUnrecorded().records.map(\.task.id) == [id("a"), id("b")])
    #expect(table.takeUnrecorded().records.isEmpty)
    _ = merge(&table, task("a", amount: 2, raw: 2), task("b"))
    let (records, _) = table.takeUnrecorded()
    #expect(records.map(\.task.id) == [id("a")])
    #expect(records.first?.steps.map(\.what) == ["changed"])
    #expect(records.first?.task.raw == 2)
  }

  @Test func whatCouldNotBeRecordedIsToBeRecordedStill() {
    var table = TaskTable()
    _ = merge(&table, task("a"))
    let (records, forgotten) = table.takeUnrecorded()
    _ = merge(&table, task("a", amount: 2))
    table.putBack(records, forgotten)
    #expect(table.takeUnrecorded().records.first?.steps.map(\.what) == ["ready", "changed"])
  }

  @Test func theBackendsRecordIsLeftToTheStoreOnceItIsThereUnlessItHasChangedSince() {
    var table = TaskTable()
    _ = merge(&table, task("a", raw: 1), task("b", raw: 1))
    let (records, _) = table.takeUnrecorded()
    _ = merge(&table, task("b", amount: 2, raw: 2))
    table.slim(records)
    #expect(table.entries[id("a")]?.isSlim == true && table.entries[id("a")]?.task.raw == .null)
    #expect(table.entries[id("b")]?.isSlim == false && table.entries[id("b")]?.task.raw == 2)
    table.setPending(id("a"), TaskTable.Pending(decision: Decision(.approve), since: Self.now, revision: "r"))
    #expect(table.takeUnrecorded().records.first { $0.task.id == id("a") }?.isSlim == true)
  }

  @Test func decidedTasksAreForgottenInTheOrderTheyWereDecided() {
    var table = TaskTable()
    for number in 0..<10_050 {
      _ = merge(&table, task("\(number)"))
      _ = merge(&table, task("\(number)", .done))
    }
    #expect(table.entries.count == 10_000)
    #expect(table.entries[id("49")] == nil)
    #expect(table.entries[id("50")]?.task.status == .done)
  }
}
