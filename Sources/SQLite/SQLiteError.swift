internal import CSQLite

/// What SQLite says went wrong.
///
/// - SeeAlso: sqlite.org/rescode.html
public struct SQLiteError: Error, Equatable, CustomStringConvertible {
  /// The extended result code.
  public let code: Int32
  public let message: String

  public init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  /// A row that can be read and makes no sense: as bad as a page that can't.
  public static func damaged(_ message: String) -> SQLiteError { SQLiteError(code: SQLITE_CORRUPT, message: message) }

  init(_ connection: OpaquePointer?, _ code: Int32) {
    let extended = connection.map { sqlite3_extended_errcode($0) } ?? code
    // The connection's text is about its last call, which need not be the one that returned this code.
    let isLast = extended & 0xff == code & 0xff
    self.code = isLast ? extended : code
    message = String(cString: isLast && connection != nil ? sqlite3_errmsg(connection) : sqlite3_errstr(code))
  }

  public var description: String { message }

  /// What kind of trouble it is.
  public enum Kind: Equatable, Sendable {
    /// No room is left where the file is.
    case full
    /// The file or its folder may only be read.
    case readOnly
    /// The file is damaged, or no database.
    case damaged
    /// The file can't be opened, read or written.
    case unreachable
    /// Somebody else holds a lock on the file.
    case busy
    /// The statement or its values are at fault, not the place where they go.
    case statement
  }

  public var kind: Kind {
    switch code & 0xff {
    case SQLITE_FULL: .full
    case SQLITE_READONLY: .readOnly
    case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
    case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH, SQLITE_NOMEM, SQLITE_PROTOCOL, SQLITE_NOLFS:
      .unreachable
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    default: .statement
    }
  }
}
