internal import HTTPServer
internal import JSON
internal import Timing

/// Changing and completing task instances.
extension SAPState {
  /// Checks in the service's order; changes all or nothing.
  mutating func patchTask(_ id: String, _ call: SAPCall) throws(SAPError) -> ServerResponse {
    let patch = try SAPTaskPatch(try call.object())
    guard let task = tasks[id] else { throw .notFound("task", id) }
    guard mayApply(patch, to: task, call.caller) else { throw .privileges }
    if task.status.isFinal {
      throw .envelope(400, code: "task.final.status", message: "The task has a final status and cannot be changed.")
    }
    if instances[task.workflowInstanceID]?.status == .suspended {
      throw .envelope(400, code: "task.suspended.status", message: "The workflow instance of the task is suspended.")
    }
    let problems = patch.problems(with: task, in: environment)
    guard problems.isEmpty else { throw .badProperties(problems) }
    if isBusy(task.workflowInstanceID) { throw .busy }
    apply(patch, to: task, call)
    return ServerResponse(status: 204)
  }

  private func mayApply(_ patch: SAPTaskPatch, to task: SAPTask, _ caller: SAPCaller) -> Bool {
    if patch.isCompletionOnly && (task.isFor(caller) || caller.may(.taskComplete)) { return true }
    return caller.may(.taskUpdate) && (patch.status == nil || caller.may(.taskComplete))
  }

  private mutating func apply(_ patch: SAPTaskPatch, to old: SAPTask, _ call: SAPCall) {
    var task = old
    patch.setProperties(of: &task, at: call.now)
    task.lastChangedAt = call.now
    tasks[task.id] = task
    noteClaim(patch, of: task, call)
    if let context = patch.context { mergeContext(of: task.workflowInstanceID, with: context) }
    if patch.status != nil {
      completions[task.id, default: 0] += 1
      complete(task.id, by: call.caller.name, decision: patch.decision, at: call.now)
    } else if !patch.isCompletionOnly, patch.processor == nil {
      note("USERTASK_PATCHED_BY_ADMIN", of: task, call.caller.name, at: call.now)
    }
  }

  private mutating func noteClaim(_ patch: SAPTaskPatch, of task: SAPTask, _ call: SAPCall) {
    guard let processor = patch.processor else { return }
    note(processor.isEmpty ? "USERTASK_RELEASED" : "USERTASK_CLAIMED", of: task, call.caller.name, at: call.now)
  }

  /// Completes an open task and lets its workflow go on.
  mutating func complete(_ id: String, by user: String, decision: String?, at now: Timestamp) {
    tasks.update(id) { task in
      task.status = .completed
      task.decision = decision
      task.completedAt = now
      task.lastChangedAt = now
      task.processor = task.processor ?? user
    }
    guard let task = tasks[id] else { return }
    note("USERTASK_COMPLETED", of: task, user, at: now)
    later(.advance(task.workflowInstanceID), at: now)
  }

  private mutating func note(_ type: String, of task: SAPTask, _ user: String, at now: Timestamp) {
    instances.update(task.workflowInstanceID) { instance in
      instance.note(
        type, at: now,
        [("taskId", .init(task.id)), ("activityId", .init(task.activityID)), ("userId", .init(user))])
    }
  }
}
