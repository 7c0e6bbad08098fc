internal import EventLoop
internal import JSON
internal import JSONRPC
package import RingiKit
internal import RingiModel
internal import Text
internal import Timing

/// `tasks.*`.
@Loop
package enum TaskMethods {
  /// The methods over an inbox.
  ///
  /// - Parameters:
  ///   - inbox: What is known.
  ///   - decisions: What carries decisions out.
  ///   - poll: Polls an instance now, the way its schedule does.
  /// - Returns: The methods.
  package static func all(
    _ inbox: Inbox, _ decisions: Decisions, poll: @escaping @Loop @Sendable (String) async throws -> Inbox.PollResult
  ) -> [Method] {
    [
      list(inbox), get(inbox, decisions), refresh(inbox, poll), complete(decisions),
      decide(.approve, "Approves a task.", decisions), decide(.reject, "Rejects a task.", decisions),
      reserve(.claim, "Reserves a task for the user.", decisions),
      reserve(.release, "Gives a reserved task back.", decisions),
    ]
  }

  private static let selector = Schema.string(
    "A task's id, a unique beginning of one, or \"newest\" or \"oldest\" of the ready ones.")

  // MARK: Reading

  private static let statuses = TaskItem.Status.allCases.map(\.rawValue) + ["all"]
  private static let maxPage: Int64 = 10_000

  private static func list(_ inbox: Inbox) -> Method {
    Method(
      "tasks.list", "Lists tasks of all backends, oldest first.",
      params: .object([
        "provider": .string("Only tasks of this plugin instance."),
        "status": .string("Only tasks of this status; all for any.", enum: statuses).default("ready"),
        "query": .string("Only tasks with this text in their id, title or requester, whatever the case."),
        "limit": .integer("The most tasks to answer with.", 1...maxPage).default(1000),
        "cursor": .string("The nextCursor of the page before."),
      ]),
      result: .object(
        [
          "tasks": .array(of: taskSchema), "sequence": .integer("Subscribe with this as since to miss nothing."),
          "nextCursor": .string("There is more: ask again with this as cursor."),
          "stale": .array(of: .string("An instance whose last poll failed.")),
        ], required: ["tasks", "sequence", "stale"]),
      handler: .text { params, _ in try await list(inbox, params) })
  }

  private static func list(_ inbox: Inbox, _ params: JSONValue) async throws -> JSONText {
    if let provider = params["provider"]?.string { _ = try inbox.source(provider) }
    let limit = Int(params["limit"]?.int ?? 1000)
    let found = try first(limit, inbox, params)
    var members: [(String, JSONValue)] = [
      ("sequence", JSONValue(inbox.bus.log.lastSequence)),
      ("stale", JSONValue(array: inbox.stale.map { JSONValue($0) })),
    ]
    let tasks = found.prefix(limit).map(\.task)
    if found.count > limit, let last = tasks.last {
      members.append(("nextCursor", JSONValue(TaskCursor(after: last).text)))
    }
    let texts = await inbox.texts(of: tasks)
    return JSONText(written: { output in
      output.append(literal: #"{"tasks":["#)
      for (index, text) in texts.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        output += text
      }
      output.append(literal: "],")
      output += JSONValue(object: members).utf8.dropFirst()
    })
  }

  /// What a list is to show, in its order, and at least one more if there is more.
  private static func first(
    _ limit: Int, _ inbox: Inbox, _ params: JSONValue
  ) throws -> [TaskTable.Entry] {
    // "all" is none of them.
    let status = TaskItem.Status(rawValue: params["status"]?.string ?? "ready")
    let provider = params["provider"]?.string
    let query = params["query"]?.string.map(phraseKey)
    let after = try params["cursor"]?.string.map(TaskCursor.init(text:))
    let found = inbox.entries.filter { entry in
      (status == nil || entry.task.status == status) && (provider == nil || entry.task.id.provider == provider)
        && (after?.precedes(entry.task) ?? true) && (query.map { matches(entry.task, $0) } ?? true)
    }
    // Only those up to the time of the last one that is shown are put into their exact order.
    let times = found.map { $0.task.createdAt?.milliseconds ?? .max }.sorted()
    let last = times.count > limit ? times[limit] : .max
    return found.filter { ($0.task.createdAt?.milliseconds ?? .max) <= last }
      .sorted { TaskTable.precedes($0.task, $1.task) }
  }

  private static func matches(_ task: TaskItem, _ query: String) -> Bool {
    [task.id.description, task.title, task.requester ?? ""].contains { phraseKey($0).contains(query) }
  }

  private static func get(_ inbox: Inbox, _ decisions: Decisions) -> Method {
    Method(
      "tasks.get", "Tells all about a task: the backend's record, its history, its context.",
      params: .object(["task": selector], required: ["task"]), result: taskSchema,
      handler: .async { params, _ in
        let id = try decisions.find(params.text("task")).id
        let (entry, source) = try inbox.live(id)
        let version = entry.table.version
        let fresh = try await source.task(id)
        await inbox.takeIn(fresh.map { [$0] } ?? [], lost: fresh == nil ? [id] : [], entry, since: version)
        let context = fresh == nil ? nil : try await source.context(of: id)
        if let context { inbox.show(context) }
        guard let known = entry.table.entries[id] else { throw RPCError.notFound("The task \(id) is gone.") }
        let history = try await inbox.steps(of: id).map {
          ["time": JSONValue($0.time.rfc3339), "what": JSONValue($0.what)] as JSONValue
        }
        return await inbox.whole(known.task).json()
          .setting("revision", to: JSONValue(SeenRevision.text(known.task, context: context)))
          .setting("history", to: JSONValue(array: history)).setting("context", to: context ?? .null)
      })
  }

  private static func refresh(
    _ inbox: Inbox, _ poll: @escaping @Loop @Sendable (String) async throws -> Inbox.PollResult
  ) -> Method {
    Method(
      "tasks.refresh", "Polls the backends now.",
      params: .object(["provider": .string("Only this plugin instance.")]),
      result: .object(
        [
          "polled": .array(of: .string("An instance that was asked.")), "ready": .integer("Tasks that became ready."),
          "changed": .integer("Tasks that changed otherwise."),
          "failed": .array(
            of: .object(
              [
                "provider": .string("An instance that could not be asked."), "code": .integer("The error's code."),
                "message": .string("What happened."), "data": .any.described("The error's data."),
              ], required: ["provider", "code", "message", "data"])
          ).described("The polls that failed, where others did not."),
        ], required: ["polled", "ready", "changed"]),
      handler: .async { params, _ in
        if let provider = params["provider"]?.string { _ = try inbox.source(provider) }
        let instances = params["provider"]?.string.map { [$0] } ?? inbox.instances
        // Each on its own, so that a slow backend delays no other.
        let polls = instances.map { instance in Loop.task { try await poll(instance) } }
        return try await withTaskCancellationHandler {
          try await refreshed(instances, polls, inbox.bus.redactor)
        } onCancel: {
          for task in polls { task.cancel() }
        }
      })
  }

  private static func refreshed(
    _ instances: [String], _ polls: [Task<Inbox.PollResult, any Error>], _ redactor: Redactor
  ) async throws -> JSONValue {
    var (ready, changed) = (0, 0)
    var polled: [String] = []
    var failures: [(instance: String, error: any Error)] = []
    for (instance, poll) in zip(instances, polls) {
      do {
        let result = try await poll.value
        ready += result.ready
        changed += result.changed
        polled.append(instance)
      } catch {
        failures.append((instance, error))
      }
    }
    if polled.isEmpty, failures.count == 1 { throw failures[0].error }
    let failed = failures.map {
      redactor.redact(rpcError($0.error)).json.setting("provider", to: JSONValue($0.instance))
    }
    if polled.isEmpty, let first = failures.first {
      var error = rpcError(first.error)
      error.message = "No poll succeeded; that of \(first.instance): \(error.message)"
      error.details["failed"] = JSONValue(array: failed)
      throw error
    }
    let result: JSONValue = [
      "polled": JSONValue(array: polled.map { JSONValue($0) }), "ready": JSONValue(ready),
      "changed": JSONValue(changed),
    ]
    return failed.isEmpty ? result : result.setting("failed", to: JSONValue(array: failed))
  }

  // MARK: Acting

  private static let done = Schema.object(
    [
      "task": taskSchema, "event": .any.described("The approval-done event; null when it was decided before."),
      "already": .boolean("The same had been decided before."),
      "dryRun": .boolean("Nothing was sent."), "request": .any.described("What would be sent."),
    ], required: ["task"])

  private static func decide(_ kind: Decision.Kind, _ summary: String, _ decisions: Decisions) -> Method {
    Method(
      "tasks.\(kind.rawValue)", summary,
      params: .object(
        [
          "task": selector, "comment": .string("What the requester is told."),
          "context": .map(
            "Goes to the backend along with the decision.", of: .any.described("A value for the backend.")),
          "seen": .string("The revision that the person looked at; a conflict when the task changed since."),
          Method.idempotencyKey.name: Method.idempotencyKey.schema,
          "dryRun": .boolean("Answer with what would be sent, and send nothing.").default(false),
        ], required: ["task"]),
      result: done, isMutation: true, settlesItself: true,
      handler: .async { params, call in
        var request = try request(kind, params, call)
        request.isDryRun = params["dryRun"]?.bool ?? false
        return try await decisions.decide(request)
      })
  }

  private static func complete(_ decisions: Decisions) -> Method {
    Method(
      "tasks.complete", "Completes a task with a decision of the backend's own.",
      params: .object(
        [
          "task": selector, "decision": .string("The backend's name of the decision: the id of a button."),
          "comment": .string("What the requester is told."),
          "context": .map(
            "Goes to the backend along with the decision.", of: .any.described("A value for the backend.")),
          "seen": .string("The revision that the person looked at; a conflict when the task changed since."),
        ], required: ["task"]),
      result: done, isMutation: true, settlesItself: true,
      handler: .async { params, call in try await decisions.decide(request(.complete, params, call)) })
  }

  @Loop
  private static func request(_ kind: Decision.Kind, _ params: JSONValue, _ call: Call) throws -> Decisions.Request {
    var request = Decisions.Request(
      task: try call.boundTask ?? params.text("task"),
      decision: Decision(
        kind, decision: params["decision"]?.string, comment: params["comment"]?.string, context: params["context"]))
    request.seen = params["seen"]?.string
    request.idempotencyKey = call.idempotencyKey
    request.listener = call.listener
    request.actor = call.actor
    request.causes = call.causes
    return request
  }

  private static func reserve(
    _ reservation: Decisions.Reservation, _ summary: String, _ decisions: Decisions
  ) -> Method {
    Method(
      "tasks.\(reservation.rawValue)", summary, params: .object(["task": selector], required: ["task"]),
      result: .object(["task": taskSchema], required: ["task"]), isMutation: true, settlesItself: true,
      handler: .async { params, call in
        try await decisions.reserve(reservation, params.text("task"), by: call)
      })
  }

  // MARK: Schemas

  static let taskSchema = Schema.object(
    [
      "id": .string("PROVIDER/KEY."), "provider": .string("The plugin instance."),
      "title": .string("What it is about."),
      "status": .string("Where it stands.", enum: TaskItem.Status.allCases.map(\.rawValue)),
      "outcome": .string("How it was decided.", enum: TaskItem.Outcome.allCases.map(\.rawValue)).nullable,
      "requester": .string("Who asks.").nullable, "assignees": .array(of: .string("Who may decide.")),
      "priority": .string("Its weight.", enum: TaskItem.Priority.allCases.map(\.rawValue)),
      "createdAt": .string("When it came to be; RFC 3339.").nullable,
      "dueAt": .string("When it should be decided; RFC 3339.").nullable,
      "url": .string("Where a browser shows it.").nullable,
      "actions": .array(of: .string("What can be done with it.", enum: TaskItem.Action.allCases.map(\.rawValue))),
      "revision": .string("A hash over what matters to a decision; give it back as seen."),
      "raw": .any.described("The backend's own record."),
      "history": .array(of: .any.described("A step: time and what.")),
      "context": .any.described("What the backend keeps beside it."),
    ],
    required: ["id", "provider", "title", "status", "priority", "actions", "revision"])
}

extension JSONValue {
  /// A member that the schema has seen to be a string.
  func text(_ key: String) throws(RPCError) -> String {
    guard let text = self[key]?.string else { throw .invalidParams("\(key) is missing; it takes a string.") }
    return text
  }
}
