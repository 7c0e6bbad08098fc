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

    static func += (sum: inout PollResult, part: PollResult) {
      sum.ready += part.ready
      sum.changed += part.changed
    }
  }

  /// How many tasks are looked up at once when a list lacks them.
  private static let lookups = 8
  /// How many new and changed tasks are made and recorded at a time: together with their events they take much memory.
  private static let part = 1000
  /// How many tasks a list has at least whose memory is given back after the poll.
  private static let many = 10_000

  /// The longest that one poll may take: a list that goes on and on is a failure that people hear of.
  package nonisolated static let longestPoll = Duration.seconds(600)

  private var sources: [String: InboxSource] = [:]
  /// The contexts shown to somebody, by their hashes, for saying what changed; bounded.
  private var shownContexts: [String: JSONValue] = [:]
  let bus: EventBus
  let clock: any LoopClock
  let log: Log
  /// Hears of each poll that succeeded.
  var onPoll: (String) -> Void = { _ in }

  package init(bus: EventBus, clock: any LoopClock, log: Log) {
    self.bus = bus
    self.clock = clock
    self.log = log
  }

  // MARK: Sources

  /// Takes a task source in; what is known of the instance's tasks from before still counts.
  ///
  /// - Parameters:
  ///   - source: Where its tasks are.
  ///   - instance: The plugin instance.
  ///   - startsWithBaseline: Whether the very first poll only notes what is there.
  ///   - settles: Within what time the backend shows what it made of a write whose answer was lost.
  ///   - settings: The fingerprint of the settings by which the source makes tasks; under others, all are made anew.
  package func add(
    _ source: any TaskSource, instance: String, startsWithBaseline: Bool,
    settles: Duration = TaskTable.Pending.settles, settings: UInt64 = 0
  ) {
    let entry = sources[instance] ?? InboxSource(instance: instance)
    entry.source = source
    entry.startsWithBaseline = startsWithBaseline
    entry.settles = settles
    entry.settings = settings
    sources[instance] = entry
  }

  /// Takes in an instance that is polled for something else than tasks.
  func add(watchOf instance: String) {
    let entry = sources[instance] ?? InboxSource(instance: instance)
    entry.isWatched = true
    sources[instance] = entry
  }

  /// Lets a task source go; whether its polls failed still counts when it comes back, so that the end of it is said.
  package func remove(_ instance: String) {
    sources[instance]?.source = nil
    sources[instance]?.isWatched = false
  }

  /// Takes over what was recorded, and what polls have found out before it could be read.
  func restore(_ state: StoredState) {
    for name in Set(sources.keys).union(state.instances.keys).union(state.tasks.keys) {
      let entry = sources[name] ?? InboxSource(instance: name)
      sources[name] = entry
      let provisional = entry.hasPolled ? Look(entry.table) : nil
      entry.table = TaskTable(recorded: state.tasks[name] ?? [])
      entry.table.placePending(at: clock.now, uptime: clock.uptime)
      entry.hasPolled = state.instances[name]?.hasPolled ?? false
      entry.failure = state.instances[name]?.failure
      guard let provisional else { continue }
      let news = takePoll(provisional, into: entry, (entry.table.version, clock.uptime))
      bus.note(news.drafts, with: tasks(entry.table.takeUnrecorded()) + news.changes)
    }
  }

  package var instances: [String] { sources.values.filter { $0.source != nil }.map(\.instance).sorted() }

  /// The instances whose last poll failed.
  package var stale: [String] {
    sources.values.filter { $0.source != nil && $0.failure != nil }.map(\.instance).sorted()
  }

  /// The instances whose last poll failed, whatever they are polled for.
  var failing: [String] {
    sources.values.filter { $0.isPolled && $0.failure != nil }.map(\.instance).sorted()
  }

  package func failure(of instance: String) -> RPCError? {
    sources[instance].flatMap { $0.isPolled ? $0.failure : nil }
  }

  func source(_ instance: String) throws -> InboxSource {
    guard let entry = sources[instance] else {
      let names = instances.joined(separator: ", ")
      throw RPCError.notFound(
        "There is no task source \(instance); "
          + (names.isEmpty ? "no plugin has tasks." : "there are: \(names)."),
        details: ["provider": JSONValue(instance)])
    }
    return entry
  }

  /// The source of a task, and what can act on it.
  func live(_ id: TaskItem.ID) throws -> (InboxSource, any TaskSource) { try live(instance: id.provider) }

  func live(instance: String) throws -> (InboxSource, any TaskSource) {
    let entry = try source(instance)
    guard let source = entry.source else {
      throw RPCError.pluginDown("The plugin \(instance) is not loaded; plugins.list tells why.")
    }
    return (entry, source)
  }

  var entries: some Sequence<TaskTable.Entry> {
    sources.values.lazy.filter { $0.source != nil }.flatMap { $0.table.entries.values }
  }

  /// How many decisions were sent whose outcome is not known yet.
  var pendingDecisions: Int { sources.values.reduce(0) { $0 + $1.table.pending.count } }

  /// Which decisions should have shown an outcome by now and have not; `nil` when there are none.
  var openQuestion: String? {
    let late = sources.values.flatMap { entry in
      entry.table.pending.filter { $0.value.age(at: clock.uptime) >= entry.settles }.keys
    }.sorted()
    guard let first = late.first else { return nil }
    let others = late.count > 1 ? " and \(late.count - 1) more" : ""
    return
      "What became of the decision on \(first)\(others) is not known: the next good poll of its backend settles it; see that its plugin is loaded and its polls succeed."
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
    guard bus.store.hasRoom else { throw bus.store.trouble?.refusal ?? .overloaded("The store has no room.") }
    let began = (version: entry.table.version, uptime: clock.uptime)
    do {
      let (result, listed) = try await withinLimit(entry) { [self] in try await poll(source, entry, began) }
      if listed > Self.many { giveBackFreeMemory() }
      await recovered(entry)
      onPoll(instance)
      return result
    } catch {
      if error is CancellationError || entry.source !== source { throw error }
      await failed(entry, bus.redactor.redact(rpcError(error)))
      throw error
    }
  }

  /// Lets an instance without tasks look at its backend; that it can't, and that it can again, is told as of any poll.
  ///
  /// - Parameters:
  ///   - instance: An instance that was added for it.
  ///   - look: What it does.
  /// - Returns: What `look` returns.
  /// - Throws: What `look` throws.
  func watch(_ instance: String, _ look: @escaping @Loop @Sendable () async throws -> JSONValue) async throws
    -> JSONValue
  {
    let entry = try source(instance)
    do {
      let found = try await withinLimit(entry, look)
      await recovered(entry)
      return found
    } catch {
      if error is CancellationError || !entry.isWatched { throw error }
      await failed(entry, rpcError(error))
      throw error
    }
  }

  private func withinLimit<T: Sendable>(
    _ entry: InboxSource, _ poll: @escaping @Loop @Sendable () async throws -> T
  ) async throws -> T {
    do {
      return try await clock.withTimeout(Self.longestPoll, poll)
    } catch let error as TimeoutError {
      throw RPCError.unavailable(
        "\(entry.instance): the poll took longer than \(DurationText.format(error.limit)); see whether the backend is slow, or its list without end."
      )
    }
  }

  private struct Look: Sendable {
    /// Those that are not as they were at the last look.
    var tasks: [TaskItem] = []
    var fingerprints: [TaskItem.ID: UInt64] = [:]
    var lost: [TaskItem.ID] = []
    /// What the backend last said of those.
    var lostRecords: [TaskItem.ID: JSONValue] = [:]

    init() {}

    init(tasks: [TaskItem], lost: [TaskItem.ID], lostRecords: [TaskItem.ID: JSONValue]) {
      (self.tasks, self.lost, self.lostRecords) = (tasks, lost, lostRecords)
    }

    /// All that a table knows.
    init(_ table: TaskTable) {
      tasks = table.entries.values.map(\.task)
      fingerprints = table.entries.compactMapValues(\.fingerprint)
    }

    @Loop mutating func take(_ items: some Sequence<TaskSnapshot.Item>, of entry: InboxSource) throws {
      for item in items {
        tasks.append(try item.task())
        fingerprints[item.id] = entry.fingerprint(item)
      }
    }
  }

  /// Looks, and merges and records in parts what is new.
  private func poll(
    _ source: any TaskSource, _ entry: InboxSource, _ began: (version: Int, uptime: Int64)
  ) async throws -> (PollResult, listed: Int) {
    let (found, news, listed) = try await look(source, entry, since: began.version)
    var (look, rest, result) = (found, news[...], PollResult())
    repeat {
      // Unloaded or replaced meanwhile: what it found is nobody's news any more.
      guard entry.source === source else { throw RPCError.pluginDown("The plugin \(entry.instance) was unloaded.") }
      try look.take(rest.prefix(Self.part), of: entry)
      rest = rest.dropFirst(Self.part)
      let part = takePoll(look, into: entry, began, isLast: rest.isEmpty)
      result += part.result
      await keep(part.drafts, entry, with: part.changes)
      look = Look()
    } while !rest.isEmpty
    return (result, listed)
  }

  /// What became of each known task that the list lacks, and what it has that is not known.
  ///
  /// What doesn't fit into one part is oldest first, and was made once, so that no part fails after others.
  private func look(
    _ source: any TaskSource, _ entry: InboxSource, since version: Int
  ) async throws -> (Look, news: [TaskSnapshot.Item], listed: Int) {
    let snapshot = try await source.tasks()
    var news = snapshot.items.filter { !entry.table.knows($0.id, by: entry.fingerprint($0)) }
    if news.count > Self.part {
      news = try news.map { (try $0.task().createdAt?.milliseconds ?? .max, $0) }
        .sorted { ($0.0, $0.1.id) < ($1.0, $1.1.id) }.map(\.1)
    }
    var look = Look()
    guard snapshot.isComplete else { return (look, news, snapshot.items.count) }
    var rest = entry.table.missing(from: Set(snapshot.items.lazy.map(\.id)), since: version)[...]
    while !rest.isEmpty {
      let ids = rest.prefix(Self.lookups)
      rest = rest.dropFirst(Self.lookups)
      let found = try await lookUp(Array(ids), source)
      for (id, task) in found {
        if let task { look.tasks.append(task) } else { look.lost.append(id) }
      }
    }
    look.lostRecords = await records(of: look.lost)
    return (look, news, snapshot.items.count)
  }

  /// What the backend has of each; those that it can't be asked for are left out, and stay as they are.
  private func lookUp(
    _ ids: [TaskItem.ID], _ source: any TaskSource
  ) async throws -> [(TaskItem.ID, TaskItem?)] {
    let tasks = ids.map { id in Loop.task { [self] in try await lookUp(id, source) } }
    // After one failure the others' answers are of no use.
    defer { for task in tasks { task.cancel() } }
    return try await withTaskCancellationHandler {
      var found: [(TaskItem.ID, TaskItem?)] = []
      for task in tasks { if let one = try await task.value { found.append(one) } }
      return found
    } onCancel: {
      for task in tasks { task.cancel() }
    }
  }

  private func lookUp(_ id: TaskItem.ID, _ source: any TaskSource) async throws -> (TaskItem.ID, TaskItem?)? {
    do {
      return (id, try await source.task(id))
    } catch let error as RPCError where error.kind == "invalid-params" {
      log.write(.warning, id.provider, "the task \(id) stays as it is, since it can't be asked for: \(error.message)")
      return nil
    }
  }

  /// The backend's records of tasks, from the store, as far as it can be read: a disk is no reason to know less of a task.
  private func records(of ids: [TaskItem.ID]) async -> [TaskItem.ID: JSONValue] {
    await texts(ofRecords: ids).compactMapValues { JSONValue.parsed($0) }
  }

  private func texts(ofRecords ids: [TaskItem.ID]) async -> [TaskItem.ID: [UInt8]] {
    guard !ids.isEmpty else { return [:] }
    do {
      return try await bus.store.read { try TaskRows.raws(of: ids, $0) }
    } catch {
      log.write(.warning, "store", "\(ids.count) tasks are shown without their backends' records: \(error)")
      return [:]
    }
  }

  /// A known task together with the backend's record.
  func whole(_ task: TaskItem) async -> TaskItem {
    guard let entry = sources[task.id.provider]?.table.entries[task.id], entry.isSlim, task.raw.isNull else {
      return task
    }
    var task = task
    task.raw = await records(of: [task.id])[task.id] ?? .null
    return task
  }

  /// A task as it was when it had a revision; as it is known now, if that is long ago.
  func form(of task: TaskItem, revision: String) async throws -> TaskItem {
    if task.revision != revision,
      let form = try await bus.store.read({ try TaskRows.form(of: task.id, revision: revision, $0) })
    {
      return form
    }
    return await whole(task)
  }

  /// A task's history.
  func steps(of id: TaskItem.ID) async throws -> [TaskTable.Step] {
    try await bus.store.read { try TaskRows.steps(of: id, $0) }
  }

  /// Tasks as clients get them, as JSON texts.
  func texts(of tasks: [TaskItem]) async -> [[UInt8]] {
    let slim = tasks.filter { sources[$0.id.provider]?.table.entries[$0.id]?.isSlim ?? false }.map(\.id)
    let raws = await texts(ofRecords: slim)
    return tasks.map { task in
      guard let raw = raws[task.id] else { return task.json().utf8 }
      var text = task.json(raw: false).utf8
      text.removeLast()
      text.append(literal: #","raw":"#)
      text += raw
      text.append(UInt8(ascii: "}"))
      return text
    }
  }

  /// What a look has brought about, for the store.
  private struct News {
    var drafts: [EventDraft] = []
    var changes: [Change] = []
    var result = PollResult()
  }

  /// Merges what a poll has found, or a part of it.
  private func takePoll(
    _ look: Look, into entry: InboxSource, _ began: (version: Int, uptime: Int64), isLast: Bool = true
  ) -> News {
    let isFirst = !entry.hasPolled
    if isLast { entry.hasPolled = true }
    var news = take(look, into: entry, began, announces: !isFirst || !entry.startsWithBaseline)
    // In one transaction with the last that it found, so that the first poll is the first one for ever.
    if isFirst, isLast { news.changes.append(.instance(entry.instance, entry.state)) }
    return news
  }

  private func take(
    _ look: Look, into entry: InboxSource, _ began: (version: Int, uptime: Int64), announces: Bool = true
  ) -> News {
    let changes = entry.table.merge(
      look.tasks, fingerprints: look.fingerprints, lost: look.lost, since: began.version, announces: announces,
      now: clock.now)
    var news = News()
    var audits: [AuditEntry] = []
    for change in changes {
      switch change {
      case .ready: news.result.ready += 1
      default: news.result.changed += 1
      }
      news.drafts.append(draft(change, entry, look, &audits))
    }
    audits += settlePending(look, entry, began.uptime)
    news.changes = audits.map(bus.audit)
    return news
  }

  /// Records what has changed in an instance's tasks, and the events that tell of it.
  ///
  /// - Parameters:
  ///   - drafts: The events.
  ///   - entry: The instance.
  ///   - changes: What else belongs to it.
  /// - Returns: The events as they stand in the log; `nil` when they are still to be recorded.
  @discardableResult
  func keep(_ drafts: [EventDraft], _ entry: InboxSource, with changes: [Change] = []) async -> [Event]? {
    let unrecorded = entry.table.takeUnrecorded()
    let changes = tasks(unrecorded) + changes
    guard !drafts.isEmpty || !changes.isEmpty else { return [] }
    let events = await bus.keep(drafts, with: changes)
    if events != nil { entry.table.slim(unrecorded.records) }
    return events
  }

  /// As ``keep(_:_:with:)``, for what must not begin unless it is recorded.
  ///
  /// - Throws: `RPCError` (unavailable) when it can't be; the table still holds what was to be recorded.
  func record(_ entry: InboxSource, with changes: [Change] = []) async throws {
    let unrecorded = entry.table.takeUnrecorded()
    do {
      _ = try await bus.publish([], with: tasks(unrecorded) + changes)
    } catch {
      entry.table.putBack(unrecorded.records, unrecorded.forgotten)
      throw error
    }
    entry.table.slim(unrecorded.records)
  }

  private func tasks(_ unrecorded: (records: [TaskTable.Record], forgotten: [TaskItem.ID])) -> [Change] {
    let (records, forgotten) = unrecorded
    return records.isEmpty && forgotten.isEmpty ? [] : [.tasks(records, forgotten: forgotten, at: clock.now)]
  }

  private func draft(
    _ change: TaskTable.Change, _ entry: InboxSource, _ look: Look, _ audits: inout [AuditEntry]
  ) -> EventDraft {
    switch change {
    case .ready(let task): return .about(task, .taskReady)
    case .changed(let task): return .about(task, .taskChanged)
    case .gone(var task):
      if let record = look.lostRecords[task.id] { task.raw = record }
      return .about(task, .taskGone)
    case .done(let task):
      // A decision of ours whose answer never came shows here for the first time.
      guard let pending = entry.table.pending[task.id], pending.decision.kind.fits(task.outcome) else {
        return .approvalDone(task, by: task.decidedBy, via: "backend", comment: nil)
      }
      audits.append(
        pending.entry(task.id, pending.decision.kind.outcome.rawValue, at: clock.now, backend: task.decider))
      return .approvalDone(
        settled(task, pending, entry), by: task.decidedBy, via: "agent", comment: pending.decision.comment,
        causes: pending.causes)
    }
  }

  /// Takes over single tasks that were looked at between polls.
  ///
  /// - Parameters:
  ///   - tasks: What the backend showed.
  ///   - lost: What it doesn't have any more.
  ///   - entry: The instance.
  ///   - version: The table's version when the look began; what changed since is newer.
  ///   - changes: What else belongs to it.
  func takeIn(
    _ tasks: [TaskItem], lost: [TaskItem.ID], _ entry: InboxSource, since version: Int, with changes: [Change] = []
  ) async {
    let look = Look(tasks: tasks, lost: lost, lostRecords: await records(of: lost))
    let news = take(look, into: entry, (version, clock.uptime))
    await keep(news.drafts, entry, with: news.changes + changes)
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
  ///
  /// One that nobody was told of is made again then, see ``Decisions/resume(_:)``.
  ///
  /// - Returns: What the audit log tells of it.
  private func settlePending(_ look: Look, _ entry: InboxSource, _ began: Int64) -> [AuditEntry] {
    var audits: [AuditEntry] = []
    for task in look.tasks {
      guard let pending = entry.table.pending[task.id], !entry.table.isHeld(task.id) else { continue }
      if task.status.isOpen, !pending.isAnswered || pending.age(at: began) < entry.settles { continue }
      entry.table.setPending(task.id, nil)
      audits.append(pending.entry(task.id, task.status.isOpen ? "not-done" : "conflict", at: clock.now))
    }
    for id in look.lost {
      guard let pending = entry.table.pending[id], !entry.table.isHeld(id) else { continue }
      entry.table.setPending(id, nil)
      audits.append(pending.entry(id, "gone", at: clock.now))
    }
    return audits
  }

  private func recovered(_ entry: InboxSource) async {
    guard entry.failure != nil else { return }
    entry.failure = nil
    log.write(.info, entry.instance, "polls succeed again")
    let draft = EventDraft(
      .pollRecovered, instance: entry.instance, data: ["provider": JSONValue(entry.instance)])
    await keep([draft], entry, with: [.instance(entry.instance, entry.state)])
  }

  private func failed(_ entry: InboxSource, _ error: RPCError) async {
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
    guard before != error else { return }
    await keep(drafts, entry, with: [.instance(entry.instance, entry.state)])
  }
}

extension Decision.Kind {
  /// Whether a backend's record may be the trace of this decision; many backends tell no more than that one was made.
  func fits(_ outcome: TaskItem.Outcome?) -> Bool {
    outcome == nil || outcome == .completed || outcome == self.outcome
  }
}

extension TaskItem {
  /// Who decided, for the audit log.
  var decider: JSONValue? { decidedBy.map { ["decidedBy": JSONValue($0)] } }
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
