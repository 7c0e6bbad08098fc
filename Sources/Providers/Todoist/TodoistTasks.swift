internal import RingiKit

/// Tasks over the API: what methods and task source share.
@Loop
struct TodoistTasks {
  let api: TaskListAPI
  let closes: TodoistCloses
  let log: @Loop @Sendable (ProviderContext.LogLevel, String) -> Void

  private static let pageSize = 200
  /// More pages than anybody has tasks for.
  private static let mostPages = 500

  /// All rows of a list, page by page.
  ///
  /// A cursor that comes back, or pages without end, cut the list short.
  ///
  /// - Parameters:
  ///   - path: The list.
  ///   - query: Its filters.
  ///   - name: Where the rows are: `results`, or `items` for completed tasks.
  /// - Returns: The rows, each once, and whether these are all.
  /// - Throws: `RPCError` when a page cannot be had: part of a list is never taken for the whole.
  func rows(
    _ path: [String], _ query: [(String, String)] = [], in name: String = "results"
  ) async throws -> (rows: [JSONValue], isComplete: Bool) {
    var rows: [JSONValue] = []
    var ids: Set<String> = []
    var cursors: Set<String> = []
    var next: [(String, String)] = []
    var budget = ListBudget(api.instance, path.joined(separator: "/"))
    for _ in 0..<Self.mostPages {
      let page = try await api.read(path, query + [("limit", String(Self.pageSize))] + next) { try budget.take($0) }
      guard let found = page[name]?.array else { throw api.malformed("a list has no \(name)") }
      for row in found {
        guard let id = row["id"]?.string else { throw api.malformed("a row of a list has no id") }
        // Rows may move from one page to the next meanwhile.
        if ids.insert(id).inserted { rows.append(row) }
      }
      guard let end = page["next_cursor"], !end.isNull else { return (rows, true) }
      guard let cursor = end.string else { throw api.malformed("a list's next_cursor is no text") }
      guard cursors.insert(cursor).inserted else { break }
      next = [("cursor", cursor)]
    }
    log(
      .warning, "the list \(path.joined(separator: "/")) was cut short after \(rows.count) rows: its cursors do not end"
    )
    return (rows, false)
  }

  /// One task; nil when the service does not know it.
  func task(_ id: String) async throws -> TodoistTask? {
    guard let json = try await api.record(["tasks", id]) else { return nil }
    guard let task = TodoistTask(json) else { throw api.malformed("a task has no id") }
    guard task.id == id else { throw api.malformed("it is the task \(task.id) instead of \(id)") }
    return task.isDeleted ? nil : task
  }

  func current(_ id: String) async throws -> TodoistTask {
    guard let task = try await task(id) else {
      throw RPCError.notFound("\(api.instance): the service knows no task \(id.debugDescription).")
    }
    return task
  }

  // MARK: Closing

  /// The waits before a command whose answer was lost is sent again.
  private static let pauses: [Duration] = [.milliseconds(500), .seconds(2), .seconds(5)]

  /// Closes a task, or an occurrence of one, once.
  ///
  /// - Throws: `RPCError` when nothing happened; `UnclearOutcome` when nobody knows.
  func close(_ key: TaskKey) async throws {
    if let earlier = try await closes.earlier(for: key) {
      try await carryOut(earlier, key)
      // Where it had been carried out already, somebody has opened the task again since.
      guard try await isOpenStill(key) else { return }
    }
    try await carryOut(try await closes.make(for: key), key)
  }

  private func isOpenStill(_ key: TaskKey) async throws -> Bool {
    do {
      return try await task(key.id)?.isOpen(as: key) == true
    } catch let error as RPCError {
      throw UnclearOutcome(cause: error)
    }
  }

  /// Sends a command until its answer tells what became of it; the service does not carry it out twice.
  private func carryOut(_ command: String, _ key: TaskKey) async throws {
    var pauses = Self.pauses[...]
    var doubt: UnclearOutcome?
    var refusal: RPCError?
    while true {
      do {
        let answer = try await api.write(.post, ["sync"], Self.body(key.id, command))
        refusal = try outcome(answer["sync_status"]?[command], key.id)
        break
      } catch let unclear as UnclearOutcome {
        doubt = doubt ?? unclear
        guard unclear.cause.retryAfter == nil, let pause = pauses.popFirst() else { throw unclear }
        try await api.clock.sleep(for: pause)
      } catch let error as RPCError {
        // That the command did not get through this time says nothing of the time before.
        if let doubt { throw doubt }
        if error.kind == "backend-error" || error.kind == "not-found" { try await closes.settle(key) }
        throw error
      }
    }
    // Kept longer than needed it does no harm: the same occurrence is closed once.
    do {
      try await closes.settle(key)
    } catch {
      log(.warning, "a closed task's command stays in the store: \(error)")
    }
    if let refusal { throw refusal }
  }

  static func body(_ id: String, _ command: String) -> JSONValue {
    ["commands": [["type": "item_close", "uuid": JSONValue(command), "args": ["id": JSONValue(id)]]]]
  }

  /// What an answer says of a command that was not carried out; a status of 200 does not mean that it was.
  private func outcome(_ status: JSONValue?, _ id: String) throws -> RPCError? {
    guard let status else { throw UnclearOutcome(cause: api.malformed("an answer does not tell of its command")) }
    guard status.string != "ok" else { return nil }
    guard status.object != nil else { throw UnclearOutcome(cause: api.malformed("a command's status is \(status)")) }
    let reason = status["error"]?.string ?? "no reason given"
    if let code = status["http_code"]?.int, [408, 425, 429].contains(code) || code >= 500 {
      throw UnclearOutcome(
        cause: .unavailable(
          "\(api.instance): the service has trouble with closing the task (\(code)): \(reason).",
          retryAfter: TodoistWire.wait(status).map { Double($0) }))
    }
    if status["http_code"]?.int == 404 {
      return .notFound("\(api.instance): the service knows no task \(id.debugDescription): \(reason).")
    }
    return .backendError(
      provider: api.instance, status: status["http_code"]?.int.map { Int(clamping: $0) },
      code: status["error_tag"]?.string, message: "\(api.instance): the service did not close the task: \(reason).")
  }
}
