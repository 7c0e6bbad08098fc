internal import EventLoop
internal import RingiKit

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
    guard failed > 0, !queue.isRemoved else { return problems.resolve(matter(queue, "failed")) }
    let forgotten = dropped > 0 ? "; \(dropped) older ones are no longer kept" : ""
    problems.report(
      matter(queue, "failed"),
      "The hook \(queue.hook.name) failed with \(failed) events\(forgotten): hooks.deliveries says why, hooks.retry tries again."
    )
  }

  func reportLost(_ range: ClosedRange<Int64>, _ queue: HookQueue) {
    let message =
      "\(queue.lost) events, the last of them number \(range.upperBound), left the log before the hook got to them"
    // A line for each event that follows would only bury the first.
    if queue.lost == range.count { write(.warning, queue, message) }
    problems.report(
      matter(queue, "lost"),
      "The hook \(queue.hook.name) is too slow: \(message); let it do less or raise its concurrency.")
  }
}
