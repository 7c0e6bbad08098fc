internal import EventLoop
internal import JSON
package import RingiKit
internal import RingiModel

extension Agent {
  /// Ends the agent in an orderly way: what is under way may finish, within a limit.
  ///
  /// - Parameter actor: Who wants it to end, for the audit log; `nil` for the end of its one client.
  package func stop(by actor: Actor? = nil) async {
    guard !isStopping else { return }
    isStopping = true
    notifier.stopping()
    server.stopListening()
    environment.isStopping = true
    log.write(.info, "agent", "stopping")
    let audit = actor.map { bus.audit(AuditEntry("shutdown", by: $0, outcome: "done", at: clock.now)) }
    let finished = Gate()
    let work = Loop.task { [self] in
      await finish(audit.map { [$0] } ?? [])
      finished.open()
    }
    let alarm = clock.alarm(after: Self.shutdownLimit) { finished.open() }
    // Nobody cancels this task; whoever did would have the agent end at once.
    try? await finished.wait()
    alarm.cancel()
    work.cancel()
    server.close()
    stopped.open()
  }

  /// Jobs and hooks get a part of the time: a program may take five seconds more to heed SIGTERM, and the answers that
  /// all this holds up are still to be written.
  private func finish(_ changes: [Change]) async {
    // While the disk is gone this is still under way when all the rest has ended.
    async let announced = bus.keep([EventDraft(.agentStopping)], with: changes)
    async let jobs: Void = scheduler.stop(within: Self.shutdownLimit - .seconds(6))
    async let deliveries: Void = hooks.stop(within: Self.shutdownLimit - .seconds(6))
    _ = await (jobs, deliveries)
    await decisions.settle()
    await mutations.settle()
    await plugins.stopAll()
    _ = await announced
    await server.finish()
    // Where the store can't be read there is nothing to say; that was reported.
    if let head = try? await store.read({ try AuditRows.head($0) }) { write(head) }
    await store.close()
  }

  /// Writes down outside of the store how far the audit log goes, so that a missing end can be noticed.
  func write(_ head: AuditRows.Head) {
    guard head.number > 0 else { return }
    log.write(
      .info, "audit",
      "the audit log has \(head.number) entries, the last with the hash \(head.hash.hexadecimal)")
  }

  /// Waits until the agent has stopped.
  package func untilStopped() async {
    // The gate throws only when the waiting task is cancelled: then nobody waits any more.
    try? await stopped.wait()
  }
}
