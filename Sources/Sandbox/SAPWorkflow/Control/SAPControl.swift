internal import HTTPServer
package import Timing

/// Controls a sandboxed service from outside its own API, in the process or over `/_control/`.
package struct SAPControl: Sendable {
  let state: Locked<SAPState>

  init(_ configuration: SAPWorkflowConfiguration) { state = Locked(SAPState(configuration)) }

  /// Answers a request of the service's own API.
  func respond(to request: ServerRequest) -> ServerResponse { state.withLock { $0.respond(to: request) } }

  /// Reads or changes the service after all that has fallen due.
  func with<Result, Failure: Error>(
    _ body: (inout SAPState) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try state.withLock { state throws(Failure) in
      state.settle()
      return try body(&state)
    }
  }

  /// Returns to the configuration: no tasks, sessions, tokens, faults or log, and the clock where it began.
  package func reset() { state.withLock { $0 = SAPState($0.configuration) } }

  // MARK: - Time

  package var now: Timestamp { with { $0.clock.now } }

  package func advanceClock(by duration: Duration) {
    state.withLock { state in
      state.clock.advance(by: duration)
      state.settle()
    }
  }

  /// Lets happen what waits for a tick.
  package func tick() { with { $0.tick() } }

  // MARK: - Behaviour

  package var switches: SAPSwitches { with { $0.switches } }

  package func changeSwitches(_ change: (inout SAPSwitches) -> Void) { with { change(&$0.switches) } }

  package func inject(_ fault: Fault) { with { $0.faults.add(fault) } }

  /// Those that are still to hit.
  package var faults: [Fault] { with { $0.faults.faults } }

  package func clearFaults() { with { $0.faults.clear() } }

  // MARK: - What came in

  package var requests: [RequestLog.Entry] { with { $0.log.entries } }

  package func clearRequests() { with { $0.log.clear() } }
}
