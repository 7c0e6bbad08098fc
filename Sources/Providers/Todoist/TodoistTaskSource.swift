internal import RingiKit

/// The account's due tasks as the agent's.
@Loop
final class TodoistTaskSource: TaskSource {
  private let tasks: TodoistTasks
  private let settings: TodoistSettings
  private let instance: String

  init(_ tasks: TodoistTasks, settings: TodoistSettings) {
    self.tasks = tasks
    self.settings = settings
    instance = tasks.api.instance
  }

  private var now: Timestamp { tasks.api.clock.now }

  func tasks() async throws -> TaskSnapshot {
    var rows: [JSONValue] = []
    var isComplete = true
    for query in settings.projects.isEmpty ? [[]] : settings.projects.map({ [("project_id", $0)] }) {
      let found = try await tasks.rows(["tasks"], query)
      rows += found.rows
      isComplete = isComplete && found.isComplete
    }
    let now = now
    let due = rows.compactMap(TodoistTask.init).filter {
      !$0.isChecked && !$0.isDeleted && settings.window.includes($0.listed.due, at: now)
    }
    let items = due.map { task in
      let listed = task.listed
      return TaskSnapshot.Item(
        id: TaskItem.ID(provider: instance, key: listed.key.text), fingerprint: Fingerprint.of(task.json.utf8)
      ) { [instance, window = settings.window] in listed.item(listed.key, of: instance, window, at: now) }
    }
    return TaskSnapshot(items: items, isComplete: isComplete)
  }

  func task(_ id: TaskItem.ID) async throws -> TaskItem? {
    let key = TaskKey(id.key)
    return try await tasks.task(key.id)?.listed.item(key, of: instance, settings.window, at: now)
  }

  func context(of id: TaskItem.ID) async throws -> JSONValue? { nil }

  func preview(_ decision: Decision, on task: TaskItem) throws -> JSONValue {
    try check(decision)
    return [
      "method": "POST", "path": "/sync",
      "body": TodoistTasks.body(TaskKey(task.id.key).id, "a fresh one at each decision"),
    ]
  }

  func decide(_ decision: Decision, on task: TaskItem) async throws -> TaskItem {
    try check(decision)
    try await tasks.close(TaskKey(task.id.key))
    var decided = task
    decided.status = .done
    decided.outcome = decision.kind.outcome
    decided.actions = []
    return decided
  }

  private func check(_ decision: Decision) throws {
    guard decision.kind != .reject, decision.context == nil, decision.decision == nil else {
      throw RPCError.invalidParams(
        "\(instance): a task here can be completed, which takes no context and no rejection.")
    }
  }

  func claim(_ task: TaskItem) async throws -> TaskItem { throw unsupported }

  func release(_ task: TaskItem) async throws -> TaskItem { throw unsupported }

  private var unsupported: RPCError {
    .invalidParams("\(instance): tasks here are not claimed; they can be completed.")
  }
}
