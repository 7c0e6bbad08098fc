internal import CSQLite

/// An open database, to be used by one thread at a time; see ``Database``, which sees to that.
public final class Connection {
  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// Opens a file, which is made when it is not there.
  ///
  /// - Parameters:
  ///   - path: The file, or `:memory:`.
  ///   - isReadOnly: Whether it is only to be read; it must exist then.
  /// - Throws: ``SQLiteError``.
  public init(path: String, isReadOnly: Bool = false) throws(SQLiteError) {
    var handle: OpaquePointer?
    let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let handle else {
      let error = SQLiteError(handle, code)
      sqlite3_close_v2(handle)
      throw error
    }
    // Somebody who looks at the file with another program holds it up for moments.
    sqlite3_busy_timeout(handle, 2000)
    self.handle = handle
  }

  deinit {
    statements = [:]
    sqlite3_close_v2(handle)
  }

  // MARK: Statements

  /// Runs one or more statements that take no values and return no rows.
  ///
  /// - Throws: ``SQLiteError``; the statements before the failed one stay done.
  public func execute(_ sql: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(handle, code) }
  }

  /// Runs one statement to its end.
  ///
  /// - Parameters:
  ///   - sql: The statement; it stays prepared for the next time, so values belong into `values`.
  ///   - values: One for each parameter.
  /// - Throws: ``SQLiteError``.
  public func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) {
    let statement = try prepared(sql, values)
    defer { statement.reset() }
    while try statement.step() {}
  }

  /// Calls with each row of a query.
  ///
  /// - Parameters:
  ///   - sql: The query.
  ///   - values: One for each parameter.
  ///   - body: Returns whether it wants the next row.
  /// - Throws: ``SQLiteError``, or what `body` throws.
  public func forEach(_ sql: String, _ values: [SQLiteValue] = [], _ body: (borrowing Row) throws -> Bool) throws {
    let statement = try prepared(sql, values)
    defer { statement.reset() }
    let row = Row(handle: statement.handle)
    while try statement.step(), try body(row) {}
  }

  /// All rows of a query.
  public func rows<R>(
    _ sql: String, _ values: [SQLiteValue] = [], _ body: (borrowing Row) throws -> R
  ) throws -> [R] {
    var rows: [R] = []
    try forEach(sql, values) { row in
      rows.append(try body(row))
      return true
    }
    return rows
  }

  /// The first row of a query, if there is one.
  public func first<R>(
    _ sql: String, _ values: [SQLiteValue] = [], _ body: (borrowing Row) throws -> R
  ) throws -> R? {
    var found: R?
    try forEach(sql, values) { row in
      found = try body(row)
      return false
    }
    return found
  }

  private func prepared(_ sql: String, _ values: [SQLiteValue]) throws(SQLiteError) -> Statement {
    let statement: Statement
    if let known = statements[sql] {
      statement = known
    } else {
      statement = try Statement(handle, sql)
      statements[sql] = statement
    }
    try statement.bind(values)
    return statement
  }

  /// How many rows the last statement changed.
  public var changes: Int { Int(sqlite3_changes64(handle)) }

  // MARK: Transactions

  /// Runs `body` as one transaction: all of it is done, or nothing.
  ///
  /// - Throws: ``SQLiteError``, or what `body` throws; nothing is done then.
  public func transaction<R>(_ body: () throws -> R) throws -> R {
    try run("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Runs `body` as a part of a transaction that can fail by itself.
  ///
  /// - Throws: What `body` throws; what it did is undone then, and the transaction around it goes on.
  public func savepoint<R>(_ body: () throws -> R) throws -> R {
    try run("SAVEPOINT part")
    do {
      let result = try body()
      try run("RELEASE part")
      return result
    } catch {
      // Where the disk failed, SQLite may have rolled everything back, and there is no such savepoint any more.
      if sqlite3_get_autocommit(handle) == 0 { try execute("ROLLBACK TO part; RELEASE part") }
      throw error
    }
  }

  /// Some errors roll back by themselves.
  private func rollBack() {
    guard sqlite3_get_autocommit(handle) == 0 else { return }
    sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
  }

  // MARK: Copies

  /// Copies the whole database into a file while others go on using it.
  ///
  /// The copy has no log of its own, so that it can be read where nothing can be written.
  ///
  /// - Parameters:
  ///   - path: The file; what it holds is replaced.
  ///   - progress: Called now and then with the share that is done, from 0 to 1; returns whether to go on.
  /// - Returns: Whether it came to its end.
  /// - Throws: ``SQLiteError``.
  public func copy(to path: String, progress: (Double) -> Bool = { _ in true }) throws(SQLiteError) -> Bool {
    let target = try Connection(path: path)
    guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw SQLiteError(target.handle, SQLITE_ERROR)
    }
    var code = SQLITE_OK
    while code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED {
      code = sqlite3_backup_step(backup, 1024)
      let total = Double(max(1, sqlite3_backup_pagecount(backup)))
      if !progress(1 - Double(sqlite3_backup_remaining(backup)) / total) { break }
    }
    sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE || code == SQLITE_OK else { throw SQLiteError(target.handle, code) }
    guard code == SQLITE_DONE else { return false }
    try target.execute("PRAGMA journal_mode = DELETE")
    return true
  }
}
