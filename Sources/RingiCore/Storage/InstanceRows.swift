internal import JSON
internal import JSONRPC
internal import SQLite

/// What the store knows of the task sources as wholes.
enum InstanceRows {
  struct State: Sendable, Equatable {
    var hasPolled: Bool
    /// Why the last poll failed; `nil` after a good one.
    var failure: RPCError?
  }

  static func all(_ connection: Connection) throws -> [String: State] {
    let rows = try connection.rows("SELECT name, has_polled, failure FROM instance") { row in
      (
        row.text(0),
        State(
          hasPolled: row.flag(1),
          failure: try row.optionalBytes(2).flatMap { try RPCError(json: JSONValue(parsing: $0)) })
      )
    }
    return Dictionary(rows) { _, last in last }
  }
}

extension Change {
  static func instance(_ name: String, _ state: InstanceRows.State) -> Change {
    Change(subject: "instance/\(name)") { connection in
      try connection.run(
        "INSERT OR REPLACE INTO instance (name, has_polled, failure) VALUES (?, ?, ?)",
        [.text(name), SQLiteValue(state.hasPolled), SQLiteValue(state.failure?.json.description)])
    }
  }
}
