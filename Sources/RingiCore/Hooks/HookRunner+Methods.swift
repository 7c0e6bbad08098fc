internal import EventLoop
package import JSON
package import JSONRPC
internal import RingiModel
internal import Timing

/// What `hooks.*` answers.
extension HookRunner {
  /// All hooks, in the order of their files.
  package var list: JSONValue { JSONValue(array: queues.map { row($0) }) }

  private func row(_ queue: HookQueue) -> JSONValue {
    let hook = queue.hook
    let active = queue.active.values
    let state =
      active.contains { $0.state == .running }
      ? "running" : active.contains(where: \.isBetweenAttempts) ? "retrying" : active.isEmpty ? "idle" : "waiting"
    return [
      "name": JSONValue(hook.name), "on": JSONValue(array: hook.types.map { JSONValue($0) }),
      "where": hook.conditions ?? .emptyObject, "action": JSONValue(hook.action.kind.rawValue),
      "state": JSONValue(state), "lastSequence": JSONValue(queue.settled),
      "backlog": JSONValue(bus.log.lastSequence - queue.cursor + Int64(queue.unsettled)),
      "delivered": JSONValue(queue.delivered),
      "failed": JSONValue(queue.history.failed.count), "lost": JSONValue(queue.lost),
      "lastError": queue.lastError.map { JSONValue($0) } ?? .null,
    ]
  }

  /// Runs a hook once, now, whatever else it does.
  ///
  /// - Parameters:
  ///   - name: The hook.
  ///   - event: The type, subject and data of the event; what is missing is made up.
  /// - Returns: The event and what came of it.
  /// - Throws: `RPCError` (not-found); `CancellationError`. A hook that fails is an answer.
  package func test(_ name: String, event: JSONValue?) async throws -> JSONValue {
    let queue = try queue(name)
    let sample = sample(for: queue.hook, from: event)
    var begin = clock.uptime
    let outcome = try await attempt.run(queue.hook, sample) { begin = clock.uptime }
    let duration = Duration.nanoseconds(clock.uptime - begin)
    let (code, signal) = Delivery.json(outcome.exit)
    return [
      "event": sample.json, "delivered": JSONValue(outcome.error == nil), "exitStatus": code, "signal": signal,
      "duration": JSONValue(DurationText.format(duration)), "output": JSONValue(outcome.output),
      "result": outcome.result ?? .null, "error": outcome.error.map { JSONValue($0) } ?? .null,
    ]
  }

  /// Marked as a test in its id and its data.
  private func sample(for hook: Hook, from given: JSONValue?) -> Event {
    let type = given?["type"]?.string ?? hook.types.first { !$0.contains("*") } ?? EventType.taskReady.rawValue
    let task = TaskItem(
      id: TaskItem.ID(provider: "sample", key: "300280"), title: "Approve order 300280 (a test)",
      requester: "ringi", createdAt: clock.now)
    let data = given?["data"] ?? ["task": task.json()]
    return Event(
      id: "test-\(ids.next(at: clock.now))", source: "ringi://test", type: EventType(type), time: clock.now,
      subject: given?["subject"]?.string ?? data["task"]?["id"]?.string, sequence: 0,
      data: data.object == nil ? data : data.setting("test", to: true))
  }

  /// Deliveries under way, failed, and lately arrived: of each hook the newest event first.
  ///
  /// - Parameters:
  ///   - name: One hook; `nil` for all.
  ///   - state: One state; `nil` for all.
  ///   - limit: The most to answer with.
  /// - Returns: An array.
  /// - Throws: `RPCError` (not-found).
  package func deliveries(_ name: String?, state: Delivery.State?, limit: Int) throws(RPCError) -> JSONValue {
    let wanted = try name.map { (name) throws(RPCError) in [try queue(name)] } ?? queues
    let found = wanted.lazy.flatMap(\.deliveries).filter { state == nil || $0.state == state }
    return JSONValue(array: found.prefix(limit).map(\.json))
  }

  /// Tries failed deliveries again, before anything newer.
  ///
  /// - Parameters:
  ///   - name: Of one hook; `nil` for all.
  ///   - delivery: One delivery's id, or its event's sequence; `nil` for all.
  /// - Returns: How many there were.
  /// - Throws: `RPCError` (not-found) when there is no such hook or no such failed delivery; `RPCError` (unavailable)
  ///   when it can't be recorded, and nothing is done then.
  package func retry(_ name: String?, delivery: String?) async throws -> Int {
    try await change(name, delivery, HookRows.retry) { queue, isWanted in queue.retry(isWanted) }
  }

  /// Lets go of failed deliveries for good.
  ///
  /// - Parameters:
  ///   - name: Of one hook; `nil` for all.
  ///   - delivery: One delivery's id, or its event's sequence; `nil` for all.
  /// - Returns: How many there were.
  /// - Throws: `RPCError` (not-found) when there is no such hook or no such failed delivery; `RPCError` (unavailable)
  ///   when it can't be recorded, and nothing is done then.
  package func discard(_ name: String?, delivery: String?) async throws -> Int {
    try await change(name, delivery, HookRows.drop) { queue, isWanted in queue.history.takeFailed(isWanted).count }
  }

  /// Records what is to become of failed deliveries, and then does it.
  private func change(
    _ name: String?, _ delivery: String?, _ change: ([Int64], String) -> Change,
    _ apply: (HookQueue, (Delivery) -> Bool) -> Int
  ) async throws -> Int {
    let chosen = try (name.map { [try queue($0)] } ?? queues).map { queue in
      let isWanted = { (failed: Delivery) in
        delivery == nil || failed.id == delivery || String(failed.sequence) == delivery
      }
      return (queue: queue, sequences: Set(queue.history.failed.filter(isWanted).map(\.sequence)))
    }.filter { !$0.sequences.isEmpty }
    guard !chosen.isEmpty || delivery == nil else {
      throw RPCError.notFound(
        "There is no failed delivery \"\((delivery ?? "").prefix(100))\"; hooks.deliveries lists them.")
    }
    guard !chosen.isEmpty else { return 0 }
    _ = try await bus.store.record(chosen.map { change(Array($0.sequences), $0.queue.hook.name) })
    return chosen.reduce(0) { count, chosen in
      let changed = apply(chosen.queue) { chosen.sequences.contains($0.sequence) }
      reportFailed(chosen.queue)
      pump(chosen.queue)
      return count + changed
    }
  }

  private func queue(_ name: String) throws(RPCError) -> HookQueue {
    guard let queue = queues.first(where: { $0.hook.name == name }) else {
      throw .notFound("There is no hook \"\(name.prefix(100))\"; hooks.list lists them.")
    }
    return queue
  }
}
