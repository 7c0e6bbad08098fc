internal import RingiKit

/// The methods `INSTANCE.list.…`, `INSTANCE.task.…` and `INSTANCE.user.get`.
@Loop
struct WunderlistMethods {
  let tasks: WunderlistTasks
  /// Hears of each write before it is sent.
  let noteWrite: @Loop @Sendable () -> Void
  private var api: TaskListAPI { tasks.api }

  private static let record = Schema.object([:], isOpen: true).described("The record as the service has it.")
  private static let title = Schema.string("At most 255 characters.", minLength: 1, maxLength: 255)
  private static let listID = Schema.integer("The list's id.")
  private static let revision = Schema.integer(
    "The revision that the change is based on; by default the one of now.")
  private static let date = Schema.string("A day such as 2026-11-30.", format: "date")

  private static let optional: [(name: String, schema: Schema)] = [
    ("completed", .boolean()), ("starred", .boolean()), ("due_date", date), ("assignee_id", .integer("A user's id.")),
    ("recurrence_type", .string("Goes together with recurrence_count.", minLength: 1)),
    ("recurrence_count", .integer("Every so many of them.", 1...)),
  ]
  /// What a change can take away again.
  private static let removable: Set<String> = ["due_date", "assignee_id", "recurrence_type", "recurrence_count"]

  func register(on registrar: inout Registrar) {
    registrar.method("user.get", "Tells whose token it is.", params: .object([:]), result: Self.record) { _, _ in
      try await tasks.current(["user"])
    }
    registerLists(on: &registrar)
    registerTasks(on: &registrar)
    registerChanges(on: &registrar)
  }

  private func registerLists(on registrar: inout Registrar) {
    registrar.method(
      "list.list", "Lists the lists.", params: .object([:]),
      result: .object(["lists": .array(of: Self.record)], required: ["lists"])
    ) { _, _ in ["lists": JSONValue(array: try await tasks.lists().map(\.json))] }
    registrar.method(
      "list.create", "Makes a list.", params: .object(["title": Self.title], required: ["title"]),
      result: Self.record, isMutation: true
    ) { params, _ in
      try await creating("look through the lists before making it again") {
        try api.record(ofWrite: try await api.write(.post, ["lists"], params)) { $0["id"]?.int != nil }
      }
    }
    registrar.method(
      "list.update", "Renames a list.",
      params: .object(
        ["id": Self.listID, "title": Self.title, "revision": Self.revision], required: ["id", "title"]),
      result: Self.record, isMutation: true
    ) { params, _ in
      try await update(["lists", "\(params["id"]?.int ?? 0)"], params, [("title", params["title"] ?? .null)])
    }
    registrar.method(
      "list.delete", "Deletes a list with its tasks.",
      params: .object(["id": Self.listID, "revision": Self.revision], required: ["id"]), result: .null,
      isMutation: true
    ) { params, _ in try await delete(["lists", "\(params["id"]?.int ?? 0)"], params) }
  }

  private func registerTasks(on registrar: inout Registrar) {
    registrar.method(
      "task.list", "Lists the open tasks of a list, or its completed ones.",
      params: .object(
        ["list_id": Self.listID, "completed": .boolean("Completed ones instead of open ones.").default(false)],
        required: ["list_id"]),
      result: .object(["tasks": .array(of: Self.record)], required: ["tasks"])
    ) { params, _ in
      let found = try await tasks.tasks(
        in: params["list_id"]?.int ?? 0, completed: params["completed"]?.bool ?? false)
      return ["tasks": JSONValue(array: found.map(\.json))]
    }
    registrar.method(
      "task.get", "Reads a task.", params: .object(["id": .taskID], required: ["id"]), result: Self.record
    ) { params, _ in try await tasks.current(try path(params)) }
    registrar.method(
      "task.create", "Makes a task.",
      params: .object(
        properties: [("list_id", Self.listID), ("title", Self.title)] + Self.optional, required: ["list_id", "title"]),
      result: Self.record, isMutation: true
    ) { params, _ in try await create(params) }
  }

  private func registerChanges(on registrar: inout Registrar) {
    let fields = Self.optional.map { ($0.name, Self.removable.contains($0.name) ? $0.schema.nullable : $0.schema) }
    registrar.method(
      "task.update", "Changes a task; null takes a value away, list_id moves it.",
      params: .object(
        properties: [
          ("id", .taskID), ("revision", Self.revision), ("title", Self.title), ("list_id", Self.listID),
        ] + fields, required: ["id"]), result: Self.record, isMutation: true
    ) { params, _ in try await update(try path(params), params, try changes(params)) }
    registrar.method(
      "task.complete", "Completes a task.",
      params: .object(["id": .taskID, "revision": Self.revision], required: ["id"]), result: Self.record,
      isMutation: true
    ) { params, _ in try await update(try path(params), params, [("completed", true)]) }
    registrar.method(
      "task.delete", "Deletes a task.",
      params: .object(["id": .taskID, "revision": Self.revision], required: ["id"]), result: .null, isMutation: true
    ) { params, _ in try await delete(try path(params), params) }
  }

