internal import SQLite

/// What the store holds of the agent's state, as it is read once.
package struct StoredState: Sendable {
  let events: EventRows.Range

  init(_ connection: Connection) throws {
    events = try EventRows.range(connection)
  }
}
