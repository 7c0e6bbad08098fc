internal import EventLoop
internal import RingiKit
internal import Timing

/// What it tells the agent's owner.
extension HookRunner {
  func matter(_ queue: HookQueue, _ what: String) -> String { "hook/\(queue.hook.name)/\(what)" }

  private func write(_ level: Log.Level, _ queue: HookQueue, _ message: String) {
    log.write(level, "hook \(queue.hook.name)", message)
  }

  /// Of one attempt.
  func report(_ outcome: HookOutcome, _ delivery: Delivery, _ queue: HookQueue) {
    if let error = outcome.error {
      queue.note(error)
      write(.info, queue, "attempt \(delivery.attempts) with event \(delivery.sequence) failed: \(error)")
    } else if !outcome.output.isEmpty {
      write(.debug, queue, "event \(delivery.sequence): \(outcome.output)")
    }
    guard outcome.isCut else { return }
    problems.report(
      matter(queue, "loop"),
      "The hook \(queue.hook.name) goes on with a chain of events that cause each other; it was cut after \(EventBus.maxCauses + 1) of them, at \(delivery.eventType): narrow its `on` or `where`."
    )
  }

  /// Of a delivery that is settled.
  func report(_ delivery: Delivery, _ queue: HookQueue) {
    if delivery.state == .failed {
      write(
        .warning, queue,
        "event \(delivery.sequence) was given up after \(delivery.attempts) attempts; hooks.retry tries again")
    }
    reportFailed(queue)
  }

  /// Says how many failed deliveries a hook has, or that there are none any more.
  func reportFailed(_ queue: HookQueue) {
    let (failed, dropped) = (queue.history.failed.count, queue.history.dropped)
    warnOfFailed(queue)
    guard failed > 0, !queue.isRemoved else { return problems.resolve(matter(queue, "failed")) }
    let forgotten = dropped > 0 ? "; \(dropped) older ones are no longer kept" : ""
    problems.report(
      matter(queue, "failed"),
      "The hook \(queue.hook.name) failed with \(failed) events\(forgotten): hooks.deliveries says why, hooks.retry tries again, hooks.discard lets go of them."
    )
  }

  /// Says that failed deliveries are about to be dropped, before any is.
  private func warnOfFailed(_ queue: HookQueue) {
    guard !queue.isRemoved, let bound = queue.history.nearBound(at: clock.now),
      let oldest = queue.history.failed.min(by: { $0.sequence < $1.sequence })
    else { return withdraw(.failed, "bound", queue) }
    warn(
      .failed, "bound", queue,
      "it keeps \(bound) of failed deliveries; beyond that the oldest are dropped, \(oldest.id) first: hooks.retry delivers them, hooks.discard lets go of them"
    )
  }

  /// Says that events are about to leave the log before the hook has looked at them.
  func warnOfBacklog(_ queue: HookQueue) {
    let (waiting, most) = (bus.log.lastSequence - queue.cursor, bus.store.retention.events)
    // Once events are lost, that is what is told.
    guard !queue.warnings.contains(.lost) else { return }
    guard waiting > 0, queue.isNextOld || waiting >= most - most / 5, !queue.isRemoved else {
      return withdraw(.backlog, "lost", queue)
    }
    warn(
      .backlog, "lost", queue,
      "\(waiting) events wait for it, and the log keeps \(most) of at most \(DurationText.format(bus.store.retention.age)): those from number \(queue.cursor + 1) on are about to be lost to it; see to it that it gets on, let it do less or raise its concurrency, or raise retention in ringi.json"
    )
  }

  private func warn(_ warning: HookQueue.Warning, _ what: String, _ queue: HookQueue, _ message: String) {
    if queue.warnings.insert(warning).inserted { write(.warning, queue, message) }
    problems.report(matter(queue, what), "The hook \(queue.hook.name): \(message).")
  }

  private func withdraw(_ warning: HookQueue.Warning, _ what: String, _ queue: HookQueue) {
    if queue.warnings.remove(warning) != nil { problems.resolve(matter(queue, what)) }
  }

  func reportLost(_ range: ClosedRange<Int64>, _ queue: HookQueue) {
    let message =
      "\(queue.lost) events, the last of them number \(range.upperBound), left the log before the hook got to them"
    // A line for each event that follows would only bury the first.
    if queue.warnings.insert(.lost).inserted { write(.warning, queue, message) }
    problems.report(
      matter(queue, "lost"),
      "The hook \(queue.hook.name) is too slow: \(message); let it do less or raise its concurrency.")
  }
}
