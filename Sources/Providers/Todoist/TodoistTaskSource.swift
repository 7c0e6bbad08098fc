internal import RingiKit

/// The account's due tasks as the agent's.
@Loop
final class TodoistTaskSource: CompletingSource {
  private let tasks: TodoistTasks
  private let settings: TodoistSettings
  let instance: String

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
    return completed(task, by: decision)
  }
}
