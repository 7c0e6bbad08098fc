import SQLite
import Testing

@Suite struct MigratorTests {
  private static let first: Migrator.Migration = { try $0.execute("CREATE TABLE t (a INTEGER)") }
  private static let second: Migrator.Migration = { try $0.execute("ALTER TABLE t ADD COLUMN b INTEGER") }
  private static let broken: Migrator.Migration = {
    try $0.execute("ALTER TABLE t ADD COLUMN c INTEGER; ALTER TABLE nobody ADD COLUMN c INTEGER")
  }

  private static func columns(_ connection: Connection) throws -> [String] {
    try connection.rows("SELECT name FROM pragma_table_info('t')") { $0.text(0) }
  }

  @Test func eachMissingStepIsTakenOnceAndWhatIsThereIsBackedUpBefore() throws {
    let connection = try Connection(path: ":memory:")
    var backups: [Int] = []
    try Migrator([Self.first]).migrate(connection) { backups.append($0) }
    #expect(backups == [])
    try connection.run("INSERT INTO t (a) VALUES (7)")
    for _ in 0..<2 { try Migrator([Self.first, Self.second]).migrate(connection) { backups.append($0) } }
    #expect(backups == [1])
    #expect(try Self.columns(connection) == ["a", "b"])
    #expect(try connection.first("SELECT a FROM t") { $0.integer(0) } == 7)
  }

  @Test func aStepThatFailsLeavesEverythingAsItWas() throws {
    let connection = try Connection(path: ":memory:")
    try Migrator([Self.first]).migrate(connection) { _ in }
    #expect(throws: SQLiteError.self) {
      try Migrator([Self.first, Self.second, Self.broken]).migrate(connection) { _ in }
    }
    #expect(try Self.columns(connection) == ["a"])
    #expect(try Migrator.version(of: connection) == 1)
  }

  @Test func aBackupThatFailsStopsTheMigration() throws {
    struct NoRoom: Error {}
    let connection = try Connection(path: ":memory:")
    try Migrator([Self.first]).migrate(connection) { _ in }
    #expect(throws: NoRoom.self) {
      try Migrator([Self.first, Self.second]).migrate(connection) { _ in throw NoRoom() }
    }
    #expect(try Self.columns(connection) == ["a"])
  }

  @Test func aLaterSchemaIsRefused() throws {
    let connection = try Connection(path: ":memory:")
    try Migrator([Self.first, Self.second]).migrate(connection) { _ in }
    #expect(throws: Migrator.LaterSchema(found: 2, known: 1)) {
      try Migrator([Self.first]).migrate(connection) { _ in }
    }
  }
}
