internal import EventLoop
internal import Glibc
internal import SQLite
package import Timing

/// Puts a backup in the place of the store of an agent that doesn't run.
package enum Restoration {
  /// Why a file is no backup.
  package struct Unusable: Error, CustomStringConvertible {
    package let description: String
  }

  /// Puts it there.
  ///
  /// - Parameters:
  ///   - backup: The backup; it stays as it is.
  ///   - directory: The state directory.
  ///   - time: Now, for the name of what is set aside.
  /// - Returns: Where the store that was there is now; `nil` when there was none.
  /// - Throws: ``StateLock/Held`` while the agent runs; ``Unusable``; `SQLiteError`, `SystemError`. The store is what it
  ///   was then.
  package static func restore(_ backup: String, into directory: String, at time: Timestamp) throws -> String? {
    guard let source = StoreIdentity.File(backup) else {
      throw Unusable(description: "There is no file \(backup).")
    }
    try Folder.make(directory)
    let lock = try StateLock(directory: directory)
    defer { withExtendedLifetime(lock) {} }
    let file = StoreFile(directory: directory)
    guard source != file.identity.database else { throw Unusable(description: "\(backup) is the store itself.") }
    let part = "\(file.path).restored"
    do {
      _ = try file.copy(try Connection(path: backup, isReadOnly: true), to: part)
      try check(part, of: backup)
      // Numbers that somebody may have seen are not given out again.
      if let last = file.lastSequence { try goOn(after: last, in: part) }
    } catch {
      unlink(part)
      guard let error = error as? SQLiteError, error.kind == .damaged else { throw error }
      throw Unusable(description: "\(backup) is no store, or a damaged one: \(error).")
    }
    let old = file.identity.database == nil ? nil : try file.setAside("replaced", at: time)
    guard rename(part, file.path) == 0 else { throw SystemError.last("rename \(part)") }
    return old
  }

  private static func check(_ path: String, of backup: String) throws {
    let connection = try Connection(path: path)
    let tables = try connection.rows("SELECT name FROM sqlite_master WHERE type = 'table'") { $0.text(0) }
    let version = try Migrator.version(of: connection)
    guard version > 0, ["meta", "event", "audit"].allSatisfy(tables.contains) else {
      throw Unusable(description: "\(backup) is no store of Ringi's.")
    }
    guard version <= Migrator.store.count else {
      throw Unusable(
        description:
          "\(backup) has the schema \(version), and this version of ringid knows \(Migrator.store.count) at most; use the newer ringid."
      )
    }
    let found = try connection.first("PRAGMA integrity_check(1)") { $0.text(0) } ?? "ok"
    guard found == "ok" else { throw Unusable(description: "\(backup) is damaged: \(found).") }
  }

  private static func goOn(after last: Int64, in path: String) throws {
    let connection = try Connection(path: path)
    guard try EventRows.range(connection).last < last else { return }
    try connection.transaction { try EventRows.begin(after: last, connection) }
    // All of it belongs into the one file that is about to be moved.
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }
}
