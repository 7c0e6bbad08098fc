internal import RingiKit

/// A task that is completed or cancelled takes no change.
struct SAPFinalTask: Error {}

extension SAPAPI {
  /// One task; nil when the service does not know it.
  ///
  /// - Throws: `RPCError`.
  func task(_ id: String, _ query: [(String, String)] = []) async throws -> SAPTask? {
    guard let json = try await record(["task-instances", id], query) else { return nil }
    guard let task = SAPTask(json) else { throw failure.malformed("a task has no status that is known") }
    guard task.id == id else { throw failure.malformed("it is the task \(task.id) instead of \(id)") }
    return task
  }

  /// Changes or completes a task.
  ///
  /// - Throws: `SAPFinalTask` when it is completed or cancelled; else as `write`.
  func patch(task id: String, _ body: JSONValue) async throws {
    do {
      try await write(.patch, ["task-instances", id], body)
    } catch let error as RPCError where error.details["code"]?.string == "bpm.workflowruntime.task.final.status" {
      throw SAPFinalTask()
    }
  }

  /// Finds out what became of a change whose answer was lost.
  ///
  /// - Parameters:
  ///   - unclear: What is known.
  ///   - id: The task.
  ///   - shows: Whether a task shows the change.
  /// - Throws: `RPCError` (outcome-unknown) when it does not show in time.
  func settle(_ unclear: UnclearOutcome, _ id: String, shows: (SAPTask) -> Bool) async throws {
    let seen = try await ReadBack.settle(clock: clock) { try await task(id).flatMap { shows($0) ? $0 : nil } }
    if seen == nil { throw RPCError.outcomeUnknown(unclear, at: instance, "read the task \(id) again later") }
  }
}
