internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit
internal import RingiModel

/// The tasks of a program or a library, by the calls `tasks.list`, `tasks.get`, `tasks.context`, `tasks.complete`,
/// `tasks.claim` and `tasks.release`.
@Loop
final class PluginTaskSource: TaskSource {
  private weak var plugin: (any StartedPlugin)?
  private let instance: String

  private let hasContexts: Bool

  init(_ plugin: any StartedPlugin, hasContexts: Bool) {
    (self.plugin, instance, self.hasContexts) = (plugin, plugin.instance, hasContexts)
  }

  private func call(_ method: String, _ params: JSONValue) async throws -> JSONValue {
    guard let plugin else { throw RPCError.plugin(isDown: instance) }
    return try await plugin.call(method, params, causes: [], progress: nil)
  }

  // MARK: Reading

  func tasks() async throws -> TaskSnapshot {
    let result = try await call("tasks.list", .emptyObject)
    guard let list = result["tasks"]?.array ?? result.array else {
      throw mistake("tasks.list", "{\"tasks\": […]}", result)
    }
    let instance = instance
    var ids: Set<TaskItem.ID> = []
    let items = try list.map { record in
      let id = try PluginTask.id(record, of: instance)
      guard ids.insert(id).inserted else {
        throw RPCError.backendError(
          provider: instance, message: "The plugin \(instance) listed the task \(id.key) twice.")
      }
      return TaskSnapshot.Item(id: id, fingerprint: Fingerprint.of(record.utf8)) {
        try PluginTask.read(record, of: instance)
      }
    }
    return TaskSnapshot(items: items, isComplete: result["complete"]?.bool ?? true)
  }

  func task(_ id: TaskItem.ID) async throws -> TaskItem? {
    let result: JSONValue
    do {
      result = try await call("tasks.get", ["task": JSONValue(id.key)])
    } catch let error as RPCError where PeerError.isUnknownMethod(error) {
      // Without it the list is what there is to know.
      return try await tasks().items.first { $0.id == id }?.task()
    }
    if result.isNull { return nil }
    return try own(result, id)
  }

  func context(of id: TaskItem.ID) async throws -> JSONValue? {
    guard hasContexts else { return nil }
    let result = try await call("tasks.context", ["task": JSONValue(id.key)])
    return result.isNull ? nil : result
  }

  private func own(_ result: JSONValue, _ id: TaskItem.ID) throws -> TaskItem {
    let task = try PluginTask.read(result["task"] ?? result, of: instance)
    guard task.id == id else {
      throw RPCError.backendError(
        provider: instance,
        message: "The plugin \(instance) answered about the task \(task.id.key) when asked about \(id.key)."
      )
    }
    return task
  }

  private func mistake(_ method: String, _ takes: String, _ result: JSONValue) -> RPCError {
    .backendError(
      provider: instance,
      message: "The plugin \(instance) answered \(method) with \(result.kind.rawValue), where it takes \(takes).")
  }

  // MARK: Writing

  func preview(_ decision: Decision, on task: TaskItem) throws -> JSONValue {
    ["method": "tasks.complete", "params": params(decision, task)]
  }

  private func params(_ decision: Decision, _ task: TaskItem) -> JSONValue {
    .known([
      ("task", JSONValue(task.id.key)), ("action", JSONValue(decision.kind.rawValue)),
      ("decision", JSONValue(decision.decision ?? decision.kind.rawValue)),
      ("comment", decision.comment.map { JSONValue($0) }), ("context", decision.context),
    ])
  }

  func decide(_ decision: Decision, on task: TaskItem) async throws -> TaskItem {
    guard let now = try await write("tasks.complete", params(decision, task), on: task) else { return task }
    guard !now.status.isOpen else {
      throw UnclearOutcome(
        cause: .backendError(
          provider: instance, message: "The plugin \(instance) answered tasks.complete with a task that is open still.")
      )
    }
    guard let outcome = now.outcome, outcome != decision.kind.outcome else { return now }
    throw AlreadyDecided(task: now)
  }

  func claim(_ task: TaskItem) async throws -> TaskItem {
    try await reserve("tasks.claim", task, .claimed)
  }

  func release(_ task: TaskItem) async throws -> TaskItem {
    try await reserve("tasks.release", task, .ready)
  }

  private func reserve(_ method: String, _ task: TaskItem, _ status: TaskItem.Status) async throws -> TaskItem {
    var known = task
    known.status = status
    return try await write(method, ["task": JSONValue(task.id.key)], on: known) ?? known
  }

  /// Sends one write; what leaves open whether it was done says so.
  ///
  /// - Returns: The task as it is now, where the plugin says so.
  private func write(_ method: String, _ params: JSONValue, on task: TaskItem) async throws -> TaskItem? {
    // Before anything is sent, nothing can have happened.
    guard let plugin else { throw RPCError.plugin(isDown: instance) }
    try plugin.checkRunning()
    let result: JSONValue
    do {
      result = try await call(method, params)
    } catch let error as RPCError {
      throw try await failure(error, method, task)
    } catch is CancellationError {
      throw UnclearOutcome(cause: .cancelled())
    }
    // It was done; what the answer says of it beyond that is welcome, and not needed.
    if result.isNull { return nil }
    do { return try own(result, task.id) } catch {
      throw UnclearOutcome(cause: rpcError(error))
    }
  }

  private func failure(_ error: RPCError, _ method: String, _ task: TaskItem) async throws -> any Error {
    if PeerError.leavesOpen(error) { return UnclearOutcome(cause: error) }
    switch error.kind {
    case "conflict":
      let record = error.details["task"]
      let now = if let record { try own(record, task.id) } else { try await self.task(task.id) }
      // What is open still was refused for another reason.
      guard let now, !now.status.isOpen else { return error }
      return AlreadyDecided(task: now)
    case "backend-error" where PeerError.isUnknownMethod(error):
      return RPCError.backendError(
        provider: instance, code: "-32601", message: "The plugin \(instance) has no \(method); nothing was done.")
    default: return error
    }
  }
}
