internal import EventLoop
internal import JSON
internal import RingiKit
internal import RingiModel

extension Agent {
  /// Ends the agent in an orderly way: what is under way may finish, within a limit.
  package func stop() async {
    guard !isStopping else { return }
    isStopping = true
    notifier.stopping()
    server.stopListening()
    environment.isStopping = true
    log.write(.info, "agent", "stopping")
    // The log of an agent that ends may be full or its disk gone; that is no reason not to end.
    _ = try? await bus.publish([EventDraft(.agentStopping)])
    let work = Loop.task { [self] in await finish() }
    let alarm = clock.alarm(after: Self.shutdownLimit) { work.cancel() }
    _ = await work.result
    alarm.cancel()
    stopped.open()
  }

  private func finish() async {
    await scheduler.stop(within: Self.shutdownLimit)
    await hooks.stop(within: Self.shutdownLimit)
    await decisions.settle()
    await plugins.stopAll()
    await server.finish()
  }

  /// Waits until the agent has stopped.
  package func untilStopped() async {
    // The gate throws only when the waiting task is cancelled: then nobody waits any more.
    try? await stopped.wait()
  }
}
