internal import RingiKit

/// The methods `INSTANCE.project.list`, `INSTANCE.task.…` and `INSTANCE.user.get`.
@Loop
struct TodoistMethods {
  let tasks: TodoistTasks
  private var api: TaskListAPI { tasks.api }

  private static let record = Schema.object([:], isOpen: true).described("The record as the service has it.")
  private static let id = Schema.object(["id": .taskID], required: ["id"])
  private static let time = Schema.string("A time such as 2026-11-30T05:09:00Z.", format: "date-time")

  private static func rows(_ name: String) -> Schema {
    .object(
      [name: .array(of: record), "complete": .boolean("Whether these are all.")], required: [name, "complete"])
  }

  private static let fields: [(name: String, schema: Schema)] = [
    ("description", .string()), ("labels", .array(of: .string(minLength: 1))),
    ("priority", .integer("4 is the most urgent.", 1...4)),
    ("due_string", .string("As people write it, such as every 15th at 21:00; no date takes it away.", minLength: 1)),
    ("due_date", .string("A day such as 2026-11-30.", format: "date")), ("due_datetime", time),
    ("due_lang", .string("The language of due_string.", minLength: 1)), ("assignee_id", .string(minLength: 1)),
    ("deadline_date", .string("A day such as 2026-11-30.", format: "date")),
  ]

  func register(on registrar: inout Registrar) {
    registrar.method("user.get", "Tells whose token it is.", params: .object([:]), result: Self.record) { _, _ in
      try await api.read(["user"])
    }
    registrar.method(
      "project.list", "Lists the projects.", params: .object([:]), result: Self.rows("projects")
    ) { _, _ in
      let found = try await tasks.rows(["projects"])
      return ["projects": JSONValue(array: found.rows), "complete": JSONValue(found.isComplete)]
    }
    registerTasks(on: &registrar)
    registerChanges(on: &registrar)
  }

  private func registerTasks(on registrar: inout Registrar) {
    registrar.method(
      "task.list", "Lists the open tasks, or those completed within a time of three months at most.",
      params: .object([
        "project_id": .string(minLength: 1), "label": .string(minLength: 1),
        "completed": .boolean("Completed ones, which need since and until, instead of open ones.").default(false),
        "since": Self.time, "until": Self.time,
      ]), result: Self.rows("tasks")
    ) { params, _ in try await list(params) }
    registrar.method("task.get", "Reads a task.", params: Self.id, result: Self.record) { params, _ in
      try await tasks.current(try key(params)).json
    }
    registrar.method(
      "task.create", "Makes a task.",
      params: .object(
        properties: [
          ("content", .string("The title.", minLength: 1)), ("project_id", .string(minLength: 1)),
          ("section_id", .string(minLength: 1)), ("parent_id", .string(minLength: 1)),
        ] + Self.fields, required: ["content"]), result: Self.record, isMutation: true
    ) { params, _ in try await create(params) }
  }

  private func registerChanges(on registrar: inout Registrar) {
    registrar.method(
      "task.update", "Changes a task.",
      params: .object(
        properties: [("id", .taskID), ("content", .string("The title.", minLength: 1))] + Self.fields,
        required: ["id"]), result: Self.record, isMutation: true
    ) { params, _ in try await update(params) }
    registrar.method(
      "task.complete", "Completes a task; a recurring one moves to its next date.", params: Self.id,
      result: Self.record, isMutation: true
    ) { params, _ in try await complete(try key(params)) }
    registrar.method(
      "task.reopen", "Opens a completed task again.", params: Self.id, result: Self.record, isMutation: true
    ) { params, _ in
      let id = try key(params)
      try await settling(id, shows: { $0?.isChecked == false }) {
        _ = try await api.write(.post, ["tasks", id, "reopen"], headers: requestID)
      }
      return try await made(id)
    }
    registrar.method("task.delete", "Deletes a task.", params: Self.id, result: .null, isMutation: true) { params, _ in
      let id = try key(params)
      try await settling(id, shows: { $0 == nil }) { _ = try await api.write(.delete, ["tasks", id]) }
      return .null
    }
  }

  private func key(_ params: JSONValue) throws(RPCError) -> String { try params.taskID(of: api.instance) }

  /// Sent with each write; whether the service looks at it is not certain, so nothing rests on it.
  private var requestID: [(String, String)] { [("X-Request-Id", RandomID.make())] }

  // MARK: Reading

  private static let longest = Duration.seconds(93 * 86_400)

