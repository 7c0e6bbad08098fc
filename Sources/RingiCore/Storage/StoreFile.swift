internal import CLinux
internal import EventLoop
internal import Glibc
internal import SQLite
internal import Timing

/// The store's file: how it is made, opened, recognised again, and set aside.
struct StoreFile: Sendable {
  static let name = "ringi.db"
  /// Files up to this size are checked as a whole before they are trusted.
  private static let checkedBytes = 16 << 20

  let directory: String
  var path: String { "\(directory)/\(Self.name)" }
  /// Left behind when damage was found while the agent ran.
  private var mark: String { "\(path).damaged" }
  /// Left behind when another file was found in the place of the one whose log still stands there.
  private var replacedMark: String { "\(path).replaced" }

  /// The files that stand there now.
  var identity: StoreIdentity {
    StoreIdentity(
      database: .init(path), log: .init("\(path)-wal"), lock: .init("\(directory)/\(StateLock.name)"))
  }

  /// Sees whether the files that are open are still the ones at their paths.
  ///
  /// - Throws: ``StoreTrouble``.
  func check(_ open: StoreIdentity?) throws {
    let found = identity
    if found.database == open?.database { unlink(replacedMark) }
    guard found != open else { return }
    if let database = found.database, database != open?.database {
      // The next start must not take the log for the other file's, and spoil it.
      leave(replacedMark)
      throw StoreTrouble(.replaced, directory: directory, cause: "\(Self.name) is another file")
    }
    let missing =
      found.database == nil ? Self.name : found.log != open?.log ? "\(Self.name)-wal" : StateLock.name
    throw StoreTrouble(.missing, directory: directory, cause: "\(missing) is not there any more")
  }

  /// Writes an open store anew to where it was.
  ///
  /// - Throws: `SQLiteError`, `SystemError`.
  func bringBack(_ connection: Connection) throws {
    let new = "\(path).new"
    unlink(new)
    try copy(connection, to: new)
    // They belong to what was there before.
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    guard rename(new, path) == 0 else { throw SystemError.last("rename \(new)") }
  }

  /// What the database and its log take on the disk.
  var bytes: Int64 { Self.size(of: path) + logBytes }

  /// What was committed last and is yet to be moved into the database.
  var logBytes: Int64 { Self.size(of: "\(path)-wal") }

  static func size(of path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  // MARK: Opening

  /// Opens the file for writing, made and brought to this program's schema where needed.
  ///
  /// - Parameter time: Now, for the names of copies.
  /// - Returns: The connection that writes.
  /// - Throws: `SQLiteError`, `SystemError`, `Migrator.TooNew`.
  func open(at time: Timestamp) throws -> Connection {
    // SQLite gives its other files the mode of this one.
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError.last("open \(path)") }
    Glibc.close(descriptor)
    if access(replacedMark, F_OK) == 0 {
      rename("\(path)-wal", "\(path)-wal.orphan-\(stamp(time))")
      unlink("\(path)-shm")
      unlink(replacedMark)
    }
    if access(mark, F_OK) == 0 { throw SQLiteError.damaged("it was found damaged before") }
    let connection = try Connection(path: path)
    try configure(connection)
    try Migrator.store.migrate(connection) { version in
      _ = try copy(connection, to: "\(path).version-\(version)-\(stamp(time))")
    }
    if bytes <= Self.checkedBytes { try check(connection) }
    return connection
  }

  /// Opens a second connection, for reading beside the writer.
  func openForReading() throws -> Connection {
    let connection = try Connection(path: path, isReadOnly: true)
    try connection.execute("PRAGMA query_only = ON")
    return connection
  }

  /// FULL: a commit returns when the disk has it.
  private func configure(_ connection: Connection) throws {
    try connection.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON"
    )
  }

  private func check(_ connection: Connection) throws {
    let found = try connection.first("PRAGMA quick_check(1)") { $0.text(0) } ?? "ok"
    guard found == "ok" else { throw SQLiteError.damaged(found) }
  }

  /// Copies a whole database to a file that appears when it is complete, readable for its owner alone.
  ///
  /// - Throws: `SQLiteError`, `SystemError`; nothing is left behind then.
  @discardableResult
  func copy(_ connection: Connection, to target: String, progress: (Double) -> Bool = { _ in true }) throws -> Bool {
    let part = "\(target).part"
    unlink(part)
    let descriptor = Glibc.open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw SystemError.last("open \(part)") }
    defer { Glibc.close(descriptor) }
    do {
      guard try connection.copy(to: part, progress: progress) else {
        unlink(part)
        return false
      }
      guard fsync(descriptor) == 0 else { throw SystemError.last("fsync \(part)") }
      guard rename(part, target) == 0 else { throw SystemError.last("rename \(part)") }
      return true
    } catch {
      unlink(part)
      throw error
    }
  }

  // MARK: Damage

  /// Leaves word for the next start that the file is damaged.
  func markDamaged() { leave(mark) }

  private func leave(_ mark: String) {
    let descriptor = Glibc.open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor >= 0 { Glibc.close(descriptor) }
  }

  /// Moves the file out of the way.
  ///
  /// - Returns: Where it is now.
  /// - Throws: `SystemError`.
  func setAside(_ word: String = "damaged", at time: Timestamp) throws -> String {
    let target = "\(path).\(word)-\(stamp(time))"
    guard rename(path, target) == 0 else { throw SystemError.last("rename \(path)") }
    // The log belongs to the file; without it, what was written last is gone from the copy.
    rename("\(path)-wal", "\(target)-wal")
    unlink("\(path)-shm")
    unlink(mark)
    return target
  }

  /// The last event's number in a damaged file, if it can still be read.
  var lastSequence: Int64? {
    // Whatever is wrong with it, no more than this number was hoped for.
    try? Connection(path: path, isReadOnly: true).first("SELECT max(sequence) FROM event") { $0.integer(0) }
  }

  private func stamp(_ time: Timestamp) -> String {
    String(time.rfc3339.filter { $0 != ":" && $0 != "-" })
  }
}
