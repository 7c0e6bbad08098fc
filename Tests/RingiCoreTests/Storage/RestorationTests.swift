import EventLoop
import Foundation
import JSON
import JSONRPC
import RingiKit
import RingiModel
import RingiTestSupport
import SQLite
import Testing
import Timing

@testable import RingiCore

@Suite(.timeLimit(.minutes(5))) struct RestorationTests {
  private static let time = Timestamp(milliseconds: 1_700_000_000_000)

  /// A store with a task under way and some events, and a backup of it; the agent has ended.
  @Loop private static func backedUp(events: Int = 3) async throws -> (folder: TemporaryFolder, backup: String) {
    let fixture = try await StoreFixture()
    let bus = fixture.bus
    try await bus.publish(Array(repeating: EventDraft(EventType("x.one")), count: events))
    try await fixture.record(
      Change {
        try $0.execute(
          """
          INSERT INTO task (instance, key, revision, record, raw, pending)
          VALUES ('p', '1', 'r', x'7b7d', x'7b7d', '{"kind":"approve","isAnswered":false}'),
            ('p', '2', 'r', x'7b7d', x'7b7d', NULL)
          """)
      })
    let backup = "\(fixture.folder.path)/backup"
    _ = try await fixture.store.backUp(to: backup, replacing: false) { _ in }
    await fixture.store.close()
    return (fixture.folder, backup)
  }

  private static func names(_ folder: TemporaryFolder) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
  }

  private static func range(_ folder: TemporaryFolder) throws -> EventRows.Range {
    try EventRows.range(Connection(path: "\(folder.path)/ringi.db"))
  }

  // MARK: Restoring

  @Test("What is left of a store that is gone is not taken for a part of the restored one")
  func leftovers() async throws {
    let (folder, backup) = try await Self.backedUp()
    try FileManager.default.removeItem(atPath: "\(folder.path)/ringi.db")
    for suffix in [".damaged", "-wal", "-shm"] { try folder.write("ringi.db\(suffix)", "left") }
    #expect(try Restoration.restore(backup, into: folder.path, at: Self.time) == nil)
    let names = try Self.names(folder)
    #expect(names == ["agent.lock", "backup", "ringi.db", "ringi.db.replaced-20231114T221320Z-wal"])
    #expect(try Self.range(folder) == EventRows.Range(first: 1, last: 3))
  }

  @Test("A log of which word was left that it is another file's goes with neither")
  func foreignLog() async throws {
    let (folder, backup) = try await Self.backedUp()
    try folder.write("ringi.db.replaced", "")
    try folder.write("ringi.db-wal", "left")
    let aside = try #require(try Restoration.restore(backup, into: folder.path, at: Self.time))
    #expect(aside == "\(folder.path)/ringi.db.replaced-20231114T221320Z")
    #expect(
      try Self.names(folder) == [
        "agent.lock", "backup", "ringi.db", "ringi.db.replaced-20231114T221320Z",
        "ringi.db-wal.orphan-20231114T221320Z",
      ])
  }

  @Test("What was committed last before a kill -9 goes with what is set aside, and not into the restored store")
  func killed() async throws {
    let (folder, backup) = try await Self.backedUp()
    let before = try Connection(path: "\(folder.path)/ringi.db")
    try before.execute("PRAGMA journal_mode = WAL; INSERT INTO meta VALUES ('late', 1)")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: "\(folder.path)/ringi.db\(suffix)", toPath: "\(folder.path)/copy\(suffix)")
    }
    let directory = "\(folder.path)/state"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    for suffix in ["", "-wal"] {
      try FileManager.default.moveItem(atPath: "\(folder.path)/copy\(suffix)", toPath: "\(directory)/ringi.db\(suffix)")
    }
    let aside = try #require(try Restoration.restore(backup, into: directory, at: Self.time))
    let count = "SELECT count(*) FROM meta WHERE name = 'late'"
    #expect(try Connection(path: aside).first(count) { $0.integer(0) } == 1)
    #expect(try Connection(path: "\(directory)/ringi.db").first(count) { $0.integer(0) } == 0)
  }

  @Test("A store that can't be replaced is what it was", arguments: [false, true])
  func failure(isDamaged: Bool) async throws {
    let (folder, _) = try await Self.backedUp()
    let file = StoreFile(directory: folder.path)
    if isDamaged {
      file.markDamaged()
      try folder.write("ringi.db-wal", "what was committed last")
    }
    let (before, names) = (file.identity, try Self.names(folder))
    #expect(throws: SystemError.self) { try file.replace(by: "\(folder.path)/nothing", at: Self.time) }
    #expect(file.identity == before)
    #expect(try Self.names(folder) == names)
  }

  @Test("Numbers are not given out again, also when the store that is replaced has no events any more")
  func numbers() async throws {
    let (folder, backup) = try await Self.backedUp()
    try Connection(path: "\(folder.path)/ringi.db").execute(
      "DELETE FROM event; INSERT OR REPLACE INTO meta VALUES ('sequence', 9)")
    #expect(StoreFile(directory: folder.path).lastSequence == 9)
    _ = try Restoration.restore(backup, into: folder.path, at: Self.time)
    #expect(try Self.range(folder) == EventRows.Range(first: 1, last: 9, gaps: [4...9]))
  }

  @Test("A decision that was under way at the time of the backup is only looked for, and not sent again")
  func pending() async throws {
    let (folder, backup) = try await Self.backedUp()
    _ = try Restoration.restore(backup, into: folder.path, at: Self.time)
    let pending = try Connection(path: "\(folder.path)/ringi.db").rows("SELECT pending FROM task ORDER BY key") {
      $0.optionalText(0)
    }
    #expect(pending == [#"{"kind":"approve","isAnswered":true}"#, nil])
  }

  @Test("What can't be read as a backup is named", arguments: ["", "/nothing", "/link"])
  func unreadable(_ name: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/link", withDestinationPath: "link")
    let error = #expect(throws: Restoration.Unusable.self) {
      try Restoration.restore("\(folder.path)\(name)", into: "\(folder.path)/state", at: Self.time)
    }
    #expect(error?.description.contains("\(folder.path)\(name)") == true)
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/state"))
  }

  // MARK: Backing up

  @Test("Of two backups to one file at once the second is refused, and somebody's own file beside it stays")
  func twoAtOnce() async throws {
    try await onLoop {
      let fixture = try await StoreFixture()
      let (store, target) = (fixture.store, "\(fixture.folder.path)/backup")
      try await fixture.record(
        Change { try $0.execute("CREATE TABLE filler (a); INSERT INTO filler VALUES (zeroblob(20000000))") })
      try fixture.folder.write("backup.part", "mine")
      let tasks = (0..<2).map { _ in Loop.task { try await store.backUp(to: target, replacing: false) { _ in } } }
      var errors: [any Error] = []
      for task in tasks {
        do { _ = try await task.value } catch { errors.append(error) }
      }
      #expect(errors.compactMap { ($0 as? RPCError)?.kind } == ["conflict"])
      #expect(try Connection(path: target).first("PRAGMA integrity_check") { $0.text(0) } == "ok")
      #expect(fixture.folder.read("backup.part") == "mine")
      #expect(try Self.names(fixture.folder).filter { $0.hasSuffix(".part") } == ["backup.part"])
    }
  }

  @Test(
    "The store's own files are no place for a backup, whatever the way to them",
    arguments: ["./ringi.db", "./ringi.db-wal", "link/ringi.db.replaced-1", "link/agent.lock"])
  func ownFiles(_ path: String) async throws {
    try await onLoop {
      let fixture = try await StoreFixture()
      let folder = fixture.folder.path
      try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: folder)
      let before = try Self.names(fixture.folder)
      let error = await #expect(throws: RPCError.self) {
        try await fixture.store.backUp(to: "\(folder)/\(path)", replacing: true) { _ in }
      }
      #expect(error?.kind == "conflict")
      #expect(try Self.names(fixture.folder) == before)
      _ = try await fixture.store.backUp(to: "\(folder)/link/other.db", replacing: false) { _ in }
    }
  }

  @Test("A backup tells how far it is when that has changed, and can be read where nothing can be written")
  func progress() async throws {
    try await onLoop {
      let fixture = try await StoreFixture()
      await fixture.store.close()
      // With small pages, a step of the copy is less than a hundredth.
      try fixture.tamper("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM")
      try await fixture.reopen()
      try await fixture.record(
        Change { try $0.execute("CREATE TABLE filler (a); INSERT INTO filler VALUES (zeroblob(60000000))") })
      let target = "\(fixture.folder.path)/backup"
      var shares: [Double] = []
      _ = try await fixture.store.backUp(to: target, replacing: false) { shares.append($0) }
      #expect(shares.last == 1 && shares.count > 2)
      #expect(shares == Set(shares).sorted())
      // A log would have to be made for it first.
      #expect(try Connection(path: target, isReadOnly: true).first("PRAGMA journal_mode") { $0.text(0) } == "delete")
    }
  }
}
