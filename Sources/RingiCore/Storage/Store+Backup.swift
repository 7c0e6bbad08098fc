internal import CLinux
internal import EventLoop
internal import Glibc
internal import JSONRPC
internal import SQLite
internal import Synchronization

extension Store {
  /// Copies the store as it is at one moment into a file, on a thread of its own: nobody waits for it.
  ///
  /// - Parameters:
  ///   - path: The file's absolute path.
  ///   - isReplacing: Whether a file that is there is replaced.
  ///   - progress: Hears now and then of the share that is done, from 0 to 1.
  /// - Returns: The file's size.
  /// - Throws: `RPCError`; `CancellationError`. Nothing is left behind then.
  func backUp(
    to path: String, replacing isReplacing: Bool, progress: @escaping @Loop @Sendable (Double) -> Void
  ) async throws -> Int64 {
    guard let file else { throw RPCError.conflict("This agent keeps its state in memory alone; there is no file.") }
    guard path.hasPrefix("/") else {
      throw RPCError.invalidParams("file: \(path) is not absolute; it takes a path that begins with /.")
    }
    let isCancelled = Atomic(false)
    let database = Database()
    return try await withTaskCancellationHandler {
      do {
        return try await database.perform {
          try Self.check(path, isReplacing, file)
          return try Self.copy(file, to: path, isReplacing) { share in
            if let share { Loop.run { progress(share) } }
            return !isCancelled.load(ordering: .relaxed)
          }
        }
      } catch let error as CancellationError {
        throw error
      } catch let error as RPCError {
        throw error
      } catch let error as SystemError where error.code == EEXIST {
        throw Self.isThere(path)
      } catch {
        throw RPCError.unavailable("The backup \(path) could not be written: \(error). See to the place and try again.")
      }
    } onCancel: {
      isCancelled.store(true, ordering: .relaxed)
    }
  }

  private nonisolated static func check(_ path: String, _ isReplacing: Bool, _ file: StoreFile) throws(RPCError) {
    guard !file.owns(path) else {
      throw .conflict("\(path) is a place of the store itself; choose another.")
    }
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .conflict("\(path) is there and is no regular file; choose another place.")
    }
    guard isReplacing else { throw isThere(path) }
    guard file.identity.database != StoreIdentity.File(path) else {
      throw .conflict("\(path) is the store itself; choose another place.")
    }
  }

  private nonisolated static func isThere(_ path: String) -> RPCError {
    .conflict("\(path) is there already; choose another name, or replace it by force.")
  }

  private nonisolated static func copy(
    _ file: StoreFile, to path: String, _ isReplacing: Bool, _ progress: (Double?) -> Bool
  ) throws -> Int64 {
    let connection = try Connection(path: file.path, isReadOnly: true)
    // One moment of the store, whatever is committed meanwhile: the copy need not begin anew each time.
    try connection.execute("BEGIN")
    _ = try connection.first("PRAGMA schema_version") { $0.integer(0) }
    var told = 0
    let isWhole = try file.copy(connection, to: path, replacing: isReplacing) { share in
      let percent = Int(share * 100)
      defer { told = percent }
      return progress(percent == told ? nil : Double(percent) / 100)
    }
    guard isWhole else { throw CancellationError() }
    return StoreFile.size(of: path)
  }
}
