internal import CLinux
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

  /// An agent that was told to end needs a moment for it.
  private static func takeLock(_ directory: String, _ waiting: (StateLock.Held) -> Void) throws -> StateLock {
    for attempt in 0..<60 {
      do {
        return try StateLock(directory: directory)
      } catch let held as StateLock.Held {
        if attempt == 0 { waiting(held) }
        usleep(200_000)
      }
    }
    return try StateLock(directory: directory)
  }

  /// Puts it there.
  ///
  /// - Parameters:
  ///   - backup: The backup; it stays as it is.
  ///   - directory: The state directory.
  ///   - time: Now, for the name of what is set aside.
  ///   - waiting: Called when an agent has the directory, before some seconds are given to it to end.
  /// - Returns: Where the store that was there is now; `nil` when there was none.
  /// - Throws: ``StateLock/Held`` while the agent runs; ``Unusable``; `SQLiteError`, `SystemError`. The store is what it
  ///   was then.
  package static func restore(
    _ backup: String, into directory: String, at time: Timestamp, waiting: (StateLock.Held) -> Void = { _ in }
  ) throws -> String? {
    let (source, identity) = try open(backup)
    try Folder.make(directory)
    let lock = try takeLock(directory, waiting)
    defer { withExtendedLifetime(lock) {} }
    let file = StoreFile(directory: directory)
    guard identity != file.identity.database else { throw Unusable(description: "\(backup) is the store itself.") }
    file.setForeignLogAside(at: time)
    let part = "\(file.path).restored"
    do {
      _ = try file.copy(source, to: part)
      try check(part, of: backup)
      try fit(part, after: file.lastSequence)
      return try file.replace(by: part, at: time)
    } catch {
      unlink(part)
      guard let error = error as? SQLiteError, error.kind == .damaged else { throw error }
      throw Unusable(description: "\(backup) is no store, or a damaged one: \(error).")
    }
  }

  private static func open(_ backup: String) throws(Unusable) -> (Connection, StoreIdentity.File) {
    var status = stat()
    guard stat(backup, &status) == 0, let identity = StoreIdentity.File(backup) else {
      throw Unusable(description: "\(SystemError.last("read \(backup)")).")
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Unusable(description: "\(backup) is no regular file.") }
    do {
      let connection = try Connection(path: backup, isReadOnly: true)
      // Nothing is read before the first question.
      try connection.execute("PRAGMA schema_version")
      return (connection, identity)
    } catch {
      throw Unusable(description: "\(backup) can't be read as a store: \(error).")
    }
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

  /// Makes of what was true at the time of the backup what may be gone on from now.
  ///
  /// - Parameters:
  ///   - path: The copy of the backup.
  ///   - last: The last event of the store that it replaces.
  /// - Throws: `SQLiteError`.
  private static func fit(_ path: String, after last: Int64?) throws {
    let connection = try Connection(path: path)
    try connection.transaction {
      // Numbers that somebody may have seen are not given out again.
      if let last { try EventRows.goOn(after: last, connection) }
      // A decision that was under way has ended long ago: its outcome is looked for, and it is never sent again.
      try connection.run(
        "UPDATE task SET pending = json_set(pending, '$.isAnswered', json('true')) WHERE pending IS NOT NULL")
    }
  }
}
