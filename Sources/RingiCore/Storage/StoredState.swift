internal import RingiModel
internal import SQLite

/// What the store holds of the agent's state, as it is read once.
package struct StoredState: Sendable {
  let events: EventRows.Range
  let audit: AuditRows.Head
  let instances: [String: InstanceRows.State]
  let tasks: [String: [TaskTable.Record]]
  let jobs: [JobRecord]
  let hooks: [HookRecord]

  /// Reads the state.
  ///
  /// - Throws: `SQLiteError`, also for a record that makes no sense: the file is damaged then.
  init(_ connection: Connection) throws {
    do {
      try self.init(reading: connection)
    } catch let error as SQLiteError {
      throw error
    } catch {
      throw SQLiteError.damaged("\(error)")
    }
  }

  private init(reading connection: Connection) throws {
    events = try EventRows.range(connection)
    audit = try AuditRows.head(connection)
    instances = try InstanceRows.all(connection)
    let program = try connection.first("SELECT value FROM meta WHERE name = 'program'") { $0.text(0) }
    tasks = try TaskRows.all(connection, trustsFingerprints: program == Version.current)
    jobs = try JobRows.all(connection)
    hooks = try HookRows.all(connection)
  }
}
