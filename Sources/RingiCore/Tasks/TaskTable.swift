package import RingiModel
package import Timing

/// The tasks of one plugin instance, as last seen, and what a new look at the backend means: pure, with no I/O.
package struct TaskTable: Sendable {
  /// What a merge found out.
  package enum Change: Equatable, Sendable {
    /// It became actionable.
    case ready(TaskItem)
    /// What matters about it changed.
    case changed(TaskItem)
    /// It was decided at the backend.
    case done(TaskItem)
    /// It left undecided.
    case gone(TaskItem)
  }

  /// One step in a task's life.
  package struct Step: Equatable, Sendable {
    package let time: Timestamp
    package let what: String
  }

  package struct Entry: Sendable {
    package private(set) var task: TaskItem
    /// The fingerprint of the listed record that made `task`; `nil` when it came from anywhere else.
    package private(set) var fingerprint: UInt64?
    package var history: [Step] = []
    /// When it last changed, counted in changes of this table.
    package fileprivate(set) var version = 0
    /// A decision was sent, and nothing tells yet whether it was done.
    package var pending: Pending?
    /// A decision is on its way, and its answer will tell what became of the task.
    fileprivate(set) var isHeld = false
    /// What it was before its last changes, for saying what changed since somebody looked.
    fileprivate var earlier: [TaskItem] = []

    fileprivate init(_ task: TaskItem, _ fingerprint: UInt64?) {
      self.task = task
      self.fingerprint = fingerprint
    }

    /// Takes a newer form of the task, together with what it was made from.
    fileprivate mutating func take(_ task: TaskItem, _ fingerprint: UInt64?) {
      self.task = task
      self.fingerprint = fingerprint
    }

    /// Whether a look that began at a version of the table tells more than is known.
    fileprivate func isOlder(than version: Int) -> Bool { self.version <= version && !isHeld }

    /// The task as it was when it had a revision, unless that is long ago.
    func task(ofRevision revision: String) -> TaskItem? {
      task.revision == revision ? task : earlier.last { $0.revision == revision }
    }
  }

  /// A decision whose outcome is not known.
  package struct Pending: Equatable, Sendable {
    package let decision: Decision
    package let since: Timestamp
    /// A poll begun this long after the write shows what became of it.
    package static let settles: Duration = .seconds(60)
  }

  /// The steps that are kept of a task.
  static let maxHistory = 50
  /// The earlier forms that are kept of a task.
  static let maxEarlier = 5
  /// The decided and gone tasks that are kept, newest first, so that a late second decision gets its plain answer.
  static let maxClosed = 10_000

  package private(set) var entries: [TaskItem.ID: Entry] = [:]
  /// Decided and gone tasks, oldest first.
  private var closed: [TaskItem.ID] = []
  /// Grows with each change; a poll notes it when it begins.
  package private(set) var version = 0

  package init() {}

  /// The open tasks that a complete list lacks; each must be looked up before it can be called done or gone.
  package func missing(from listed: Set<TaskItem.ID>, since version: Int) -> [TaskItem.ID] {
    entries.values
      .filter { $0.task.status.isOpen && $0.isOlder(than: version) && !listed.contains($0.task.id) }
      .map(\.task.id).sorted()
  }

  /// Whether a listed record is the one that the known task was made from: it has nothing to tell then.
  ///
  /// A task with a decision of unknown outcome is always looked at: that it is still open tells something.
  package func knows(_ id: TaskItem.ID, by fingerprint: UInt64) -> Bool {
    guard let entry = entries[id] else { return false }
    return entry.fingerprint == fingerprint && entry.pending == nil
  }

  /// Takes over what a look at the backend saw.
  ///
  /// - Parameters:
  ///   - tasks: The tasks seen, open or not.
  ///   - fingerprints: Of the tasks that a list showed, for ``knows(_:by:)`` at the next look.
  ///   - lost: Tasks that the backend doesn't know any more.
  ///   - version: The table's version when the look began; what changed since is newer than the look.
  ///   - announces: Whether tasks seen for the first time are changes; not in a first poll that only notes.
  ///   - now: The time of the look.
  /// - Returns: What happened, oldest task first.
  package mutating func merge(
    _ tasks: [TaskItem], fingerprints: [TaskItem.ID: UInt64] = [:], lost: [TaskItem.ID] = [], since version: Int,
    announces: Bool, now: Timestamp
  ) -> [Change] {
    var changes: [Change] = []
    var seen: Set<TaskItem.ID> = []
    for task in tasks.sorted(by: Self.precedes) where seen.insert(task.id).inserted {
      let change = merge(task, fingerprints[task.id], since: version, announces: announces, now: now)
      if let change { changes.append(change) }
    }
    for id in lost where !seen.contains(id) {
      guard let entry = entries[id], entry.task.status.isOpen, entry.isOlder(than: version) else { continue }
      var task = entry.task
      task.status = .gone
      set(task, "gone", now)
      changes.append(.gone(task))
    }
    return changes
  }

  private mutating func merge(
    _ task: TaskItem, _ fingerprint: UInt64?, since version: Int, announces: Bool, now: Timestamp
  ) -> Change? {
    guard let entry = entries[task.id] else {
      guard task.status.isOpen else { return nil }
      set(task, task.status == .ready ? "ready" : "claimed", now, fingerprint)
      return task.status == .ready && announces ? .ready(task) : nil
    }
    guard entry.isOlder(than: version) else { return nil }
    let old = entry.task
    switch (old.status.isOpen, task.status) {
    case (true, .done):
      set(task, "decided at the backend", now, fingerprint)
      return .done(task)
    case (true, .gone):
      set(task, "gone", now, fingerprint)
      return .gone(task)
    case (false, .done), (false, .gone): return nil
    case (_, .ready) where old.status != .ready:
      set(task, "ready", now, fingerprint)
      return .ready(task)
    case (_, _) where old.status != task.status || old.revision != task.revision:
      set(task, old.status == task.status ? "changed" : "claimed", now, fingerprint)
      return .changed(task)
    default:
      // Only what doesn't matter to a decision moved: the record is renewed, nothing happened.
      entries[task.id]?.take(task, fingerprint)
      return nil
    }
  }

  /// Puts a task in, with a step of its history, and the fingerprint of the listed record that it was made from, if so.
  package mutating func set(_ task: TaskItem, _ what: String, _ now: Timestamp, _ fingerprint: UInt64? = nil) {
    let wasOpen = entries[task.id]?.task.status.isOpen
    var entry = entries[task.id] ?? Entry(task, fingerprint)
    version += 1
    if entry.task.revision != task.revision {
      entry.earlier.append(entry.task)
      if entry.earlier.count > Self.maxEarlier { entry.earlier.removeFirst() }
    }
    entry.take(task, fingerprint)
    entry.version = version
    entry.history.append(Step(time: now, what: what))
    if entry.history.count > Self.maxHistory { entry.history.removeFirst() }
    entries[task.id] = entry
    if !task.status.isOpen, wasOpen != false { close(task.id) }
  }

  private mutating func close(_ id: TaskItem.ID) {
    closed.append(id)
    guard closed.count > Self.maxClosed else { return }
    let oldest = closed.removeFirst()
    if entries[oldest]?.task.status.isOpen == false { entries[oldest] = nil }
  }

  package mutating func setHeld(_ id: TaskItem.ID, _ isHeld: Bool) { entries[id]?.isHeld = isHeld }

  package mutating func setPending(_ id: TaskItem.ID, _ pending: Pending?) {
    version += 1
    entries[id]?.pending = pending
    entries[id]?.version = version
  }

  /// The order of lists: oldest first, by id among equals.
  package static func precedes(_ a: TaskItem, _ b: TaskItem) -> Bool {
    let (ta, tb) = (a.createdAt?.milliseconds ?? .max, b.createdAt?.milliseconds ?? .max)
    return ta == tb ? a.id < b.id : ta < tb
  }
}
