internal import Timing

/// Stops workflows, resumes them, cancels them.
extension SAPState {
  mutating func setStatus(_ id: String, _ status: SAPInstance.Status, cascade: Bool, at now: Timestamp) {
    if cascade {
      for child in instances.rows where child.parentInstanceID == id {
        setStatus(child.id, status, cascade: true, at: now)
      }
    }
    guard var instance = instances[id], !instance.status.isFinal, instance.status != status else { return }
    let goesOn = instance.isHeld && status == .running
    instance.status = status
    if goesOn { instance.isHeld = false }
    instance.note(Self.logType(of: status), at: now)
    if status == .canceled {
      instance.completedAt = now
      instance.awaitedMessage = nil
      cancelOpenTasks(of: id, at: now)
    }
    instances[id] = instance
    if goesOn { advance(id, at: now) }
  }

  private mutating func cancelOpenTasks(of instance: String, at now: Timestamp) {
    for task in tasks.rows where task.workflowInstanceID == instance && !task.status.isFinal {
      tasks.update(task.id) { task in
        task.status = .canceled
        task.completedAt = now
        task.lastChangedAt = now
      }
    }
  }

  private static func logType(of status: SAPInstance.Status) -> String {
    switch status {
    case .running: "WORKFLOW_CONTINUED"
    case .erroneous: "WORKFLOW_FAILED"
    case .suspended: "WORKFLOW_SUSPENDED"
    case .canceled: "WORKFLOW_CANCELED"
    case .completed: "WORKFLOW_COMPLETED"
    }
  }
}
