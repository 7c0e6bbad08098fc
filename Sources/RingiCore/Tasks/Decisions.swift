package import EventLoop
package import JSON
internal import JSONRPC
package import RingiKit
package import RingiModel
internal import Timing

/// Carries decisions to the backends: each task is decided once, whatever is lost on the way.
@Loop
package final class Decisions {
  /// What a client asks for.
  package struct Request: Sendable {
    package var task: String
    package var decision: Decision
    package var seen: String?
    /// The key, and the listener whose clients share it.
    package var idempotencyKey: String?
    package var listener = ""
    package var isDryRun = false
    package var actor = Actor()
    package var causes: [String] = []

    package init(task: String, decision: Decision) {
      self.task = task
      self.decision = decision
    }
  }

  /// A decided task, and the event that said so; `nil` when it had been decided before.
  fileprivate struct Done: Sendable {
    let task: TaskItem
    let event: Event?
    var isRepeated = false
  }

  private let inbox: Inbox
  /// The last of what was begun on each task; what comes next waits for it.
  private var running: [TaskItem.ID: Task<Done, any Error>] = [:]

  package init(inbox: Inbox) {
    self.inbox = inbox
    inbox.onPoll = { [unowned self] in resume($0) }
  }

  private var now: Timestamp { inbox.clock.now }

  /// Waits for what is on its way to a backend.
  package func settle() async {
    for task in running.values { _ = await task.result }
  }

  /// Finds a task by what a client wrote.
  func find(_ selector: String) throws(RPCError) -> TaskItem {
    try TaskSelector.find(selector, among: inbox.entries.lazy.map(\.task), busy: Set(running.keys))
  }

  // MARK: Deciding

  /// Decides a task.
  ///
  /// - Parameter request: What to do.
  /// - Returns: `{task, event}`, with `already` when the same had been decided before; for a dry run what would be
  ///   sent.
  /// - Throws: `RPCError`.
  package func decide(_ request: Request) async throws -> JSONValue {
    if request.isDryRun {
      let task = try find(request.task)
      let (_, source) = try inbox.live(task.id)
      return [
        "task": await inbox.whole(task).json(), "dryRun": true,
        "request": try source.preview(request.decision, on: task),
      ]
    }
    let id = try find(request.task).id
    return try await work(on: id) { [self] in
      do {
        let done = try await carryOut(id, request)
        if done.isRepeated { audit(request, id, "already") }
        return done
      } catch {
        audit(request, id, rpcError(error))
        throw error
      }
    }.json
  }

  /// Does one thing to a task at a time, each to its end: a client who leaves takes nothing back half done.
  ///
  /// - Parameters:
  ///   - id: The task.
  ///   - body: Looks at the task anew, since what came before may have changed it.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  private func work(
    on id: TaskItem.ID, _ body: @escaping @Loop @Sendable () async throws -> Done
  ) async throws -> Done {
    // Of several who wait here one goes on, and the others wait for that one.
    while let other = running[id] { _ = await other.result }
    let work = Loop.task { [self] in
      // Here, and not where the result is awaited: somebody else may come to wait for it first, and for ever.
      defer { running[id] = nil }
      return try await body()
    }
    running[id] = work
    return try await work.value
  }

  private func carryOut(_ id: TaskItem.ID, _ request: Request) async throws -> Done {
    let (entry, source) = try inbox.live(id)
    try check(entry.table.pending[id], of: id)
    if let known = entry.table.entries[id]?.task, !known.status.isOpen {
      return try await repeated(known, request.decision)
    }
    let task = try await current(id, entry, source, request)
    guard task.status.isOpen else { return try await repeated(task, request.decision) }
    return try await act(request, on: task, entry, source)
  }

  /// Writes the decision down, and then sends it.
  ///
  /// What polls see of the task meanwhile is left to the answer, so that it is told once and as ours.
  private func act(
    _ request: Request, on task: TaskItem, _ entry: InboxSource, _ source: any TaskSource
  ) async throws -> Done {
    var pending = request.pending(on: task, at: now)
    pending.uptime = inbox.clock.uptime
    entry.table.setHeld(task.id, true)
    defer { entry.table.setHeld(task.id, false) }
    entry.table.setPending(task.id, pending)
    do {
      try await inbox.record(entry, with: request.binding(to: task.id))
    } catch {
      entry.table.setPending(task.id, nil)
      throw error
    }
    do {
      return await record(try await source.decide(request.decision, on: task), request, in: entry)
    } catch let error as AlreadyDecided {
      return try await recordElsewhere(error.task, request, in: entry)
    } catch let error as RPCError where !error.mayHaveHappened {
      // Nothing happened.
      entry.table.setPending(task.id, nil)
      await inbox.keep([], entry)
      throw error
    } catch {
      // A source that was cut short has not said that nothing happened.
      let unclear = (error as? UnclearOutcome) ?? UnclearOutcome(cause: rpcError(error))
      return try await readBack(task, unclear, request, entry, source)
    }
  }

  /// A task whose last decision has an unknown outcome takes no second one.
  private func check(_ pending: TaskTable.Pending?, of id: TaskItem.ID) throws(RPCError) {
    guard let pending else { return }
    throw .outcomeUnknown(
      "The task was sent the decision to \(pending.decision.kind.rawValue) at \(pending.since.rfc3339) and the backend has not shown yet whether it took it; wait for the next poll, or run tasks.refresh.",
      details: ["task": JSONValue(id.description), "since": JSONValue(pending.since.rfc3339)])
  }

  /// The task as the backend has it now, compared with what the person saw.
  private func current(
    _ id: TaskItem.ID, _ entry: InboxSource, _ source: any TaskSource, _ request: Request
  ) async throws -> TaskItem {
    let known = entry.table.entries[id]
    let version = entry.table.version
    guard let task = try await source.task(id) else {
      await takeIn([], lost: [id], entry, since: version)
      throw RPCError.notFound("The task \(id) is gone from the backend.", details: ["task": JSONValue(id.description)])
    }
    if let seen = request.seen.map(SeenRevision.init), task.status.isOpen, let known {
      let context = seen.context == nil ? nil : try await source.context(of: id)
      let old = try await inbox.form(of: known.task, revision: seen.task)
      if task.revision != known.task.revision { await takeIn([task], lost: [], entry, since: version) }
      try seen.check(task, context: context, old: old, oldContext: seen.context.flatMap(inbox.shownContext))
    } else {
      await takeIn([task], lost: [], entry, since: version)
    }
    return task
  }

  private func takeIn(_ tasks: [TaskItem], lost: [TaskItem.ID], _ entry: InboxSource, since version: Int? = nil) async {
    await inbox.takeIn(tasks, lost: lost, entry, since: version ?? entry.table.version)
  }

  /// The answer to a decision about a task that was decided before.
  private func repeated(_ known: TaskItem, _ decision: Decision) async throws -> Done {
    let task = await inbox.whole(known)
    if task.status == .gone {
      throw RPCError.notFound(
        "The task \(task.id) is gone from the backend without a decision.",
        details: ["task": JSONValue(task.id.description)])
    }
    guard task.outcome == decision.kind.outcome || (task.outcome == nil && decision.kind == .complete) else {
      throw RPCError.conflict(
        "The task \(task.id) was already decided (\(task.outcome?.rawValue ?? "outcome not told")\(task.decidedBy.map { " by \($0)" } ?? "")); nothing was sent.",
        details: ["task": task.json(), "outcome": task.outcome.map { JSONValue($0.rawValue) } ?? .null])
    }
    return Done(task: task, event: nil, isRepeated: true)
  }

  // MARK: Recording

  private func record(_ task: TaskItem, _ request: Request, in entry: InboxSource) async -> Done {
    var task = task
    task.status = .done
    task.outcome = request.decision.kind.outcome
    task.actions = []
    entry.table.set(task, "\(request.decision.kind.outcome.rawValue) through the agent", now)
    entry.table.setPending(task.id, nil)
    let done = EventDraft.approvalDone(
      task, by: task.decidedBy, via: "agent", comment: request.decision.comment, causes: request.causes)
    let audit = request.pending(on: task, at: now)
      .entry(task.id, request.decision.kind.outcome.rawValue, at: now, backend: task.decider)
    let events = await inbox.keep([done], entry, with: [inbox.bus.audit(audit)])
    return Done(task: task, event: events?.first)
  }

  private func audit(_ request: Request, _ task: TaskItem.ID, _ outcome: String, backend: JSONValue? = nil) {
    inbox.bus.store.note(
      inbox.bus.audit(request.pending(on: nil, at: now).entry(task, outcome, at: now, backend: backend)))
  }

  private func audit(_ request: Request, _ task: TaskItem.ID, _ error: RPCError) {
    // What was refused because nothing can be recorded is not recorded either.
    if error.isOfStore { return }
    // What waits for an earlier decision was not sent itself.
    let outcome = error.details["since"] == nil ? error.outcome : "pending"
    audit(request, task, outcome, backend: error.backend)
  }

  private func recordElsewhere(_ task: TaskItem, _ request: Request, in entry: InboxSource) async throws -> Done {
    entry.table.setPending(task.id, nil)
    entry.table.setHeld(task.id, false)
    await takeIn([task], lost: [], entry)
    return try await repeated(task, request.decision)
  }

  /// Looks several times what became of a write whose answer was lost; meanwhile and afterwards nothing is sent again.
  private func readBack(
    _ task: TaskItem, _ error: UnclearOutcome, _ request: Request, _ entry: InboxSource, _ source: any TaskSource
  ) async throws -> Done {
    let seen = try await ReadBack.settle(clock: inbox.clock) { () -> TaskItem? in
      let now = try await source.task(task.id)
      return now.map { $0.status.isOpen ? nil : $0 } ?? nil
    }
    if let seen, seen.status == .done {
      guard request.decision.kind.fits(seen.outcome) else {
        return try await recordElsewhere(seen, request, in: entry)
      }
      return await record(seen, request, in: entry)
    }
    if seen != nil {
      entry.table.setPending(task.id, nil)
      entry.table.setHeld(task.id, false)
      await takeIn([], lost: [task.id], entry)
    } else if var pending = entry.table.pending[task.id] {
      // From now on it is for the client to decide again, once a poll has shown that nothing happened.
      pending.isAnswered = true
      entry.table.setPending(task.id, pending)
      await inbox.keep([], entry)
    }
    throw RPCError.outcomeUnknown(
      "The decision was sent, its answer was lost (\(error.cause.message)) and the task does not show it yet: it may have happened. The next polls settle it; until then the task takes no second decision.",
      details: ["task": JSONValue(task.id.description), "cause": error.cause.json])
  }

  // MARK: Resuming

  /// Takes up the decisions that were written down, and of whose end nobody heard: the agent was killed in between.
  ///
  /// - Parameter instance: An instance whose backend can be asked again.
  private func resume(_ instance: String) {
    guard let (entry, _) = try? inbox.live(instance: instance) else { return }
    for (id, pending) in entry.table.pending where !pending.isAnswered && running[id] == nil {
      Loop.task { [self] in
        do {
          _ = try await work(on: id) { [self] in try await settle(id) }
        } catch {
          audit(Request(pending, on: id), id, rpcError(error))
          inbox.log.write(.warning, instance, "what became of a decision on \(id) is still open: \(error)")
        }
      }
    }
  }

  /// Finds out what became of a decision; when it was not carried out, it is now, unless the task is another one.
  private func settle(_ id: TaskItem.ID) async throws -> Done {
    let (entry, source) = try inbox.live(id)
    guard let known = entry.table.entries[id]?.task else { throw RPCError.notFound("The task \(id) is not known.") }
    guard let pending = entry.table.pending[id], !pending.isAnswered else { return Done(task: known, event: nil) }
    let request = Request(pending, on: id)
    let began = inbox.clock.uptime
    let found = try await source.task(id)
    // A poll may have settled it meanwhile.
    guard entry.table.pending[id] == pending else { return Done(task: known, event: nil) }
    guard let task = found else {
      await takeIn([], lost: [id], entry)
      return Done(task: known, event: nil)
    }
    guard task.status.isOpen else {
      guard task.status == .done, pending.decision.kind.fits(task.outcome) else {
        audit(request, id, "conflict")
        return try await recordElsewhere(task, request, in: entry)
      }
      return await record(task, request, in: entry)
    }
    // A write that is still under way would be doubled.
    guard pending.age(at: began) >= entry.settles else { return Done(task: task, event: nil) }
    let kind = pending.decision.kind.rawValue
    guard task.revision == pending.revision else {
      entry.table.setPending(id, nil, TaskTable.Step(time: now, what: "\(kind) dropped, the task had changed"))
      audit(request, id, "dropped")
      inbox.log.write(
        .warning, id.provider,
        "the decision to \(kind) \(id) did not reach the backend, and the task has changed since: decide again")
      await inbox.keep([], entry)
      return Done(task: task, event: nil)
    }
    inbox.log.write(.info, id.provider, "the decision to \(kind) \(id) did not reach the backend; it is sent again")
    return try await act(request, on: task, entry, source)
  }

  // MARK: Claiming

  package enum Reservation: String, Sendable { case claim, release }

  /// Claims or releases a task.
  ///
  /// - Parameters:
  ///   - reservation: Which of the two.
  ///   - selector: What the client wrote.
  ///   - call: Who asks for it.
  /// - Returns: `{task}`.
  /// - Throws: `RPCError`.
  package func reserve(_ reservation: Reservation, _ selector: String, by call: Call) async throws -> JSONValue {
    let id = try find(call.boundTask ?? selector).id
    let done = try await work(on: id) { [self] in
      do {
        return try await reserve(reservation, id, call)
      } catch {
        let error = rpcError(error)
        if !error.isOfStore {
          inbox.bus.store.note(inbox.bus.audit(entry(reservation, id, call, error.outcome, backend: error.backend)))
        }
        throw error
      }
    }
    return ["task": await inbox.whole(done.task).json()]
  }

  private func reserve(_ reservation: Reservation, _ id: TaskItem.ID, _ call: Call) async throws -> Done {
    let (entry, source) = try inbox.live(id)
    try check(entry.table.pending[id], of: id)
    guard let task = entry.table.entries[id]?.task, task.status.isOpen else {
      throw RPCError.conflict("The task \(id) is no longer open; nothing was sent.")
    }
    let binding = call.idempotencyKey.map { Change.bind(KeyRows.Name(listener: call.listener, key: $0), to: id) }
    if let binding {
      _ = try await inbox.bus.store.record([binding])
    } else {
      try await inbox.bus.store.ensureWritable()
    }
    do {
      let reserved = try await reservation == .claim ? source.claim(task) : source.release(task)
      let outcome = reservation == .claim ? "claimed" : "released"
      await inbox.takeIn(
        [reserved], lost: [], entry, since: entry.table.version,
        with: [inbox.bus.audit(self.entry(reservation, id, call, outcome))])
      return Done(task: reserved, event: nil)
    } catch let error as AlreadyDecided {
      await takeIn([error.task], lost: [], entry)
      throw RPCError.conflict(
        "The task \(id) was already decided; nothing was sent.", details: ["task": error.task.json()])
    }
  }

  private func entry(
    _ reservation: Reservation, _ task: TaskItem.ID, _ call: Call, _ outcome: String, backend: JSONValue? = nil
  ) -> AuditEntry {
    var entry = AuditEntry(reservation.rawValue, by: call.actor, outcome: outcome, at: now)
    (entry.task, entry.idempotencyKey, entry.backend) = (task, call.idempotencyKey, backend)
    return entry
  }
}

