internal import RingiKit

/// The service's user tasks as the agent's.
@Loop
final class SAPTaskSource: TaskSource {
  private let api: SAPAPI
  private let settings: SAPSettings
  private let completion: SAPCompletion
  private let instance: String

  /// More open tasks than anybody decides; beyond them the list counts as cut short.
  private static let limit = 50_000

  init(_ api: SAPAPI, settings: SAPSettings) {
    self.api = api
    self.settings = settings
    completion = SAPCompletion(settings: settings)
    instance = api.instance
  }

  func tasks() async throws -> TaskSnapshot {
    let open = [("status", "READY"), ("status", "RESERVED")]
    let found = try await SAPList.tasks.rows(api, open + settings.filters, limit: Self.limit)
    let items = found.rows.map { row in
      let id = TaskItem.ID(provider: instance, key: row.id)
      return TaskSnapshot.Item(id: id, fingerprint: row.fingerprint) { [failure = api.failure] in
        guard let task = SAPTask(row.json) else { throw failure.malformed("a task has no status that is known") }
        return task.item(id, outcome: nil)
      }
    }
    return TaskSnapshot(items: items, isComplete: found.isComplete)
  }

  func task(_ id: TaskItem.ID) async throws -> TaskItem? {
    guard let task = try await api.task(id.key) else { return nil }
    return task.item(id, outcome: task.status == .completed ? try await outcome(of: task) : nil)
  }

  func context(of id: TaskItem.ID) async throws -> JSONValue? {
    try await api.record(["task-instances", id.key, "context"])
  }

  func preview(_ decision: Decision, on task: TaskItem) throws -> JSONValue {
    [
      "method": "PATCH", "path": JSONValue("/v1/task-instances/\(task.id.key)"), "body": completion.body(decision),
    ]
  }

  func decide(_ decision: Decision, on task: TaskItem) async throws -> TaskItem {
    do {
      try await api.patch(task: task.id.key, completion.body(decision))
    } catch is SAPFinalTask {
      throw AlreadyDecided(task: try await current(task))
    }
    // The decision stands, whether the record can be read again or not.
    var decided = (try? await self.task(task.id)) ?? task
    decided.status = .done
    decided.outcome = decision.kind.outcome
    decided.actions = []
    return decided
  }

  func claim(_ task: TaskItem) async throws -> TaskItem {
    guard let user = settings.user else {
      throw RPCError.invalidParams("\(instance): nobody to claim the task for; put user into the instance's settings.")
    }
    let now = try await current(task)
    if now.status == .claimed, let other = now.raw["processor"]?.string, other != user {
      throw RPCError.conflict(
        "\(instance): the task \(task.id) is claimed by \(other); let them release it.", details: ["task": now.json()])
    }
    return try await reserve(task, processor: user)
  }

  func release(_ task: TaskItem) async throws -> TaskItem { try await reserve(task, processor: "") }

  /// Sets who works on a task; empty gives it back.
  private func reserve(_ task: TaskItem, processor: String) async throws -> TaskItem {
    do {
      try await api.patch(task: task.id.key, ["processor": JSONValue(processor)])
    } catch is SAPFinalTask {
      throw AlreadyDecided(task: try await current(task))
    } catch let unclear as UnclearOutcome {
      try await api.settle(unclear, task.id.key) { ($0.processor ?? "") == processor }
    }
    if let now = try? await self.task(task.id) { return now }
    // It is done, whether the record can be read again or not.
    var reserved = task
    reserved.status = processor.isEmpty ? .ready : .claimed
    return reserved
  }

  private func current(_ task: TaskItem) async throws -> TaskItem {
    guard let now = try await self.task(task.id) else {
      throw RPCError.notFound("\(instance): the service does not know the task \(task.id) any more.")
    }
    return now
  }

  /// What the context of a completed task tells; a login that may not read it learns nothing.
  private func outcome(of task: SAPTask) async throws -> TaskItem.Outcome? {
    do {
      return try await api.record(["task-instances", task.id, "context"]).flatMap(completion.outcome)
    } catch let error as RPCError where error.kind == "backend-error" {
      return nil
    }
  }
}
