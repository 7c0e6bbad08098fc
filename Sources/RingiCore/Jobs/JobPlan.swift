internal import JSONRPC
internal import Timing

/// When a job runs next, as a pure function of its schedule, its past and the time.
struct JobPlan {
  /// What to do with a job whose time has come.
  enum Verdict: Equatable {
    case run
    case wait(until: Timestamp)
    /// Its schedule has come to an end.
    case rest
  }

  /// How late a run may begin and still count as on time, unless the next one is due by then.
  private static let grace: Duration = .seconds(60)
  /// The most that a catch-up run is put off beyond its jitter, so that a machine that wakes up doesn't ask all at once.
  private static let longestSpread: Duration = .seconds(30)
  /// How far the wait after failed runs grows; a Retry-After may be longer.
  private static let longestBackoff: Duration = .seconds(15 * 60)
  private static let longestRetryAfter = 86_400.0
  /// cronie's: a clock set back by this much or less repeats nothing.
  private static let longestRepeat: Duration = .seconds(3 * 3600)

  var schedule: JobSchedule
  var jitter: Duration
  var misfire: Job.Misfire
  /// The time of the schedule that the next run is for, before jitter.
  private(set) var slot: Timestamp?
  /// Failed runs since the last good one.
  private(set) var failures = 0
  /// Until when a backend wants to be left alone.
  private(set) var heldUntil: Timestamp?

  /// Makes the plan of a job.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - former: The plan of the job that it replaces; what is planned stays where the schedule does.
  init(_ job: Job, after former: JobPlan? = nil) {
    schedule = job.schedule
    jitter = job.jitter
    misfire = job.misfire
    if let former, former.schedule == schedule, former.failures == 0 { slot = former.slot }
  }

  /// Makes the plan that a former life of the agent left; a backend's wish holds whatever the schedule says now.
  init(_ job: Job, _ record: JobRecord) {
    self.init(job)
    heldUntil = record.heldUntil
    guard record.schedule == schedule.description else { return }
    slot = record.slot
    failures = record.failures
  }

  /// The first due time in this life of the agent.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - isAtOnce: Whether the first run is due at once, unless it is put off after failures.
  ///   - makesUp: Whether what was due before now was missed; else it is left out.
  ///   - random: Where jitter comes from.
  /// - Returns: When it is due; nil for never.
  mutating func begin(
    at now: Timestamp, isAtOnce: Bool, makesUp: Bool = true, using random: inout any RandomNumberGenerator
  ) -> Timestamp? {
    distrust(at: now)
    if isAtOnce {
      slot = max(now, heldUntil ?? now, failures > 0 ? slot ?? now : now)
      return due(using: &random)
    }
    if makesUp, let slot, slot <= now { return makeUp(at: now, using: &random) }
    return next(at: now, using: &random)
  }

  /// Drops what can only come of a clock that was ahead.
  private mutating func distrust(at now: Timestamp) {
    let farthestHold = now + .seconds(Self.longestRetryAfter)
    if let held = heldUntil, held > farthestHold { heldUntil = nil }
    let reach: Duration =
      switch schedule {
      case _ where failures > 0: .seconds(Self.longestRetryAfter)
      case .every: .zero
      case .cron: Self.longestRepeat
      }
    if let planned = slot, schedule.next(after: now + reach).map({ planned > $0 }) ?? true { slot = nil }
  }

  /// The due time after a run, a pause or a change: the planned one if it is still to come, else the first after now.
  mutating func next(at now: Timestamp, using random: inout any RandomNumberGenerator) -> Timestamp? {
    if slot.map({ $0 < now }) ?? true {
      let held = heldUntil.flatMap { $0 > now ? $0 : nil }
      slot = held.map(schedule.first(notBefore:)) ?? schedule.next(after: now)
    }
    return due(using: &random)
  }

  /// Decides about a job whose due time has come, which may be long past: the machine slept, the clock was set.
  mutating func becameDue(
    _ due: Timestamp, at now: Timestamp, using random: inout any RandomNumberGenerator
  ) -> Verdict {
    let next = slot.flatMap(schedule.next)
    let lateness = now.duration(since: due)
    let isMissed = lateness > Self.grace || lateness > .seconds(1) && next.map { $0 <= now } ?? false
    guard isMissed else {
      slot = next
      return .run
    }
    return makeUp(at: now, using: &random).map { .wait(until: $0) } ?? .rest
  }

  private mutating func makeUp(
    at now: Timestamp, using random: inout any RandomNumberGenerator
  ) -> Timestamp? {
    switch misfire {
    case .skip:
      slot = schedule.next(after: now)
      return due(using: &random)
    case .once:
      slot = now
      let gap = gap(after: now) ?? Self.longestSpread
      return now + random.upTo(max(min(gap / 10, Self.longestSpread), min(jitter, gap)))
    }
  }

  /// The slot and a random time more.
  private func due(using random: inout any RandomNumberGenerator) -> Timestamp? {
    slot.map { $0 + random.upTo(min(jitter, gap(after: $0) ?? jitter)) }
  }

  private func gap(after time: Timestamp) -> Duration? {
    schedule.next(after: time)?.duration(since: time)
  }

  // MARK: Outcomes

  mutating func succeeded() {
    // The slot may have been put off; the schedule counts again from now.
    if failures > 0 { slot = nil }
    failures = 0
    heldUntil = nil
  }

  /// Puts the next run off, so that it never comes sooner than the schedule has it.
  ///
  /// The wait is the backend's Retry-After, else a random time whose upper end begins with the gap between two runs and
  /// doubles with each failure.
  mutating func failed(_ error: any Error, at now: Timestamp, using random: inout any RandomNumberGenerator) {
    failures += 1
    let pause: Duration
    if let seconds = (error as? RPCError)?.retryAfter, seconds > 0 {
      pause = .seconds(min(seconds, Self.longestRetryAfter))
      heldUntil = now + pause
    } else {
      let gap = slot.flatMap(gap) ?? Self.longestBackoff
      pause = random.upTo(Backoff(base: gap, cap: Self.longestBackoff).limit(attempt: failures))
    }
    let earliest = now + pause
    if let slot, slot < earliest { self.slot = schedule.first(notBefore: earliest) }
  }

  /// Follows a wall clock that was set back.
  ///
  /// An interval goes on as if it hadn't been; a cron expression waits for its planned time to come again, so that it
  /// doesn't repeat what it just ran, and begins anew after a longer way back.
  mutating func clockWasSetBack(by length: Duration) {
    heldUntil = heldUntil.map { $0 - length }
    switch schedule {
    case .every: slot = slot.map { $0 - length }
    case .cron: if length > Self.longestRepeat { slot = nil }
    }
  }
}

extension RandomNumberGenerator {
  /// A random length, in whole milliseconds.
  fileprivate mutating func upTo(_ most: Duration) -> Duration {
    let (seconds, attoseconds) = most.components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    // Scaled, not drawn by rejection, which would never end with a generator that repeats itself.
    let drawn: UInt64 = next()
    return .milliseconds(Int64(drawn.multipliedFullWidth(by: UInt64(Swift.max(0, milliseconds)) + 1).high))
  }
}
