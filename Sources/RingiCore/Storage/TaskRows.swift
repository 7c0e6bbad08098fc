internal import JSON
internal import RingiModel
internal import SQLite
internal import Timing

/// The tasks in the store, with their steps and the forms that they had before.
enum TaskRows {
  /// The steps that are kept of a task.
  private static let maxSteps = 50
  /// The earlier forms that are kept of a task.
  private static let maxForms: Int64 = 5

  // MARK: Writing

  static func put(_ record: TaskTable.Record, at now: Timestamp, _ connection: Connection) throws {
    let task = record.task
    let name: [SQLiteValue] = [.text(task.id.provider), .text(task.id.key)]
    // What it was before, for saying what changed since somebody looked.
    try connection.run(
      "INSERT INTO task_form (task, revision, record, raw) SELECT id, revision, record, raw FROM task WHERE instance = ? AND key = ? AND revision <> ?",
      name + [.text(task.revision)])
    let hasFormer = connection.changes > 0
    let id = try connection.first(
      """
      INSERT INTO task (instance, key, revision, record, raw, fingerprint, pending, closed_at)
      VALUES (?1, ?2, ?3, ?4, coalesce(?5, CAST('null' AS BLOB)), ?6, ?7, ?8)
      ON CONFLICT (instance, key) DO UPDATE SET
        revision = ?3, record = ?4, raw = coalesce(?5, raw), fingerprint = ?6, pending = ?7,
        closed_at = CASE WHEN ?8 IS NULL THEN NULL ELSE coalesce(closed_at, ?8) END
      RETURNING id
      """,
      name + [
        .text(task.revision), .blob(task.record.utf8), SQLiteValue(record.isSlim ? nil : task.raw.utf8),
        SQLiteValue(record.fingerprint.map(Int64.init(bitPattern:))), SQLiteValue(record.pending?.json.description),
        SQLiteValue(task.status.isOpen ? nil : now.milliseconds),
      ]
    ) { $0.integer(0) }
    guard let id else { return }
    if hasFormer {
      try connection.run(
        "DELETE FROM task_form WHERE task = ?1 AND number NOT IN (SELECT number FROM task_form WHERE task = ?1 ORDER BY number DESC LIMIT ?2)",
        [.integer(id), .integer(maxForms)])
    }
    for step in record.steps { try add(step, to: id, connection) }
  }

  private static func add(_ step: TaskTable.Step, to id: Int64, _ connection: Connection) throws {
    let number = try connection.first("SELECT max(number) FROM task_step WHERE task = ?", [.integer(id)]) {
      $0.integer(0) + 1
    }
    try connection.run(
      "INSERT INTO task_step (task, number, time, what) VALUES (?, ?, ?, ?)",
      [.integer(id), SQLiteValue(number), .integer(step.time.milliseconds), .text(step.what)])
    guard let number, number > maxSteps else { return }
    try connection.run(
      "DELETE FROM task_step WHERE task = ? AND number <= ?", [.integer(id), .integer(number - Int64(maxSteps))])
  }

  /// Lets a task go that was decided or gone long ago.
  static func remove(_ id: TaskItem.ID, _ connection: Connection) throws {
    let name: [SQLiteValue] = [.text(id.provider), .text(id.key)]
    for table in ["task_step", "task_form"] {
      try connection.run(
        "DELETE FROM \(table) WHERE task = (SELECT id FROM task WHERE instance = ? AND key = ?)", name)
    }
    try connection.run("DELETE FROM task WHERE instance = ? AND key = ?", name)
  }

  // MARK: Reading

  /// All tasks, without the backends' records, by instance.
  ///
  /// - Parameters:
  ///   - connection: The store.
  ///   - trustsFingerprints: Whether this program makes of a backend's record what the one that recorded it made.
  /// - Returns: The records, the closed ones in the order of their ends.
  /// - Throws: `SQLiteError`, `RecordError`.
  static func all(_ connection: Connection, trustsFingerprints: Bool = true) throws -> [String: [TaskTable.Record]] {
    var found: [String: [TaskTable.Record]] = [:]
    var common = CommonValues()
    try connection.forEach("SELECT instance, record, fingerprint, pending FROM task ORDER BY closed_at, id") { row in
      let record = TaskTable.Record(
        task: common.sharing(try TaskItem(record: try parse(row, 1))),
        fingerprint: !trustsFingerprints ? nil : row.optionalInteger(2).map(UInt64.init(bitPattern:)),
        pending: row.isNull(3) ? nil : try TaskTable.Pending(json: try parse(row, 3)), steps: [], isSlim: true,
        version: 0)
      found[row.text(0), default: []].append(record)
      return true
    }
    return found
  }

  /// The backend's records of tasks, as JSON texts; of a task that is not there, none.
  static func raws(of ids: [TaskItem.ID], _ connection: Connection) throws -> [TaskItem.ID: [UInt8]] {
    var found: [TaskItem.ID: [UInt8]] = [:]
    for id in ids {
      found[id] = try connection.first(
        "SELECT raw FROM task WHERE instance = ? AND key = ?", [.text(id.provider), .text(id.key)]
      ) { $0.bytes(0) }
    }
    return found
  }

  /// The task as it was when it had a revision, unless that is long ago.
  static func form(of id: TaskItem.ID, revision: String, _ connection: Connection) throws -> TaskItem? {
    try connection.first(
      """
      SELECT record, raw FROM task WHERE instance = ?1 AND key = ?2 AND revision = ?3
      UNION ALL
      SELECT task_form.record, task_form.raw FROM task_form JOIN task ON task.id = task_form.task
      WHERE instance = ?1 AND key = ?2 AND task_form.revision = ?3
      """, [.text(id.provider), .text(id.key), .text(revision)]
    ) { try TaskItem(record: try parse($0, 0), raw: try parse($0, 1)) }
  }

  /// A task's steps, the oldest first.
  static func steps(of id: TaskItem.ID, _ connection: Connection) throws -> [TaskTable.Step] {
    try connection.rows(
      "SELECT time, what FROM task_step JOIN task ON id = task WHERE instance = ? AND key = ? ORDER BY number",
      [.text(id.provider), .text(id.key)]
    ) { TaskTable.Step(time: Timestamp(milliseconds: $0.integer(0)), what: $0.text(1)) }
  }

  private static func parse(_ row: borrowing Row, _ column: Int) throws -> JSONValue {
    do {
      return try JSONValue(parsing: row.bytes(column), options: JSONParsingOptions(maxDepth: 1024))
    } catch {
      throw SQLiteError.damaged("the record of a task can't be read: \(error)")
    }
  }
}

extension Change {
  /// What has changed in an instance's tasks.
  static func tasks(_ records: [TaskTable.Record], forgotten: [TaskItem.ID], at now: Timestamp) -> Change {
    Change { connection in
      for record in records { try TaskRows.put(record, at: now, connection) }
      for id in forgotten { try TaskRows.remove(id, connection) }
    }
  }
}
