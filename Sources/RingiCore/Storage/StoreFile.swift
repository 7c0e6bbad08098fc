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

  /// Whether a path is the place of one of the store's files, whatever the way to it.
  func owns(_ path: String) -> Bool {
    let (folder, name) = Self.split(path)
    guard name.hasPrefix(Self.name) || name == StateLock.name else { return false }
    guard let folder = StoreIdentity.File(folder) else { return false }
    return folder == StoreIdentity.File(directory)
  }

  /// The folder of a path, and the name in it.
  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    return (String(path[...slash]), String(path[path.utf8.index(after: slash)...]))
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
  /// - Throws: `SQLiteError`, `SystemError`, `Migrator.LaterSchema`.
  func open(at time: Timestamp) throws -> Connection {
    // SQLite gives its other files the mode of this one.
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError.last("open \(path)") }
    Glibc.close(descriptor)
    setForeignLogAside(at: time)
    if access(mark, F_OK) == 0 { throw SQLiteError.damaged("it was found damaged before") }
    let connection = try Connection(path: path)
    try configure(connection)
    try Migrator.store.migrate(connection) { version in
      _ = try copy(connection, to: "\(path).version-\(version)-\(stamp(time))")
    }
    if bytes <= Self.checkedBytes { try check(connection) }
    return connection
  }

  /// Sees to it that a log that belongs to another file is not taken for this one's.
  func setForeignLogAside(at time: Timestamp) {
    guard access(replacedMark, F_OK) == 0 else { return }
    rename("\(path)-wal", "\(path)-wal.orphan-\(stamp(time))")
    unlink("\(path)-shm")
    unlink(replacedMark)
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
  /// - Parameters:
  ///   - connection: The database.
  ///   - target: The file.
  ///   - isReplacing: Whether a file that is there is replaced.
  ///   - progress: As for `Connection.copy`.
  /// - Returns: Whether it came to its end.
  /// - Throws: `SQLiteError`, `SystemError`; nothing is left behind then.
  @discardableResult
  func copy(
    _ connection: Connection, to target: String, replacing isReplacing: Bool = true,
    progress: (Double) -> Bool = { _ in true }
  ) throws -> Bool {
    // A name that nobody else has, whoever copies to the same file.
    let part = "\(target).\(getpid())-\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
    let descriptor = Glibc.open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw SystemError.last("open \(part)") }
    defer { Glibc.close(descriptor) }
    do {
      guard try connection.copy(to: part, progress: progress) else {
        unlink(part)
        return false
      }
      guard fsync(descriptor) == 0 else { throw SystemError.last("fsync \(part)") }
      try Self.move(part, to: target, replacing: isReplacing)
    } catch {
      unlink(part)
      throw error
    }
    try Self.sync(Self.split(target).folder)
    return true
  }

  private static func move(_ part: String, to target: String, replacing isReplacing: Bool) throws(SystemError) {
    if isReplacing {
      guard rename(part, target) == 0 else { throw .last("rename \(part)") }
    } else if ringi_rename_to_new(part, target) != 0 {
      // Not every file system can do that.
      guard errno == EINVAL, link(part, target) == 0 else { throw .last("rename \(part)") }
      unlink(part)
    }
  }

  /// Waits until the disk has the names in a folder.
  private static func sync(_ folder: String) throws(SystemError) {
    let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      // One may have the right to write there and not to read.
      if errno == EACCES { return }
      throw .last("open \(folder)")
    }
    defer { Glibc.close(descriptor) }
    // Some file systems can't, and need not.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw .last("fsync \(folder)") }
  }

  // MARK: Damage

  /// Leaves word for the next start that the file is damaged.
  func markDamaged() { leave(mark) }

  private func leave(_ mark: String) {
    let descriptor = Glibc.open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor >= 0 { Glibc.close(descriptor) }
  }

  /// Moves the damaged file out of the way.
  ///
  /// - Parameter time: Now, for its name.
  /// - Returns: Where it is now.
  /// - Throws: `SystemError`.
  func setAside(at time: Timestamp) throws -> String {
    let target = "\(path).damaged-\(stamp(time))"
    guard rename(path, target) == 0 else { throw SystemError.last("rename \(path)") }
    clearAround(to: target)
    try Self.sync(directory)
    return target
  }

  /// The log belongs to the file; without it, what was written last is gone from what was set aside.
  private func clearAround(to target: String) {
    rename("\(path)-wal", "\(target)-wal")
    unlink("\(path)-shm")
    unlink(mark)
  }

  /// Puts a complete database in the file's place and sets aside what was there.
  ///
  /// A crash meanwhile leaves the one or the other.
  ///
  /// - Parameters:
  ///   - part: The database, in the same folder.
  ///   - time: Now, for the name of what is set aside.
  /// - Returns: Where the old file is now; `nil` when there was none.
  /// - Throws: `SystemError`; the old file is in its place then.
  func replace(by part: String, at time: Timestamp) throws -> String? {
    let target = "\(path).replaced-\(stamp(time))"
    let (wasThere, wasDamaged) = (identity.database != nil, access(mark, F_OK) == 0)
    if wasThere {
      // With its log in it, the old file is whole by itself at each moment. One that can't be opened is left as it is.
      if !wasDamaged { try? Connection(path: path).execute("PRAGMA journal_mode = DELETE") }
      // Where there are no links, it is away for a moment.
      guard link(path, target) == 0 || (errno != EEXIST && rename(path, target) == 0) else {
        throw SystemError.last("link \(path)")
      }
    }
    // Left where it is, the log would be taken for the new file's, and the mark, too.
    clearAround(to: target)
    do {
      try Self.sync(directory)
      guard rename(part, path) == 0 else { throw SystemError.last("rename \(part)") }
    } catch {
      // The rename does nothing while both are names of one file.
      if wasThere, rename(target, path) == 0 { unlink(target) }
      if wasDamaged { markDamaged() }
      rename("\(target)-wal", "\(path)-wal")
      throw error
    }
    try Self.sync(directory)
    return wasThere ? target : nil
  }

  /// The last number that a damaged file gave to an event, if it can still be read.
  var lastSequence: Int64? {
    // Whatever is wrong with it, no more than this number was hoped for.
    let last = try? EventRows.range(Connection(path: path, isReadOnly: true)).last
    return last == 0 ? nil : last
  }

  private func stamp(_ time: Timestamp) -> String {
    String(time.rfc3339.filter { $0 != ":" && $0 != "-" })
  }
}
