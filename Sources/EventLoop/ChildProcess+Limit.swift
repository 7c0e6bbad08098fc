extension ChildProcess {
  /// Waits for the program's end, and brings it about when it takes too long or the waiting task is cancelled.
  ///
  /// - Parameters:
  ///   - limit: The most it may take before ``terminate(grace:clock:)``.
  ///   - grace: What it has left then.
  ///   - clock: Measures both.
  /// - Returns: How the program ended by itself.
  /// - Throws: `TimeoutError` once it has ended because of the limit; `CancellationError` once nothing of its group is
  ///   left.
  public func exit(within limit: Duration, grace: Duration, clock: any LoopClock) async throws -> ExitStatus {
    var isOver = false
    let alarm = clock.alarm(after: limit) {
      isOver = true
      self.terminate(grace: grace, clock: clock)
    }
    defer { alarm.cancel() }
    do {
      let status = try await exit
      if isOver { throw TimeoutError(limit: limit) }
      return status
    } catch let error as CancellationError {
      terminate(grace: grace, clock: clock)
      // In a task of its own, which is not cancelled.
      _ = try await Loop.task { try await self.gone() }.value
      throw error
    }
  }
}
