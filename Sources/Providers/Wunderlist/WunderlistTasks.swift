internal import RingiKit

/// Tasks and lists over the API: what methods and task source share.
@Loop
struct WunderlistTasks {
  let api: TaskListAPI

  // MARK: Reading

  /// One task; nil when the service does not know it.
  func task(_ id: String) async throws -> WunderlistTask? {
    guard let json = try await record(["tasks", id]) else { return nil }
    return try parsed(json)
  }

  /// One record; nil when the service does not know it.
  func record(_ path: [String]) async throws -> JSONValue? {
    guard let json = try await api.record(path) else { return nil }
    guard Self.isMeant(json, by: path) else {
      throw api.malformed("it is the record \(json["id"] ?? .null) instead of \(path.joined(separator: "/"))")
    }
    return json
  }

  /// Whether a record is the one at a path; of the user there is one alone.
  private static func isMeant(_ json: JSONValue, by path: [String]) -> Bool {
    path.count == 1 || json["id"]?.int.map { String($0) } == path.last
  }

  /// All tasks of a list that are open, or all that are completed: the service gives never both.
  func tasks(in list: Int64, completed: Bool = false) async throws -> [WunderlistTask] {
    let filter = completed ? [("completed", "true")] : []
    return try await rows(["tasks"], [("list_id", String(list))] + filter).map(parsed)
  }

  func lists() async throws -> [(id: Int64, revision: Int64, json: JSONValue)] {
    try await rows(["lists"]).map { json in
      guard let id = json["id"]?.int, let revision = json["revision"]?.int else {
        throw api.malformed("a list has no id or revision")
      }
      return (id, revision, json)
    }
  }

  func rootRevision() async throws -> Int64 {
    guard let revision = try await api.read(["root"])["revision"]?.int else {
      throw api.malformed("the root has no revision")
    }
    return revision
  }

  private func rows(_ path: [String], _ query: [(String, String)] = []) async throws -> [JSONValue] {
    guard let rows = try await api.read(path, query).array else { throw api.malformed("a list is no array") }
    return Array(rows)
  }

  private func parsed(_ json: JSONValue) throws -> WunderlistTask {
    guard let task = WunderlistTask(json) else { throw api.malformed("a task has no id, list or revision") }
    return task
  }

  // MARK: Writing

  /// Changes a record, which is read again when its revision has moved: a change of somebody else's to the same fields,
  /// or a second move, is a conflict.
  ///
  /// - Parameters:
  ///   - path: The record.
  ///   - known: The record as last read.
  ///   - body: What to send beside the revision.
  ///   - stands: Whether the change still makes sense for the record as it is now.
  /// - Returns: The record as the service has it now.
  /// - Throws: `RPCError` (conflict) with what changed; else as `TaskListAPI.write`.
  func patch(
    _ path: [String], _ known: JSONValue, _ body: [(String, JSONValue)], stands: (JSONValue) throws -> Bool
  ) async throws -> JSONValue {
    do {
      return try await send(path, known, body)
    } catch let error as RPCError where error.kind == "conflict" {
      let now = try await current(path)
      guard try stands(now) else { throw conflict(known, now) }
      do {
        return try await send(path, now, body)
      } catch let error as RPCError where error.kind == "conflict" {
        throw conflict(now, try await current(path))
      }
    }
  }

  private func send(_ path: [String], _ known: JSONValue, _ body: [(String, JSONValue)]) async throws -> JSONValue {
    let revision = [("revision", known["revision"] ?? .null)]
    return try await change(path, JSONValue(object: revision + body))
  }

  /// Changes a record on the base of the revision that is in the body.
  ///
  /// - Returns: The record as the service has it now.
  /// - Throws: As `TaskListAPI.write`; `UnclearOutcome` as well when the answer does not show the record, or shows a
  ///   task open that was to be completed.
  func change(_ path: [String], _ body: JSONValue) async throws -> JSONValue {
    let answer = try await api.write(.patch, path, body)
    let record = try api.record(ofWrite: answer) { Self.isMeant($0, by: path) }
    // A recurring task may go on under its id.
    guard body["completed"] != true || record["completed"] == true || record["recurrence_type"]?.string != nil else {
      throw openStill
    }
    return record
  }

  /// The service took a completion, and its answer does not show it.
  var openStill: UnclearOutcome {
    UnclearOutcome(
      cause: .backendError(
        provider: api.instance, message: "\(api.instance): the service took the completion and shows the task as open.")
    )
  }

  /// The record as it is now.
  func current(_ path: [String]) async throws -> JSONValue {
    guard let now = try await record(path) else {
      throw RPCError.notFound("\(api.instance): the service does not know \(path.joined(separator: "/")) any more.")
    }
    return now
  }

  func conflict(_ known: JSONValue?, _ now: JSONValue) -> RPCError {
    let changes = known.map { WunderlistTask.changes(from: $0, to: now) } ?? []
    let what = changes.isEmpty ? "" : ": \(changes.map(\.0).joined(separator: ", "))"
    return .conflict(
      "\(api.instance): it was changed meanwhile\(what); nothing was changed, look at it again.",
      details: ["current": now, "changes": JSONValue(object: changes)])
  }
}
