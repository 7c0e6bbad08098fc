internal import EventLoop
package import JSON

/// Work that is due again and again: a plugin's poll, or a call of jobs.d.
package struct Job: Sendable {
  /// What becomes of runs that were due while nothing could run: the agent was off, the machine asleep.
  package enum Misfire: String, Sendable, CaseIterable {
    /// They are left out.
    case skip
    /// One run makes up for them all.
    case once
  }

  package typealias Body = @Loop @Sendable () async throws -> JSONValue

  package let name: String
  package var schedule: JobSchedule
  /// The most that a run is put off at random, so that jobs with one schedule don't meet; never beyond the next run.
  package var jitter: Duration
  package var misfire: Misfire
  /// The most that a run may take before it is cancelled and has failed; nil for no limit.
  package var timeout: Duration?
  /// Whether it begins paused.
  package var isPaused: Bool
  /// Whether the first run is due at once, not only when the schedule says so.
  package var runsAtStart: Bool
  /// The work; what it throws is a failed run, and an `RPCError` with `retryAfter` says when to come again.
  package var body: Body

  package init(
    name: String, schedule: JobSchedule, jitter: Duration = .zero, misfire: Misfire = .once,
    timeout: Duration? = nil, isPaused: Bool = false, runsAtStart: Bool = false, body: @escaping Body
  ) {
    self.name = name
    self.schedule = schedule
    self.jitter = jitter
    self.misfire = misfire
    self.timeout = timeout
    self.isPaused = isPaused
    self.runsAtStart = runsAtStart
    self.body = body
  }
}
