internal import CSQLite

/// A prepared statement; it belongs to its connection and that connection's thread.
final class Statement {
  let handle: OpaquePointer
  private let connection: OpaquePointer

  init(_ connection: OpaquePointer, _ sql: String) throws(SQLiteError) {
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle else { throw SQLiteError(connection, code) }
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
    precondition(values.count == Int(sqlite3_bind_parameter_count(handle)), "as many values as the statement names")
    for (index, value) in values.enumerated() {
      let code = bind(value, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw SQLiteError(connection, code) }
    }
  }

  private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(handle, index)
    case .integer(let integer): return sqlite3_bind_int64(handle, index, integer)
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          guard let base = $0.baseAddress else { return ringi_bind_text(handle, index, "", 0) }
          return ringi_bind_text(handle, index, base, UInt64($0.count))
        }
      }
    case .blob(let bytes):
      return bytes.withUnsafeBytes { ringi_bind_blob(handle, index, $0.baseAddress, UInt64($0.count)) }
    }
  }

  /// Steps to the next row.
  ///
  /// - Returns: Whether there is one.
  func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw SQLiteError(connection, code)
    }
  }

  /// Makes it ready for the next use and lets go of what it read.
  func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }
}

/// The row that a query has come to; valid until the next one.
public struct Row: ~Copyable {
  let handle: OpaquePointer

  public func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }

  public func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

  public func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }

  public func flag(_ column: Int) -> Bool { integer(column) != 0 }

  public func text(_ column: Int) -> String { withBytes(column) { String(decoding: $0, as: UTF8.self) } }

  public func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }

  public func bytes(_ column: Int) -> [UInt8] { withBytes(column) { Array($0) } }

  public func optionalBytes(_ column: Int) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

  /// Calls with a text's or a blob's bytes, which are valid for that long.
  public func withBytes<R>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    // The pointer first: it is what makes the count that of its form.
    let base = sqlite3_column_blob(handle, Int32(column))
    return try body(UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }
}
