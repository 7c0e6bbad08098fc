import EventLoop
import Glibc
import JSON
import RingiKit
import RingiModel
import RingiTestSupport
import SQLite
import Testing
import Timing

@testable import RingiCore

@Suite(.timeLimit(.minutes(5))) struct StoreTests {
  /// Counts the batches in which events come.
  @Loop private final class Batches: EventBus.Listener {
    private(set) var sizes: [Int] = []
    func received(_ records: [EventRecord]) { sizes.append(records.count) }
  }

  private static let draft = EventDraft(EventType("x.one"))

  @Loop private static func publish(_ count: Int, _ bus: EventBus) async throws {
    try await bus.publish(Array(repeating: draft, count: count))
  }

  // MARK: Commits

  @Test func whatComesInOneTurnIsCommittedTogether() async throws {
    try await onLoop {
      let fixture = try await StoreFixture()
      let batches = Batches()
      fixture.bus.add(batches)
      let bus = fixture.bus
      let tasks = (0..<100).map { _ in Loop.task { try await Self.publish(1, bus) } }
      for task in tasks { try await task.value }
      #expect(batches.sizes == [100])
    }
  }

  @Test func aChangeThatCanNotBeMadeTakesNobodyWithIt() async throws {
    try await onLoop {
      let fixture = try await StoreFixture()
      let bus = fixture.bus
      let bad = Change { try $0.run("INSERT INTO nobody VALUES (1)") }
      let tasks = [[], [bad], []].map { changes in Loop.task { try await bus.publish([Self.draft], with: changes) } }
      #expect(try await tasks[0].value.map(\.sequence) == [1])
      await #expect(throws: SQLiteError.self) { try await tasks[1].value }
      #expect(try await tasks[2].value.map(\.sequence) == [2])
      #expect(fixture.store.trouble == nil)
    }
  }

  @Test func eventsAndTheirNumbersOutliveTheAgent() async throws {
    try await onLoop {
      let fixture = try await StoreFixture()
      try await Self.publish(3, fixture.bus)
      let before = try await fixture.bus.log.records(after: 0, limit: 10).records.map(\.event)
      try await fixture.reopen()
      try await Self.publish(1, fixture.bus)
      let after = try await fixture.bus.log.records(after: 0, limit: 10).records.map(\.event)
      #expect(after.map(\.sequence) == [1, 2, 3, 4])
      #expect(Array(after.prefix(3)) == before)
    }
  }

  @Test func afterItsEndNothingMoreIsRecorded() async throws {
    try await onLoop {
      let fixture = try await StoreFixture()
      await fixture.store.close()
      let error = await #expect(throws: (any Error).self) { try await Self.publish(1, fixture.bus) }
      #expect(error != nil)
    }
  }

  // MARK: Retention

  @Test func theOldestEventsAreDeletedByNumberAndByAge() async throws {
    try await onLoop {
      let fixture = try await StoreFixture()
      fixture.store.startTrimming()
      fixture.store.retention.events = 100
      try await Self.publish(250, fixture.bus)
      #expect(fixture.bus.log.firstSequence == 151)
      try await Self.pass(.seconds(60), fixture) { try await Self.stored(fixture) == 151...250 }
      fixture.store.retention.age = .seconds(3600)
      fixture.clock.advance(by: .seconds(3600))
      try await Self.publish(5, fixture.bus)
      try await Self.pass(.seconds(60), fixture) { try await Self.stored(fixture) == 251...255 }
      #expect(fixture.bus.log.firstSequence == 251)
    }
  }

  @Test func theNumbersGoOnWhenAllEventsAreGone() async throws {
    try await onLoop {
      let fixture = try await StoreFixture()
      fixture.store.startTrimming()
      try await Self.publish(7, fixture.bus)
      fixture.store.retention.age = .seconds(60)
      try await Self.pass(.seconds(120), fixture) { try await Self.stored(fixture) == nil }
      try await fixture.reopen()
      #expect(fixture.bus.log.lastSequence == 7 && fixture.bus.log.firstSequence == 8)
      try await Self.publish(1, fixture.bus)
      #expect(fixture.bus.log.lastSequence == 8)
    }
  }

  @Test func aClockThatWasWrongForAMomentMakesNoOtherEventOld() throws {
    let connection = try Connection(path: ":memory:")
    try Migrator.store.migrate(connection) { _ in }
    for (index, seconds) in [1000, 1001, 0, 1002].enumerated() {
      let event = Event(
        id: "\(index)", source: "s", type: EventType("x"), time: Timestamp(seconds: Int64(seconds)), subject: nil,
        sequence: Int64(index + 1), data: .emptyObject)
      try EventRows.insert(EventRecord(event), connection)
    }
    let kept = try EventRows.trim(connection, keeping: 100, since: Timestamp(seconds: 500), limit: 10)
    #expect(kept.first == 1 && kept.isDone)
    let rest = try EventRows.trim(connection, keeping: 100, since: Timestamp(seconds: 1002), limit: 2)
    #expect(rest.first == 3 && !rest.isDone)
    #expect(try EventRows.trim(connection, keeping: 100, since: Timestamp(seconds: 1002), limit: 2).first == 4)
  }

  /// Lets time pass, and waits for what that has done.
  @Loop private static func pass(
    _ time: Duration, _ fixture: StoreFixture, _ isDone: @Loop () async throws -> Bool
  ) async throws {
    try await fixture.clock.sleepers(1)
    fixture.clock.advance(by: time)
    while try await !isDone() { try Task.checkCancellation() }
  }

  @Loop private static func stored(_ fixture: StoreFixture) async throws -> ClosedRange<Int64>? {
    try await fixture.store.read { connection in
      try connection.first("SELECT min(sequence), max(sequence) FROM event") {
        $0.isNull(0) ? nil : $0.integer(0)...$0.integer(1)
      } ?? nil
    }
  }

  // MARK: The file

  @Test func onlyItsOwnerMayReadIt() async throws {
    try await onLoop {
      let fixture = try await StoreFixture()
      try await Self.publish(1, fixture.bus)
      for suffix in ["", "-wal", "-shm"] {
        var status = stat()
        #expect(stat(fixture.file + suffix, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
      }
    }
  }

  @Test func damageThatShowsLaterSetsTheFileAsideAtTheNextStart() async throws {
    try await onLoop {
      let fixture = try await StoreFixture()
      try await Self.publish(2000, fixture.bus)
      try fixture.tamper("PRAGMA wal_checkpoint(TRUNCATE)")
      try Self.damage(fixture.file)
      await #expect(throws: (any Error).self) { _ = try await fixture.bus.log.records(after: 0, limit: 10_000) }
      #expect(fixture.store.trouble?.kind == .damaged)
      #expect(fixture.problems.sentences.contains { $0.contains("damaged") && $0.contains("Restart") })
      await #expect(throws: (any Error).self) { try await Self.publish(1, fixture.bus) }
      try await fixture.reopen()
      #expect(fixture.problems.sentences.contains { $0.contains("set aside") })
      try await Self.publish(1, fixture.bus)
      #expect(fixture.bus.log.lastSequence > 2000)
    }
  }

  /// Overwrites a page in the middle.
  private static func damage(_ path: String) throws {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var status = stat()
    fstat(descriptor, &status)
    let noise = [UInt8](repeating: 0xA5, count: 16_384)
    #expect(pwrite(descriptor, noise, noise.count, off_t(status.st_size / 2 / 4096 * 4096)) == noise.count)
  }
}
