package import EventLoop
internal import JSON
package import JSONRPC
package import RingiKit
internal import RingiModel
internal import Timing

/// The tasks of all instances: polls merge into it, events come out of it.
@Loop
package final class Inbox {
  /// What one poll found.
  package struct PollResult: Sendable {
    package var ready = 0
    package var changed = 0
  }

  /// How many tasks are looked up at once when a list lacks them.
  private static let lookups = 8

  private var sources: [String: InboxSource] = [:]
  /// The contexts shown to somebody, by their hashes, for saying what changed; bounded.
  private var shownContexts: [String: JSONValue] = [:]
  let bus: EventBus
  let clock: any LoopClock
  private let log: Log

  package init(bus: EventBus, clock: any LoopClock, log: Log) {
    self.bus = bus
    self.clock = clock
    self.log = log
  }

  // MARK: Sources

  /// Takes a task source in; what is known of the instance's tasks from before still counts.
  package func add(_ source: any TaskSource, instance: String, startsWithBaseline: Bool) {
    let entry = sources[instance] ?? InboxSource(instance: instance)
    entry.source = source
    entry.startsWithBaseline = startsWithBaseline
    sources[instance] = entry
  }

  /// Lets a task source go.
  package func remove(_ instance: String) {
    sources[instance]?.source = nil
    sources[instance]?.failure = nil
  }

  package var instances: [String] { sources.values.filter { $0.source != nil }.map(\.instance).sorted() }

  /// The instances whose last poll failed.
  package var stale: [String] {
    sources.values.filter { $0.source != nil && $0.failure != nil }.map(\.instance).sorted()
  }

  package func failure(of instance: String) -> RPCError? { sources[instance]?.failure }

  func source(_ instance: String) throws -> InboxSource {
    guard let entry = sources[instance] else {
      throw RPCError.notFound(
        "There is no task source \(instance); there are: \(instances.joined(separator: ", ")).",
        details: ["provider": JSONValue(instance)])
    }
    return entry
  }

  /// The source of a task, and what can act on it.
  func live(_ id: TaskItem.ID) throws -> (InboxSource, any TaskSource) {
    let entry = try source(id.provider)
    guard let source = entry.source else {
      throw RPCError.pluginDown("The plugin \(id.provider) is not loaded; plugins.list tells why.")
    }
    return (entry, source)
  }

  var entries: some Sequence<TaskTable.Entry> {
    sources.values.lazy.filter { $0.source != nil }.flatMap { $0.table.entries.values }
  }

  // MARK: Polls

  /// Asks one instance for its tasks, and says what happened since the last time.
  ///
  /// - Parameter instance: A task source.
  /// - Returns: How much was found.
  /// - Throws: `RPCError` when the backend could not be asked; nothing is concluded then.
  @discardableResult
  package func poll(_ instance: String) async throws -> PollResult {
    let entry = try source(instance)
    guard let source = entry.source else { throw RPCError.pluginDown("The plugin \(instance) is not loaded.") }
    let began = (version: entry.table.version, time: clock.now)
    do {
      let look = try await look(source, entry, since: began.version)
      // Unloaded or replaced meanwhile: what it found is nobody's news any more.
      guard entry.source === source else { throw RPCError.pluginDown("The plugin \(instance) was unloaded.") }
      let result = try await merge(look, into: entry, began)
      try await recovered(entry)
      return result
    } catch {
      if error is CancellationError || entry.source !== source { throw error }
      try await failed(entry, rpcError(error))
      throw error
    }
  }

  private struct Look: Sendable {
    /// Those that are not as they were at the last look.
    var tasks: [TaskItem] = []
    var fingerprints: [TaskItem.ID: UInt64] = [:]
    var lost: [TaskItem.ID] = []
  }

  /// The list, and what became of each known task that it lacks.
  private func look(_ source: any TaskSource, _ entry: InboxSource, since version: Int) async throws -> Look {
    let snapshot = try await source.tasks()
    var look = Look()
    for item in snapshot.items where !entry.table.knows(item.id, by: item.fingerprint) {
      look.tasks.append(try item.task())
      look.fingerprints[item.id] = item.fingerprint
    }
    guard snapshot.isComplete else { return look }
    var rest = entry.table.missing(from: Set(snapshot.items.lazy.map(\.id)), since: version)[...]
    while !rest.isEmpty {
      let ids = rest.prefix(Self.lookups)
      rest = rest.dropFirst(Self.lookups)
      let found = try await lookUp(Array(ids), source)
      for (id, task) in found {
        if let task { look.tasks.append(task) } else { look.lost.append(id) }
      }
    }
    return look
  }

  private func lookUp(
    _ ids: [TaskItem.ID], _ source: any TaskSource
  ) async throws -> [(TaskItem.ID, TaskItem?)] {
    let tasks = ids.map { id in Loop.task { (id, try await source.task(id)) } }
    // After one failure the others' answers are of no use.
    defer { for task in tasks { task.cancel() } }
    return try await withTaskCancellationHandler {
      var found: [(TaskItem.ID, TaskItem?)] = []
      for task in tasks { found.append(try await task.value) }
      return found
    } onCancel: {
      for task in tasks { task.cancel() }
    }
  }

  private func merge(
    _ look: Look, into entry: InboxSource, _ began: (version: Int, time: Timestamp)
  ) async throws -> PollResult {
    let announces = entry.hasPolled || !entry.startsWithBaseline
    let changes = entry.table.merge(
      look.tasks, fingerprints: look.fingerprints, lost: look.lost, since: began.version, announces: announces,
      now: clock.now)
    var result = PollResult()
    let drafts = changes.map { change in
      switch change {
      case .ready: result.ready += 1
      default: result.changed += 1
      }
      return draft(change, entry)
    }
    settlePending(look, entry, began.time)
    if !drafts.isEmpty { try await bus.publish(drafts) }
    return result
  }

  private func draft(_ change: TaskTable.Change, _ entry: InboxSource) -> EventDraft {
    switch change {
    case .ready(let task): .about(task, .taskReady)
    case .changed(let task): .about(task, .taskChanged)
    case .gone(let task): .about(task, .taskGone)
    case .done(let task):
      // A decision of ours whose answer never came shows here for the first time.
      if let pending = entry.table.entries[task.id]?.pending, pending.decision.kind.fits(task.outcome) {
        .approvalDone(
          settled(task, pending, entry), by: task.decidedBy, via: "agent", comment: pending.decision.comment)
      } else {
        .approvalDone(task, by: task.decidedBy, via: "backend", comment: nil)
      }
    }
  }

  /// Takes over single tasks that were looked at between polls.
  func takeIn(_ tasks: [TaskItem], lost: [TaskItem.ID], _ entry: InboxSource) async throws {
    _ = try await merge(Look(tasks: tasks, lost: lost), into: entry, (entry.table.version, clock.now))
  }

  /// Notes that somebody saw a context.
  func show(_ context: JSONValue) {
    if shownContexts.count >= 1000 { shownContexts.removeAll() }
    shownContexts[Revision.of([context])] = context
  }

  /// The context with a hash, if it was shown lately.
  func shownContext(_ hash: String) -> JSONValue? { shownContexts[hash] }

  private func settled(_ task: TaskItem, _ pending: TaskTable.Pending, _ entry: InboxSource) -> TaskItem {
    var task = task
    task.outcome = pending.decision.kind.outcome
    entry.table.set(task, "\(task.outcome?.rawValue ?? "decided"), as the backend shows", clock.now)
    entry.table.setPending(task.id, nil)
    return task
  }

  /// A look that began long enough after an unclear write and shows the task open says that the write was not done.
  private func settlePending(_ look: Look, _ entry: InboxSource, _ began: Timestamp) {
    for task in look.tasks {
      guard let pending = entry.table.entries[task.id]?.pending else { continue }
      if task.status.isOpen, began.duration(since: pending.since) < TaskTable.Pending.settles { continue }
      entry.table.setPending(task.id, nil)
    }
    for id in look.lost where entry.table.entries[id]?.pending != nil { entry.table.setPending(id, nil) }
  }

  private func recovered(_ entry: InboxSource) async throws {
    entry.hasPolled = true
    guard entry.failure != nil else { return }
    entry.failure = nil
    log.write(.info, entry.instance, "polls succeed again")
    try await bus.publish([
      EventDraft(.pollRecovered, instance: entry.instance, data: ["provider": JSONValue(entry.instance)])
    ])
  }

  private func failed(_ entry: InboxSource, _ error: RPCError) async throws {
    let before = entry.failure
    entry.failure = error
    var drafts: [EventDraft] = []
    let data: JSONValue = ["provider": JSONValue(entry.instance), "error": error.json]
    if before == nil {
      log.write(.warning, entry.instance, "a poll failed: \(error.message)")
      drafts.append(EventDraft(.pollFailed, instance: entry.instance, data: data))
    }
    if error.kind == "login-required", before?.kind != error.kind {
      drafts.append(EventDraft(.loginRequired, instance: entry.instance, data: data))
    }
    if !drafts.isEmpty { try await bus.publish(drafts) }
  }
}

extension Decision.Kind {
  /// Whether a backend's record may be the trace of this decision; many backends tell no more than that one was made.
  func fits(_ outcome: TaskItem.Outcome?) -> Bool {
    outcome == nil || outcome == .completed || outcome == self.outcome
  }
}

extension EventDraft {
  static func about(_ task: TaskItem, _ type: EventType) -> EventDraft {
    EventDraft(type, instance: task.id.provider, subject: task.id.description, data: ["task": task.json()])
  }

  static func approvalDone(
    _ task: TaskItem, by: String?, via: String, comment: String?, causes: [String] = []
  ) -> EventDraft {
    EventDraft(
      .approvalDone, instance: task.id.provider, subject: task.id.description,
      data: [
        "task": task.json(), "outcome": task.outcome.map { JSONValue($0.rawValue) } ?? .null,
        "by": by.map { JSONValue($0) } ?? .null, "via": JSONValue(via),
        "comment": comment.map { JSONValue($0) } ?? .null,
      ], causes: causes)
  }
}
