internal import RingiKit

/// The account's due tasks as the agent's.
@Loop
final class WunderlistTaskSource: CompletingSource {
  private let tasks: WunderlistTasks
  private let settings: WunderlistSettings
  let instance: String

  /// The tasks of each list, as of a revision of the list.
  private var known: [Int64: (revision: Int64, tasks: [WunderlistTask])] = [:]
  /// The root's revision under which everything was read, and read once more later without finding anything new.
  private var settledRoot: Int64?
  /// The root's revision of the last poll, and when that was first seen.
  private var lastRoot: (revision: Int64, since: Int64)?
  private var lastWrite: Int64?

  /// How long a change may take to show in the revisions of the list and of the root.
  private static let longestBubble: Int64 = 30_000_000_000

  init(_ tasks: WunderlistTasks, settings: WunderlistSettings) {
    self.tasks = tasks
    self.settings = settings
    instance = tasks.api.instance
  }

  private var uptime: Int64 { tasks.api.clock.uptime }

  /// From now on the revisions of lists and root say nothing for a while.
  func noteWrite() {
    lastWrite = uptime
    settledRoot = nil
    lastRoot = nil
  }

  // MARK: Polling

  func tasks() async throws -> TaskSnapshot {
    let began = uptime
    let isFresh = lastWrite.map { began - $0 < Self.longestBubble } ?? false
    let root = try await tasks.rootRevision()
    if root != settledRoot || isFresh {
      try await read(trustingRevisions: !isFresh)
      if !isFresh { note(root, at: began) }
    }
    return snapshot
  }

  /// Reads the lists that have changed, and keeps nothing of them unless all could be read.
  private func read(trustingRevisions: Bool) async throws {
    var found: [Int64: (revision: Int64, tasks: [WunderlistTask])] = [:]
    for list in try await tasks.lists() where settings.lists.isEmpty || settings.lists.contains(list.id) {
      if trustingRevisions, let old = known[list.id], old.revision == list.revision {
        found[list.id] = old
      } else {
        found[list.id] = (list.revision, try await tasks.tasks(in: list.id))
      }
    }
    known = found
  }

  /// The root may be ahead of a list: it counts once it has stood still for as long as a change takes to rise.
  private func note(_ root: Int64, at began: Int64) {
    if lastRoot?.revision != root { lastRoot = (root, began) }
    if let lastRoot, began - lastRoot.since >= Self.longestBubble { settledRoot = root }
  }

  private var snapshot: TaskSnapshot {
    let now = tasks.api.clock.now
    let due = known.sorted { $0.key < $1.key }.flatMap(\.value.tasks).filter {
      !$0.isCompleted && settings.window.includes($0.listed.due, at: now)
    }
    let items = due.map { task in
      let listed = task.listed
      return TaskSnapshot.Item(
        id: TaskItem.ID(provider: instance, key: listed.key.text), fingerprint: Fingerprint.of(task.json.utf8)
      ) { [instance, window = settings.window] in listed.item(listed.key, of: instance, window, at: now) }
    }
    return TaskSnapshot(items: items, isComplete: true)
  }

  func task(_ id: TaskItem.ID) async throws -> TaskItem? {
    let key = TaskKey(id.key)
    return try await tasks.task(key.id).map { item($0, key) }
  }

  private func item(_ task: WunderlistTask, _ key: TaskKey) -> TaskItem {
    task.listed.item(key, of: instance, settings.window, at: tasks.api.clock.now)
  }

  // MARK: Deciding

  private static let body: [(String, JSONValue)] = [("completed", true)]

  func preview(_ decision: Decision, on task: TaskItem) throws -> JSONValue {
    try check(decision)
    let revision = [("revision", task.raw["revision"] ?? .null)]
    return [
      "method": "PATCH", "path": JSONValue("/tasks/\(TaskKey(task.id.key).id)"),
      "body": JSONValue(object: revision + Self.body),
    ]
  }

  func decide(_ decision: Decision, on task: TaskItem) async throws -> TaskItem {
    try check(decision)
    let key = TaskKey(task.id.key)
    noteWrite()
    let json = try await tasks.patch(["tasks", key.id], task.raw, Self.body) { now in
      guard let now = WunderlistTask(now) else { return false }
      let item = item(now, key)
      guard item.status.isOpen else { throw AlreadyDecided(task: item) }
      return item.revision == task.revision
    }
    guard let now = WunderlistTask(json).map({ item($0, key) }), now.status == .done else {
      throw tasks.openStill
    }
    return completed(now, by: decision)
  }
}