  private func list(_ params: JSONValue) async throws -> JSONValue {
    let wantsCompleted = params["completed"]?.bool ?? false
    let names = wantsCompleted ? ["since", "until"] : ["project_id", "label"]
    let query = names.compactMap { name in params[name]?.string.map { (name, $0) } }
    guard wantsCompleted else {
      let found = try await tasks.rows(["tasks"], query)
      return ["tasks": JSONValue(array: found.rows), "complete": JSONValue(found.isComplete)]
    }
    try checkTimes(params)
    let found = try await tasks.rows(["tasks", "completed", "by_completion_date"], query, in: "items")
    // The service selects completed tasks by time alone.
    let rows = found.rows.filter { row in
      (params["project_id"].map { row["project_id"] == $0 } ?? true)
        && (params["label"].map { row["labels"]?.array?.contains($0) ?? false } ?? true)
    }
    return ["tasks": JSONValue(array: rows), "complete": JSONValue(found.isComplete)]
  }

  private func checkTimes(_ params: JSONValue) throws {
    guard let since = params["since"]?.string.flatMap({ Timestamp(rfc3339: $0) }),
      let until = params["until"]?.string.flatMap({ Timestamp(rfc3339: $0) }), since <= until,
      until.duration(since: since) <= Self.longest
    else {
      throw RPCError.invalidParams(
        "task.list takes completed together with since and until, two times of at most 93 days in between.")
    }
  }

  // MARK: Writing

  private func create(_ params: JSONValue) async throws -> JSONValue {
    do {
      let made = try await api.write(.post, ["tasks"], params, headers: requestID)
      return try api.record(ofWrite: made) { TodoistTask($0) != nil }
    } catch let unclear as UnclearOutcome {
      let query = params["project_id"]?.string.map { [("project_id", $0)] } ?? []
      let found = (try? await tasks.rows(["tasks"], query).rows) ?? []
      let candidates = found.filter { $0["content"] == params["content"] }
      throw RPCError.outcomeUnknown(
        unclear, at: api.instance, "look through the tasks with this title before making it again",
        details: ["candidates": JSONValue(array: candidates)])
    }
  }

  /// Sending a date alone ends a recurrence, which nobody means who moves a task.
  private func update(_ params: JSONValue) async throws -> JSONValue {
    let id = try key(params)
    let members = (params.object.map { $0.map { ($0.key, $0.value) } } ?? []).filter { $0.0 != "id" }
    guard !members.isEmpty else { throw RPCError.invalidParams("task.update got nothing to change.") }
    let setsDate = params["due_date"] != nil || params["due_datetime"] != nil
    if setsDate, params["due_string"] == nil, try await tasks.current(id).isRecurring {
      throw RPCError.invalidParams(
        "\(api.instance): the task recurs, and a date alone would end that; give due_string, too, such as the old one with another start."
      )
    }
    do {
      let changed = try await api.write(.post, ["tasks", id], JSONValue(object: members), headers: requestID)
      return try api.record(ofWrite: changed) { TodoistTask($0)?.id == id }
    } catch let unclear as UnclearOutcome {
      let shown = members.filter { !$0.0.hasPrefix("due_") && $0.0 != "assignee_id" && $0.0 != "deadline_date" }
      let seen = try await ReadBack.settle(clock: api.clock) {
        try await tasks.task(id).flatMap { task in
          shown.count == members.count && shown.allSatisfy { task.json[$0.0] == $0.1 } ? task : nil
        }
      }
      guard let seen else { throw RPCError.outcomeUnknown(unclear, at: api.instance, "read the task again later") }
      return seen.json
    }
  }

  private func complete(_ id: String) async throws -> JSONValue {
    let before = try await tasks.current(id)
    guard !before.isChecked else {
      throw RPCError.conflict(
        "\(api.instance): the task is already completed; nothing was changed.", details: ["task": before.json])
    }
    do {
      try await tasks.close(before.listed.key)
    } catch let unclear as UnclearOutcome {
      throw RPCError.outcomeUnknown(
        unclear, at: api.instance, "read the task again later: it is checked, or its date has moved on")
    }
    return try await made(id)
  }

  /// A task after a change that was made.
  private func made(_ id: String) async throws -> JSONValue {
    try await ReadBack.afterChange(at: api.instance) { try await tasks.current(id).json }
  }

  private func settling(
    _ id: String, shows: @escaping @Loop (TodoistTask?) -> Bool, _ send: () async throws -> Void
  ) async throws {
    do {
      try await send()
    } catch let unclear as UnclearOutcome {
      let seen = try await ReadBack.settle(clock: api.clock) { shows(try await tasks.task(id)) ? true : nil }
      if seen == nil { throw RPCError.outcomeUnknown(unclear, at: api.instance, "read the task \(id) again later") }
    }
  }
}
