internal import RingiKit

/// The open tasks of a site's own resource as the agent's.
@Loop
final class CuramTaskSource: CompletingSource {
  private let settings: CuramSettings.Tasks
  private let api: CuramAPI
  var instance: String { api.failure.instance }

  init(_ settings: CuramSettings.Tasks, api: CuramAPI) {
    self.settings = settings
    self.api = api
  }

  func tasks() async throws -> TaskSnapshot {
    let rows = try await api.list(settings.list).array.map(Array.init) ?? []
    let items = try rows.map(task).filter(\.status.isOpen).map { task in
      let id = TaskItem.ID(provider: instance, key: task.id)
      return TaskSnapshot.Item(id: id, fingerprint: Fingerprint.of(task.json.utf8)) { task.item(id) }
    }
    return TaskSnapshot(items: items, isComplete: true)
  }

  func task(_ id: TaskItem.ID) async throws -> TaskItem? {
    do {
      let task = try task(try await api.read(try settings.item(id.key)))
      guard task.id == id.key else { throw api.failure.malformed("it is the task \(task.id) instead of \(id.key)") }
      return task.item(id)
    } catch let error as RPCError where error.kind == "not-found" {
      return nil
    }
  }

  private func task(_ json: JSONValue) throws -> CuramTask {
    guard let task = CuramTask(json, closed: settings.closed) else {
      throw api.failure.malformed("a task has no taskID or no status")
    }
    return task
  }

  // MARK: Deciding

  func preview(_ decision: Decision, on task: TaskItem) throws -> JSONValue {
    try check(decision)
    return ["method": "POST", "path": JSONValue(try settings.closing(task.id.key).text), "body": .emptyObject]
  }

  func decide(_ decision: Decision, on task: TaskItem) async throws -> TaskItem {
    try check(decision)
    do {
      _ = try await api.write(.post, try settings.closing(task.id.key), .emptyObject)
    } catch let error as RPCError where error.details["status"]?.int == 400 {
      // So is a task refused that somebody else has closed.
      if let now = try await self.task(task.id), !now.status.isOpen { throw AlreadyDecided(task: now) }
      throw error
    }
    // The decision stands, whether the record can be read again or not.
    guard let now = try? await self.task(task.id) else { return completed(task, by: decision) }
    guard !now.status.isOpen else {
      throw UnclearOutcome(
        cause: .unavailable("\(instance): the service took the decision and still shows the task as open"))
    }
    return completed(now, by: decision)
  }
}