extension RPCError {
  /// Whether it says that something could not be recorded; then this can't be either.
  fileprivate var isOfStore: Bool { details["reason"]?.string?.hasPrefix("store-") == true }
}

extension Decisions.Done {
  fileprivate var json: JSONValue {
    var members: [(String, JSONValue)] = [("task", task.json()), ("event", event?.json ?? .null)]
    if isRepeated { members.append(("already", true)) }
    return JSONValue(object: members)
  }
}

extension Decisions.Request {
  /// What ties its key to the task that it was found to be about.
  fileprivate func binding(to task: TaskItem.ID) -> [Change] {
    idempotencyKey.map { [.bind(KeyRows.Name(listener: listener, key: $0), to: task)] } ?? []
  }

  /// What was asked for before the agent was killed.
  fileprivate init(_ pending: TaskTable.Pending, on task: TaskItem.ID) {
    self.init(task: task.description, decision: pending.decision)
    (actor, idempotencyKey, causes) = (pending.actor, pending.idempotencyKey, pending.causes)
  }

  /// What is written down of it.
  fileprivate func pending(on task: TaskItem?, at now: Timestamp) -> TaskTable.Pending {
    var pending = TaskTable.Pending(decision: decision, since: now, revision: task?.revision ?? "")
    (pending.actor, pending.idempotencyKey, pending.causes) = (actor, idempotencyKey, causes)
    return pending
  }
}
