internal import RingiKit

/// The methods `INSTANCE.task.…`.
@Loop
struct SAPTaskMethods {
  let api: SAPAPI
  /// Who claims tasks.
  let user: String?

  private static let task = Schema.object([:], isOpen: true).described("The task as the service has it.")
  private static let id = Schema.string("The task's id, with or without the instance's name before it.", minLength: 1)
  private static let names = Schema.array(of: .string(minLength: 1, maxLength: 255), maxItems: 100)

  func register(on registrar: inout Registrar) {
    registrar.method(
      "task.list", "Lists tasks, of all statuses unless one is given.", params: SAPLists.params(.tasks),
      result: SAPLists.result("tasks")
    ) { params, _ in try await SAPLists.rows(.tasks, "tasks", api, params) }
    registrar.method(
      "task.get", "Reads a task.",
      params: .object(
        ["id": Self.id, "expand": .boolean("With its custom attributes.").default(false)], required: ["id"]),
      result: Self.task
    ) { params, _ in try await get(try key(params), expand: params["expand"]?.bool == true) }
    registrar.method(
      "task.context", "Reads what a task lets a person see.", params: .object(["id": Self.id], required: ["id"]),
      result: .object([:], isOpen: true)
    ) { params, _ in try await context(try key(params)) }
    registerChanges(on: &registrar)
  }

  private func registerChanges(on registrar: inout Registrar) {
    registrar.method(
      "task.complete", "Completes a task.",
      params: .object(
        [
          "id": Self.id, "decision": .string("The id of the form's button.", maxLength: 255),
          "context": .object([:], isOpen: true).described("The context members to set; others stay."),
        ], required: ["id"]), result: Self.task, isMutation: true
    ) { params, _ in
      let body = SAPCompletion.body(decision: params["decision"]?.string, context: params["context"])
      return try await patch(try key(params), body) { $0.status == .completed }
    }
    registrar.method(
      "task.claim", "Reserves a task.",
      params: .object(
        [
          "id": Self.id,
          "user": .string("For whom; by default the user of the settings.", minLength: 1, maxLength: 255),
        ],
        required: ["id"]), result: Self.task, isMutation: true
    ) { params, _ in try await claim(params) }
    registrar.method(
      "task.release", "Gives a reserved task back.", params: .object(["id": Self.id], required: ["id"]),
      result: Self.task, isMutation: true
    ) { params, _ in try await patch(try key(params), ["processor": ""]) { $0.processor == nil } }
    registrar.method(
      "task.update", "Changes a task's properties, which takes an administrator's rights.", params: Self.changes,
      result: Self.task, isMutation: true
    ) { params, _ in try await update(params) }
  }

  private static let changes = Schema.object(
    [
      "id": id, "subject": .string(maxLength: 255), "description": .string(maxLength: 4000),
      "priority": .string(enum: ["VERY_HIGH", "HIGH", "MEDIUM", "LOW"]),
      "dueDate": .string("A time such as 2026-11-30T05:09:00Z.", format: "date-time"),
      "processor": .string("Who works on it; empty gives it back.", maxLength: 255), "recipientUsers": names,
      "recipientGroups": names,
      "confidenceLevel": .number("On sbpa, from 0 to 1; -1 removes it.", minimum: -1, maximum: 1),
    ], required: ["id"])

  private func get(_ id: String, expand: Bool = false) async throws -> JSONValue {
    let query = expand ? [("$expand", "attributes")] : []
    guard let task = try await api.task(id, query) else { throw unknownTask(id) }
    return task.json
  }

  private func context(_ id: String) async throws -> JSONValue {
    guard let context = try await api.record(["task-instances", id, "context"]) else { throw unknownTask(id) }
    return context
  }

  private func claim(_ params: JSONValue) async throws -> JSONValue {
    guard let user = params["user"]?.string ?? user else {
      throw RPCError.invalidParams("task.claim: user is missing here and in the settings; it takes the claimer's name.")
    }
    return try await patch(try key(params), ["processor": JSONValue(user)]) { $0.processor == user }
  }

  private func update(_ params: JSONValue) async throws -> JSONValue {
    let changes = try SAPTaskChanges(params)
    return try await patch(try key(params), changes.body) { changes.show(in: $0.json) }
  }

  /// Changes a task and reads it again; what became of a lost answer shows there too.
  private func patch(_ id: String, _ body: JSONValue, shows: (SAPTask) -> Bool) async throws -> JSONValue {
    do {
      try await api.patch(task: id, body)
    } catch is SAPFinalTask {
      throw final(try await get(id))
    } catch let unclear as UnclearOutcome {
      try await api.settle(unclear, id, shows: shows)
    }
    return try await ReadBack.afterChange(at: api.instance) { try await get(id) }
  }

  private func final(_ task: JSONValue) -> RPCError {
    let who = task["processor"]?.string.map { " by \($0)" } ?? ""
    let when = task["completedAt"]?.string.map { " at \($0)" } ?? ""
    return .conflict(
      "\(api.instance): the task is already \(task["status"]?.string ?? "final")\(who)\(when); nothing was changed.",
      details: ["task": task])
  }

  private func key(_ params: JSONValue) throws(RPCError) -> String { try params.ownID(of: api.instance) }

  private func unknownTask(_ id: String) -> RPCError {
    .notFound("\(api.instance): the service knows no task \(id.debugDescription).")
  }
}
