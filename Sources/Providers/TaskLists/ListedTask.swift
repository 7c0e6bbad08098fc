internal import RingiKit

/// A task of a list backend, as far as all of them have the same.
struct ListedTask {
  let id: String
  let title: String
  let isCompleted: Bool
  /// The date as the backend writes it.
  let dueText: String?
  let isRecurring: Bool
  let requester: String?
  let assignee: String?
  let completedBy: String?
  let priority: TaskItem.Priority
  let createdAt: Timestamp?
  let url: String?
  /// What a decision rests on beyond title, date and priority.
  let decisive: JSONValue
  let json: JSONValue

  var due: TaskDue? { dueText.flatMap(TaskDue.init) }
  var key: TaskKey { TaskKey(id: id, occurrence: isRecurring ? dueText : nil) }

  /// The task as every client sees it.
  ///
  /// - Parameters:
  ///   - key: Which occurrence was asked for.
  ///   - instance: The plugin instance.
  ///   - window: Which tasks wait for a person.
  ///   - now: What time it is.
  /// - Returns: The task.
  func item(_ key: TaskKey, of instance: String, _ window: DueWindow, at now: Timestamp) -> TaskItem {
    let status = status(of: key, window, at: now)
    return TaskItem(
      id: TaskItem.ID(provider: instance, key: key.text), title: title, status: status,
      outcome: status == .done ? .completed : nil, decidedBy: status == .done ? completedBy : nil,
      requester: requester, assignees: assignee.map { [$0] } ?? [], priority: priority, createdAt: createdAt,
      dueAt: due?.moment(in: window.zone), url: url, actions: status.isOpen ? [.approve, .complete] : [],
      decisive: decisive, raw: json)
  }

  /// An occurrence whose date has passed on was completed; a task that is not due any more does not wait.
  private func status(of key: TaskKey, _ window: DueWindow, at now: Timestamp) -> TaskItem.Status {
    if isCompleted { return .done }
    if let asked = key.occurrence, asked != dueText || !isRecurring {
      let (old, new) = (TaskDue(asked)?.moment(in: window.zone), due?.moment(in: window.zone))
      return isRecurring && old.flatMap { old in new.map { old < $0 } } == true ? .done : .gone
    }
    return window.includes(due, at: now) ? .ready : .gone
  }
}
