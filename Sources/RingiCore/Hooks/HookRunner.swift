package import EventLoop
internal import JSON
internal import RingiKit
internal import RingiModel
package import Timing

/// Runs hooks on events: each at least once, in the order of their sequences, at each hook's own pace.
///
/// A hook is a cursor into the log. An attempt that fails is followed by others after growing waits, and so long the hook
/// begins no later event (unless it may have several under way). What a hook does can't hold up another one but by the
/// bound on programs, whose places go round.
@Loop
package final class HookRunner {
  /// The waits between attempts: up to 2, 4, 8, 16, 32 s.
  package static let backoff = Backoff(base: .seconds(2), cap: .seconds(5 * 60))
  /// How many events a hook looks at before others have a turn.
  private static let budget = 512
  /// How many events are read from the store at a time.
  private static let pageSize = 64
  /// The wait before another look at a store that can't be read.
  private static let rereading: Duration = .seconds(5)

  let bus: EventBus
  let clock: any LoopClock
  let attempt: HookAttempt
  let log: Log
  let problems: Problems
  private let backoff: Backoff
  private var random: any RandomNumberGenerator
  /// Of events that are only tests.
  var ids = ULIDGenerator()
  private(set) var queues: [HookQueue] = []
  /// What is remembered of hooks that are not in force, or not yet.
  private var former: [String: HookRecord] = [:]
  private var tasks: [ObjectIdentifier: (delivery: Delivery, task: Task<Void, any Error>)] = [:]
  private var isStopping = false
  private var lastAlarm: Alarm?

  /// Makes a runner without hooks, and makes it hear of events.
  ///
  /// - Parameters:
  ///   - bus: Where events come from.
  ///   - registry: Where a hook's `call` goes.
  ///   - clock: Measures time-outs and waits.
  ///   - log: Where failures are told.
  ///   - problems: Where it says what somebody should look at.
  ///   - redactor: Takes out secrets.
  ///   - environment: The agent's own environment, of which programs get a part.
  ///   - backoff: The waits between attempts.
  ///   - random: Where their jitter comes from.
  package init(
    bus: EventBus, registry: Registry, clock: any LoopClock, log: Log, problems: Problems, redactor: Redactor,
    environment: [String: String], backoff: Backoff = HookRunner.backoff,
    random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  ) {
    self.bus = bus
    self.clock = clock
    self.log = log
    self.problems = problems
    self.backoff = backoff
    self.random = random
    attempt = HookAttempt(registry: registry, clock: clock, redactor: redactor, environment: environment)
    bus.add(self)
    bus.log.onTrim = { [unowned self] in lookAfter() }
  }

  // MARK: Hooks

  /// Puts other hooks in force.
  ///
  /// A hook that was there before, by its name, keeps its place in the log and what is under way. A new one begins with
  /// the next event: at the agent's start call this before anything publishes. What a removed hook has running may end;
  /// everything else of it is forgotten, so that it is new should it come back.
  ///
  /// - Parameter hooks: All hooks; no two have one name.
  /// - Returns: The names of the hooks that are new, changed or gone.
  @discardableResult
  package func replace(hooks: [Hook]) -> [String] {
    var changed: [String] = []
    let old = Dictionary(queues.map { ($0.hook.name, $0) }) { first, _ in first }
    queues = hooks.map { hook in
      guard let queue = old[hook.name] else {
        changed.append(hook.name)
        return makeQueue(hook)
      }
      if queue.hook != hook {
        changed.append(hook.name)
        problems.resolve(matter(queue, "loop"))
        problems.resolve(matter(queue, "lost"))
        queue.warnings.subtract([.lost, .backlog])
      }
      if queue.hook.filter != hook.filter { queue.dropPage() }
      queue.hook = hook
      return queue
    }
    let names = Set(hooks.map(\.name))
    for queue in old.values where !names.contains(queue.hook.name) {
      changed.append(queue.hook.name)
      remove(queue)
    }
    for queue in queues { pump(queue) }
    return changed.sorted()
  }

  private func makeQueue(_ hook: Hook) -> HookQueue {
    guard let record = former.removeValue(forKey: hook.name) else {
      let queue = HookQueue(hook, cursor: bus.log.lastSequence)
      // Should nothing come until a kill -9, this is where it begins after that.
      note(HookRows.put(queue.takePlace()))
      return queue
    }
    let queue = HookQueue(hook, record, last: bus.log.lastSequence)
    reportFailed(queue)
    return queue
  }

  /// Takes over what is remembered of hooks; those that are there already go on with it.
  ///
  /// - Parameter records: What a former life of the agent left; the log is restored already.
  package func restore(_ records: [HookRecord]) {
    former = Dictionary(records.map { ($0.place.name, $0) }) { first, _ in first }
    let hooks = queues.map(\.hook)
    // Without a store nothing was published, so there was nothing to do either.
    queues = []
    replace(hooks: hooks)
  }

  /// Forgets hooks that are not there any more.
  ///
  /// - Parameter mayReturn: Whether a hook's file is there and only can't be used now.
  package func forget(unless mayReturn: (String) -> Bool) {
    for name in former.keys where !mayReturn(name) {
      former[name] = nil
      note(HookRows.delete(name))
    }
  }

  private func remove(_ queue: HookQueue) {
    note(HookRows.delete(queue.hook.name))
    queue.isRemoved = true
    queue.reading?.cancel()
    problems.resolveAll(prefix: matter(queue, ""))
    for delivery in queue.active.values where delivery.state == .pending {
      tasks[ObjectIdentifier(delivery)]?.task.cancel()
    }
  }

  /// Ends: what was begun may end by itself for a while, then it is ended.
  ///
  /// Cancelling the task that waits ends that while at once.
  ///
  /// - Parameter limit: How long it may take by itself; a program has five seconds more to heed SIGTERM.
  package func stop(within limit: Duration) async {
    isStopping = true
    bus.remove(self)
    for queue in queues { queue.reading?.cancel() }
    for (delivery, task) in tasks.values where delivery.isBetweenAttempts { task.cancel() }
    let end = Gate()
    let running = tasks.values.map(\.task)
    Loop.task {
      for task in running { _ = await task.result }
      end.open()
    }
    let alarm = clock.alarm(after: limit) { self.cutShort(end) }
    let wait = Loop.task { try await end.wait() }
    await withTaskCancellationHandler {
      _ = await wait.result
    } onCancel: {
      Loop.run { self.cutShort(end) }
    }
    alarm.cancel()
    lastAlarm?.cancel()
    for queue in queues where queue.hasMoved { note(HookRows.put(queue.takePlace())) }
  }

  private func cutShort(_ end: Gate) {
    for (_, task) in tasks.values { task.cancel() }
    // A program that even SIGKILL doesn't reach hangs in the kernel, and waiting doesn't help it.
    lastAlarm = lastAlarm ?? clock.alarm(after: HookAttempt.grace + .seconds(1)) { end.open() }
  }

  // MARK: Deliveries

  /// Begins what there is room for.
  func pump(_ queue: HookQueue) {
    guard !isStopping else { return }
    if let range = queue.skipLost(in: bus.log) { reportLost(range, queue) }
    defer { warnOfBacklog(queue) }
    var budget = Self.budget
    while true {
      switch queue.next(in: bus.log, budget: &budget) {
      case .delivery(let delivery): start(delivery, queue)
      case .later: return _ = Loop.task { self.pump(queue) }
      case .read: return read(queue)
      case .nothing: return
      }
    }
  }

  /// Reads what memory doesn't hold any more, and goes on.
  private func read(_ queue: HookQueue) {
    let (cursor, filter) = (queue.cursor, queue.hook.filter)
    queue.reading = Loop.task { [self] in
      do {
        let page = try await bus.log.records(after: cursor, matching: filter, limit: Self.pageSize)
        if queue.hook.filter == filter { queue.take(page.records, through: page.through) }
        problems.resolve(matter(queue, "read"))
      } catch {
        problems.report(matter(queue, "read"), "The hook \(queue.hook.name) waits: \(rpcError(error).message)")
        try await clock.sleep(for: Self.rereading)
      }
      queue.reading = nil
      pump(queue)
    }
  }

  private func start(_ delivery: Delivery, _ queue: HookQueue) {
    let task = Loop.task { await self.deliver(delivery, queue) }
    tasks[ObjectIdentifier(delivery)] = (delivery, task)
  }

  private func deliver(_ delivery: Delivery, _ queue: HookQueue) async {
    do {
      try await attemptAll(delivery, queue)
      queue.finish(delivery)
      recordEnd(of: delivery, queue)
      report(delivery, queue)
    } catch {
      // Cancelled: the agent ends, or the hook is gone. The event stays unsettled.
      delivery.interrupt()
    }
    tasks[ObjectIdentifier(delivery)] = nil
    pump(queue)
  }

  /// Tries until the delivery is settled.
  ///
  /// - Throws: `CancellationError`; it is not settled then.
  private func attemptAll(_ delivery: Delivery, _ queue: HookQueue) async throws {
    while let record = delivery.record {
      try Task.checkCancellation()
      let outcome = try await attempt.run(queue.hook, record.event) { delivery.begin(at: clock.now) }
      delivery.end(outcome)
      report(outcome, delivery, queue)
      guard outcome.error != nil else { return delivery.settle(.delivered, at: clock.now) }
      if outcome.isFinal || delivery.attempts > queue.hook.retries {
        return delivery.settle(.failed, at: clock.now)
      }
      recordFailure(of: delivery, queue)
      if queue.isRemoved || isStopping { throw CancellationError() }
      let wait = backoff.delay(attempt: delivery.attempts, using: &random)
      try await clock.sleep(for: wait)
    }
  }
}