  private func path(_ params: JSONValue) throws(RPCError) -> [String] {
    ["tasks", try params.taskID(of: api.instance)]
  }

  // MARK: Creating

  /// The service tells a task's maker which request made it, so that a lost answer can be found again.
  private func create(_ params: JSONValue) async throws -> JSONValue {
    try checkDate(params)
    let (list, id) = (params["list_id"]?.int ?? 0, RandomID.make())
    noteWrite()
    do {
      let made = try await api.write(.post, ["tasks"], params, headers: [("x-client-request-id", id)])
      return try api.record(ofWrite: made) { WunderlistTask($0) != nil }
    } catch let unclear as UnclearOutcome {
      let seen = try await ReadBack.settle(clock: api.clock) {
        let open = try await tasks.tasks(in: list)
        let isCompleted = params["completed"]?.bool ?? false
        let all = isCompleted ? open + (try await tasks.tasks(in: list, completed: true)) : open
        return all.first { $0.json["created_by_request_id"]?.string == id }
      }
      guard let seen else {
        throw RPCError.outcomeUnknown(unclear, at: api.instance, "look through the list before making it again")
      }
      return seen.json
    }
  }

  private func creating(_ advice: String, _ send: () async throws -> JSONValue) async throws -> JSONValue {
    noteWrite()
    do {
      return try await send()
    } catch let unclear as UnclearOutcome {
      throw RPCError.outcomeUnknown(unclear, at: api.instance, advice)
    }
  }

  // MARK: Changing

  /// The members of a change: a null takes away.
  private func changes(_ params: JSONValue) throws -> [(String, JSONValue)] {
    try checkDate(params)
    let members = (params.object.map { $0.map { ($0.key, $0.value) } } ?? [])
      .filter { !["id", "revision"].contains($0.0) }
    guard !members.isEmpty else { throw RPCError.invalidParams("task.update got nothing to change.") }
    let removed = members.filter { $0.1.isNull }.map { JSONValue($0.0) }
    return members.filter { !$0.1.isNull } + (removed.isEmpty ? [] : [("remove", JSONValue(array: removed))])
  }

  private func checkDate(_ params: JSONValue) throws {
    guard let text = params["due_date"]?.string else { return }
    guard case .day = TaskDue(text) else {
      throw RPCError.invalidParams("due_date got \(text.debugDescription), but takes a day such as 2026-11-30.")
    }
  }

  /// Changes a record on the base of the revision that the caller names, or of the one of now.
  private func update(
    _ path: [String], _ params: JSONValue, _ body: [(String, JSONValue)]
  ) async throws -> JSONValue {
    noteWrite()
    do {
      guard let revision = params["revision"] else {
        let known = try await tasks.current(path)
        return try await tasks.patch(path, known, body) { now in leavesAlone(body, from: known, to: now) }
      }
      do {
        return try await tasks.change(path, JSONValue(object: [("revision", revision)] + body))
      } catch let error as RPCError where error.kind == "conflict" {
        throw tasks.conflict(nil, try await tasks.current(path))
      }
    } catch let unclear as UnclearOutcome {
      let seen = try await ReadBack.settle(clock: api.clock) { () -> JSONValue? in
        guard let now = try await tasks.record(path), shows(body, in: now) else { return nil }
        return now
      }
      guard let seen else { throw RPCError.outcomeUnknown(unclear, at: api.instance, "read it again later") }
      return seen
    }
  }

  /// Whether nobody has changed the fields that a change is about.
  private func leavesAlone(_ body: [(String, JSONValue)], from old: JSONValue, to new: JSONValue) -> Bool {
    let changed = Set(WunderlistTask.changes(from: old, to: new).map(\.0))
    return changed.isDisjoint(with: body.flatMap { $0.1.array?.compactMap(\.string) ?? [$0.0] })
  }

  private func shows(_ body: [(String, JSONValue)], in record: JSONValue) -> Bool {
    body.allSatisfy { name, value in
      name == "remove"
        ? value.array?.allSatisfy { $0.string.flatMap { record[$0] } == nil } ?? true : record[name] == value
    }
  }

  private func delete(_ path: [String], _ params: JSONValue) async throws -> JSONValue {
    let known = try await tasks.current(path)
    let revision = params["revision"]?.int ?? known["revision"]?.int ?? 0
    noteWrite()
    do {
      _ = try await api.write(.delete, path, query: [("revision", String(revision))])
    } catch let error as RPCError where error.kind == "conflict" {
      throw tasks.conflict(known["revision"]?.int == revision ? known : nil, try await tasks.current(path))
    } catch let unclear as UnclearOutcome {
      let isGone = try await ReadBack.settle(clock: api.clock) { try await api.record(path) == nil ? true : nil }
      guard isGone == true else { throw RPCError.outcomeUnknown(unclear, at: api.instance, "read it again later") }
    }
    return .null
  }
}
