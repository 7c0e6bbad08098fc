internal import EventLoop

/// A connection on a thread of its own, where SQLite may block without anybody else waiting.
public actor Database {
  private let thread: SerialThread
  private var connection: Connection?

  public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// Makes a database that is not open yet.
  public init() {
    thread = SerialThread()
    Self.start(thread)
  }

  /// Makes a database that is open from the beginning.
  ///
  /// - Parameter open: Makes the connection; called at once, so it must not block.
  /// - Throws: What `open` throws.
  public init(_ open: @Sendable () throws -> Connection) throws {
    connection = try open()
    thread = SerialThread()
    Self.start(thread)
  }

  private static func start(_ thread: SerialThread) {
    do { try thread.start() } catch { preconditionFailure("no thread could be started for the database: \(error)") }
  }

  deinit { thread.stop() }

  /// Opens the database, in the place of what was open before.
  ///
  /// - Parameter open: Makes the connection; called on the database's thread.
  /// - Throws: What `open` throws; nothing is open then.
  public func open(_ open: @Sendable () throws -> Connection) throws {
    connection = nil
    connection = try open()
  }

  public func close() { connection = nil }

  /// Runs `body` on the database's thread.
  ///
  /// - Parameter body: What to do with the connection, which must not leave it.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; ``SQLiteError`` when nothing is open.
  public func run<R: Sendable>(_ body: @Sendable (Connection) throws -> R) throws -> R {
    guard let connection else { throw SQLiteError(code: 14, message: "the database is not open") }
    return try body(connection)
  }

  /// Runs what may block, in its turn with what uses the connection.
  public func perform<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R { try body() }
}
