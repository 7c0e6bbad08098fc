internal import JSON
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

  /// A task as it is known; never changed, so that looking at one copies nothing.
  package final class Entry: Sendable {
    /// The task; its `raw` may be left to the store, see ``isSlim``.
    package let task: TaskItem
    /// The fingerprint of the listed record that made `task`; `nil` when it came from anywhere else.
    package let fingerprint: UInt64?
    /// When it last changed, counted in changes of this table.
    fileprivate let version: Int
    /// Whether the backend's record is in the store alone.
    package let isSlim: Bool

    fileprivate init(_ task: TaskItem, _ fingerprint: UInt64?, version: Int, isSlim: Bool) {
      (self.task, self.fingerprint, self.version, self.isSlim) = (task, fingerprint, version, isSlim)
    }

    fileprivate func at(_ version: Int) -> Entry { Entry(task, fingerprint, version: version, isSlim: isSlim) }

    fileprivate var slim: Entry {
      var task = task
      task.raw = .null
      return Entry(task, fingerprint, version: version, isSlim: true)
    }
  }

  /// What the store is to record of one task.
  package struct Record: Sendable {
    package let task: TaskItem
    package let fingerprint: UInt64?
    package let pending: Pending?
    /// The steps since the last record.
    package let steps: [Step]
    /// Whether the backend's record is the one that the store has.
    package let isSlim: Bool
    package let version: Int
  }

  /// The decided and gone tasks that are kept, newest first, so that a late second decision gets its plain answer.
  static let maxClosed = 10_000

  package private(set) var entries: [TaskItem.ID: Entry] = [:]
  private var common = CommonValues()
  /// Decided and gone tasks, oldest first.
  private var closed: [TaskItem.ID] = []
  /// Grows with each change; a poll notes it when it begins.
  package private(set) var version = 0
  /// Decisions whose outcome is not known yet.
  package private(set) var pending: [TaskItem.ID: Pending] = [:]
  /// Tasks with a decision on its way, whose answer will tell what became of them.
  private var held: Set<TaskItem.ID> = []
  /// The tasks that changed since they were recorded, with their new steps.
  private var unrecorded: [TaskItem.ID: [Step]] = [:]
  /// The tasks that were let go since then.
  private var forgotten: [TaskItem.ID] = []

  package init() {}

  /// Makes the table of tasks that were recorded, the decided and gone ones in the order of their ends.
  package init(recorded: some Sequence<Record>) {
    for record in recorded {
      let task = record.task
      entries[task.id] = Entry(task, record.fingerprint, version: 0, isSlim: true)
      pending[task.id] = record.pending
      if !task.status.isOpen { closed.append(task.id) }
    }
  }

  // MARK: Recording

  /// What has changed since the last time, for the store.
  package mutating func takeUnrecorded() -> (records: [Record], forgotten: [TaskItem.ID]) {
    let records = unrecorded.compactMap { id, steps in
      entries[id].map {
        Record(
          task: $0.task, fingerprint: $0.fingerprint, pending: pending[id], steps: steps, isSlim: $0.isSlim,
          version: $0.version)
      }
    }
    defer { (unrecorded, forgotten) = ([:], []) }
    return (records.sorted { Self.precedes($0.task, $1.task) }, forgotten)
  }

  /// Takes back what could not be recorded.
  package mutating func putBack(_ records: [Record], _ forgotten: [TaskItem.ID]) {
    for record in records { unrecorded[record.task.id] = record.steps + (unrecorded[record.task.id] ?? []) }
    self.forgotten = forgotten + self.forgotten
  }

  /// Leaves the backends' records to the store, which has them.
  package mutating func slim(_ recorded: [Record]) {
    for record in recorded {
      guard let entry = entries[record.task.id], entry.version == record.version else { continue }
      entries[record.task.id] = entry.slim
    }
  }

  private mutating func note(_ id: TaskItem.ID, _ step: Step? = nil) {
    unrecorded[id, default: []] += step.map { [$0] } ?? []
  }

  // MARK: Looking

  /// Whether a look that began at a version of the table tells more about a task than is known.
  private func isOlder(_ entry: Entry, than version: Int) -> Bool {
    entry.version <= version && !held.contains(entry.task.id)
  }

  /// The open tasks that a complete list lacks; each must be looked up before it can be called done or gone.
  package func missing(from listed: Set<TaskItem.ID>, since version: Int) -> [TaskItem.ID] {
    entries.values
      .filter { $0.task.status.isOpen && isOlder($0, than: version) && !listed.contains($0.task.id) }
      .map(\.task.id).sorted()
  }

  /// Whether a listed record is the one that the known task was made from: it has nothing to tell then.
  ///
  /// A task with a decision of unknown outcome is always looked at: that it is still open tells something.
  package func knows(_ id: TaskItem.ID, by fingerprint: UInt64) -> Bool {
    guard let entry = entries[id] else { return false }
    return entry.fingerprint == fingerprint && pending[id] == nil
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
      guard let entry = entries[id], entry.task.status.isOpen, isOlder(entry, than: version) else { continue }
      var task = entry.task
      task.status = .gone
      set(task, "gone", now, isSlim: entry.isSlim)
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
    guard isOlder(entry, than: version) else { return nil }
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
      if !entry.isSlim, old == task, entry.fingerprint == fingerprint { return nil }
      entries[task.id] = Entry(common.sharing(task), fingerprint, version: entry.version, isSlim: false)
      note(task.id)
      return nil
    }
  }

  /// Puts a task in, with a step of its history.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - what: The step.
  ///   - now: The time.
  ///   - fingerprint: That of the listed record that it was made from, if so.
  ///   - isSlim: Whether the backend's record is the one that the store has.
  package mutating func set(
    _ task: TaskItem, _ what: String, _ now: Timestamp, _ fingerprint: UInt64? = nil, isSlim: Bool = false
  ) {
    let wasOpen = entries[task.id]?.task.status.isOpen
    version += 1
    entries[task.id] = Entry(common.sharing(task), fingerprint, version: version, isSlim: isSlim)
    note(task.id, Step(time: now, what: what))
    if !task.status.isOpen, wasOpen != false { close(task.id) }
  }

  private mutating func close(_ id: TaskItem.ID) {
    closed.append(id)
    guard closed.count > Self.maxClosed else { return }
    let oldest = closed.removeFirst()
    guard entries[oldest]?.task.status.isOpen == false else { return }
    entries[oldest] = nil
    unrecorded[oldest] = nil
    forgotten.append(oldest)
  }

  // MARK: Decisions

  package func isHeld(_ id: TaskItem.ID) -> Bool { held.contains(id) }

  package mutating func setHeld(_ id: TaskItem.ID, _ isHeld: Bool) {
    if isHeld { held.insert(id) } else { held.remove(id) }
  }

  /// Notes a decision of unknown outcome, or that it is known.
  ///
  /// - Parameters:
  ///   - id: The task.
  ///   - pending: The decision.
  ///   - step: What the task's history says of it.
  package mutating func setPending(_ id: TaskItem.ID, _ pending: Pending?, _ step: Step? = nil) {
    version += 1
    self.pending[id] = pending
    entries[id] = entries[id]?.at(version)
    note(id, step)
  }

  /// Finds decisions of a former life their place on this one's clock.
  mutating func placePending(at now: Timestamp, uptime: Int64) {
    for (id, entry) in pending {
      let age = max(.zero, now.duration(since: entry.since))
      pending[id]?.uptime = uptime - Int64(age / .nanoseconds(1))
    }
  }

  /// The order of lists: oldest first, by id among equals.
  package static func precedes(_ a: TaskItem, _ b: TaskItem) -> Bool {
    let (ta, tb) = (a.createdAt?.milliseconds ?? .max, b.createdAt?.milliseconds ?? .max)
    return ta == tb ? a.id < b.id : ta < tb
  }
}
