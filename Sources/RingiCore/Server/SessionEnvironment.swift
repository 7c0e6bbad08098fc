package import EventLoop

/// What all sessions share of the agent.
@Loop
package final class SessionEnvironment {
  let registry: Registry
  let bus: EventBus
  let fanout = Fanout()
  let clock: any LoopClock
  let redactor: Redactor
  let counters: Counters
  /// Whether the agent is about to end, and takes no more requests.
  package var isStopping = false
  /// In force for connections made from now on, as the limits of messages are; the others at once.
  package var limits: Limits

  package init(
    registry: Registry, bus: EventBus, clock: any LoopClock, redactor: Redactor, limits: Limits, counters: Counters
  ) {
    self.registry = registry
    self.bus = bus
    self.clock = clock
    self.redactor = redactor
    self.limits = limits
    self.counters = counters
    bus.add(fanout)
  }
}
