/// Brings a database to the schema of this program, a version at a time.
///
/// The version stands in the file's `user_version`.
public struct Migrator: Sendable {
  /// The file is of a later version than this program knows.
  public struct LaterSchema: Error, Equatable {
    public let found: Int
    public let known: Int

    public init(found: Int, known: Int) {
      self.found = found
      self.known = known
    }
  }

  /// One step: from the version that is its place to the next.
  public typealias Migration = @Sendable (Connection) throws -> Void

  private let migrations: [Migration]

  /// The version that it brings a database to.
  public var count: Int { migrations.count }

  public init(_ migrations: [Migration]) { self.migrations = migrations }

  public static func version(of connection: Connection) throws -> Int {
    Int(try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0)
  }

  /// Runs the steps that are missing, all in one transaction.
  ///
  /// - Parameters:
  ///   - connection: The database.
  ///   - backUp: Called with the old version before a database that holds something is changed.
  /// - Throws: ``LaterSchema``; `SQLiteError`; what `backUp` throws. Nothing is changed then.
  public func migrate(_ connection: Connection, backUp: (_ version: Int) throws -> Void) throws {
    let version = try Self.version(of: connection)
    guard version <= migrations.count else { throw LaterSchema(found: version, known: migrations.count) }
    guard version < migrations.count else { return }
    if version > 0 { try backUp(version) }
    try connection.transaction {
      for migration in migrations[version...] { try migration(connection) }
      try connection.execute("PRAGMA user_version = \(migrations.count)")
    }
  }
}