// MARK: - Recording

extension HookRunner {
  /// Nothing waits for it: should it not be recorded before a kill -9, the event is delivered once more.
  private func note(_ change: Change) {
    // Before that, what is in memory is provisional.
    if bus.store.isLoaded { bus.store.note(change) }
  }

  private func recordFailure(of delivery: Delivery, _ queue: HookQueue) {
    guard !queue.isRemoved, let record = delivery.store() else { return }
    note(HookRows.put(record, queue.takePlace()))
  }

  /// One row for a delivery that arrived at the first attempt: the hook's.
  private func recordEnd(of delivery: Delivery, _ queue: HookQueue) {
    guard !queue.isRemoved else { return }
    if delivery.state == .failed {
      recordFailure(of: delivery, queue)
      return recordDropped(queue)
    }
    let place = queue.takePlace()
    let isPlain = !delivery.isStored && delivery.sequence <= place.place
    note(isPlain ? HookRows.put(place) : HookRows.settle(delivery.sequence, place))
  }

  private func recordDropped(_ queue: HookQueue) {
    let dropped = queue.history.takeDropped()
    if !dropped.isEmpty { note(HookRows.drop(dropped, of: queue.hook.name)) }
  }

  /// Once a minute: what is too old goes, and the place of a hook that passed over everything is recorded.
  private func lookAfter() {
    for queue in queues {
      queue.history.dropOld(at: clock.now)
      recordDropped(queue)
      if queue.hasMoved { note(HookRows.put(queue.takePlace())) }
      reportFailed(queue)
    }
    Loop.task { await self.lookAtAges() }
  }

  private func lookAtAges() async {
    for queue in queues {
      let cursor = queue.cursor
      var time: Timestamp?
      if cursor < bus.log.lastSequence {
        // A store that can't be read says so by itself.
        time = try? await bus.store.read { try EventRows.time(after: cursor, $0) }
      }
      queue.isNextOld = time.map { $0 + bus.store.retention.age / 5 * 4 <= clock.now } ?? false
      warnOfBacklog(queue)
    }
  }
}

extension HookRunner: EventBus.Listener {
  package func received(_ records: [EventRecord]) {
    for queue in queues { pump(queue) }
  }
}
