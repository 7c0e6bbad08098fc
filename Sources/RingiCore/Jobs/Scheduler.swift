package import EventLoop
package import JSON
internal import JSONRPC
internal import Timing

/// Runs each job when it is due, never two runs of one job at a time.
///
/// A job that waits costs a place in a heap; one alarm of the clock stands for the first of all, and another looks once
/// a minute whether the wall clock was set back.
@Loop
package final class Scheduler {
  /// How many jobs run at a time at most; others wait for their turn, the longest due first.
  package static let concurrency = 32

  private let clock: any LoopClock
  private let store: Store
  private let redactor: Redactor
  private var random: any RandomNumberGenerator
  private var jobs: [String: ScheduledJob] = [:]
  /// What is remembered of jobs that are not there, or not yet.
  private var former: [String: JobRecord] = [:]
  private let waiting = AlarmQueue()
  private let queue = AlarmQueue()
  private var alarm: (alarm: Alarm, time: Int64)?
  private var watch: ClockWatch?
  private var running = 0
  private var isStarted = false
  private var isStopped = false
  /// Opens when a stopped scheduler's last run ends.
  private let idle = Gate()

  /// Makes a scheduler without jobs.
  ///
  /// - Parameters:
  ///   - clock: Time.
  ///   - store: Where it is recorded what becomes of the jobs.
  ///   - redactor: Takes secrets out of what failed runs say.
  ///   - random: Where jitter comes from.
  package init(
    clock: any LoopClock, store: Store, redactor: Redactor = Redactor(),
    random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  ) {
    self.clock = clock
    self.store = store
    self.redactor = redactor
    self.random = random
  }

  /// Begins to run jobs when they are due.
  package func start() {
    guard !isStarted, !isStopped else { return }
    isStarted = true
    for job in jobs.values { begin(job, makesUp: true) }
    watch = ClockWatch(clock) { [weak self] in self?.clockWasSetBack(by: $0) }
  }

  /// Ends the running of jobs: nothing new begins, and what runs may finish.
  ///
  /// - Parameter limit: How long to wait for it; what still runs then is cancelled.
  package func stop(within limit: Duration) async {
    isStopped = true
    watch?.stop()
    alarm?.alarm.cancel()
    for job in jobs.values {
      // What is queued has not run: as it is recorded, it counts as missed.
      if case .waiting = job.state, job.record != job.recorded { record(job) }
      job.leave()
      job.answer(.failure(Self.stopping))
    }
    guard running > 0 else { return }
    let alarm = clock.alarm(after: limit) { [self] in
      for job in jobs.values { job.cancelRun() }
      idle.open()
    }
    // The wait fails only when nobody is left to wait for it.
    try? await idle.wait()
    alarm.cancel()
  }

  // MARK: Jobs

  /// Takes over what is remembered of jobs; those that are there already go on with it.
  ///
  /// - Parameter records: What a former life of the agent left.
  package func restore(_ records: [JobRecord]) {
    former = Dictionary(records.map { ($0.name, $0) }) { first, _ in first }
    for job in jobs.values {
      if let record = former.removeValue(forKey: job.job.name) { job.restore(record) }
      if case .waiting = job.state, job.recorded != nil || job.isPaused { job.leave() }
      if case .resting = job.state, isStarted { begin(job, makesUp: true) }
      if !job.isRunning { recordIfNeeded(job) }
    }
    rearm()
  }

  /// Forgets jobs that are not there any more.
  ///
  /// - Parameter mayReturn: Whether a job's file is there and only can't be used now.
  package func forget(unless mayReturn: (String) -> Bool) {
    for name in former.keys where !mayReturn(name) {
      former[name] = nil
      store.note(JobRows.delete(name))
    }
  }

  /// Adds a job; one that has its name is replaced and leaves it its history, but for its failures.
  ///
  /// A job of a former life of the agent goes on where it was; before ``start()``, runs that it missed since count as
  /// misfired.
  package func add(_ job: Job) {
    if let known = jobs[job.name] { return replace(known, by: job) }
    let added = ScheduledJob(job, former.removeValue(forKey: job.name))
    jobs[job.name] = added
    if isStarted { begin(added, makesUp: false) }
  }

  private func replace(_ known: ScheduledJob, by job: Job) {
    let old = known.job
    known.job = job
    if old.isPaused != job.isPaused { known.isPaused = job.isPaused }
    known.plan = JobPlan(job, after: known.plan)
    switch known.state {
    case .waiting, .resting:
      replan(known)
      recordIfNeeded(known)
    case .queued, .running: break
    }
  }

  /// Takes a job out, and cancels its run.
  ///
  /// Until it is forgotten, one that takes its place goes on with its history, but for its failures.
  ///
  /// - Parameter name: Its name; an unknown one is no error.
  package func remove(_ name: String) async {
    guard let job = jobs.removeValue(forKey: name) else { return }
    job.leave()
    rearm()
    job.answer(.failure(Self.notFound(name)))
    // The run has no result of its own; what its body threw went to those who asked.
    _ = await job.cancelRun()?.result
    guard !isStopped, jobs[name] == nil else { return }
    var record = job.record
    (record.slot, record.failures, record.heldUntil) = (nil, 0, nil)
    former[name] = record
    if store.isLoaded { store.note(JobRows.put(record)) }
  }

  /// The names of all jobs, sorted.
  package var names: [String] { jobs.keys.sorted() }

  /// The rows of `jobs.list`, sorted by name.
  package var list: JSONValue { JSONValue(array: names.compactMap { jobs[$0]?.json }) }

  /// A job's row.
  ///
  /// - Parameter name: The job.
  /// - Returns: The row of `jobs.list`.
  /// - Throws: `RPCError` (not-found).
  package func row(_ name: String) throws -> JSONValue { try job(name).json }

  /// Runs a job now, beside its schedule, paused or not; when it runs already, once more after that.
  ///
  /// - Parameter name: The job.
  /// - Returns: What its body returns.
  /// - Throws: What its body throws; `RPCError` (not-found); `RPCError` (unavailable) while a backend wants to be left
  ///   alone.
  package func run(_ name: String) async throws -> JSONValue {
    let job = try job(name)
    guard !isStopped else { throw Self.stopping }
    if let held = job.plan.heldUntil, held > clock.now {
      let seconds = held.duration(since: clock.now).components.seconds
      throw RPCError.unavailable(
        "\(name) is left alone until \(held), as its backend asked; try again then.",
        retryAfter: Double(max(1, seconds)))
    }
    let result = JobResult()
    job.askers.append(result)
    if !job.isRunning { enqueue(job, at: .earliest) }
    return try await result.value()
  }

  /// Stops a job from running by itself; a run that has begun goes on.
  ///
  /// - Parameter name: The job.
  /// - Throws: `RPCError` (not-found); `RPCError` (unavailable) when it can't be recorded, and nothing is done then.
  package func pause(_ name: String) async throws { try await setPaused(name, true) }

  /// Lets a paused job run again; what it missed is not made up for.
  ///
  /// - Parameter name: The job.
  /// - Throws: `RPCError` (not-found); `RPCError` (unavailable) when it can't be recorded, and nothing is done then.
  package func resume(_ name: String) async throws { try await setPaused(name, false) }

  private func setPaused(_ name: String, _ isPaused: Bool) async throws {
    var record = try job(name).record
    record.isPaused = isPaused
    _ = try await store.record([JobRows.setPaused(record)])
    let job = try job(name)
    guard job.isPaused != isPaused else { return }
    job.isPaused = isPaused
    job.recorded?.isPaused = isPaused
    // Somebody asked for the run that is queued or under way; what is planned is seen to after it.
    guard !job.isRunning, job.askers.isEmpty else { return }
    replan(job)
    recordIfNeeded(job)
  }

  private func job(_ name: String) throws(RPCError) -> ScheduledJob {
    guard let job = jobs[name] else { throw Self.notFound(name) }
    return job
  }

  private static func notFound(_ name: String) -> RPCError {
    .notFound("There is no job \(name); jobs.list names all.")
  }

  private static var stopping: RPCError { .overloaded("The agent is shutting down; ask again when it is back.") }

  // MARK: Waiting

  private func begin(_ job: ScheduledJob, makesUp: Bool) {
    guard !isStopped, !job.isPaused, !job.isRunning, job.askers.isEmpty else { return }
    wait(
      job,
      until: job.plan.begin(at: clock.now, isAtOnce: job.job.runsAtStart, makesUp: makesUp, using: &random))
    recordIfNeeded(job)
  }

  private func recordIfNeeded(_ job: ScheduledJob) {
    if job.isWorthRecording { record(job) }
  }

  private func record(_ job: ScheduledJob) {
    // Before that, what is in memory is provisional.
    guard store.isLoaded else { return }
    let record = job.record
    job.recorded = record
    store.note(JobRows.put(record))
  }

  private func replan(_ job: ScheduledJob) {
    job.leave()
    guard isStarted, !isStopped, !job.isPaused else { return rearm() }
    wait(job, until: job.plan.next(at: clock.now, using: &random))
  }

  private func wait(_ job: ScheduledJob, until due: Timestamp?) {
    defer { rearm() }
    guard let due else { return }
    let alarm = waiting.add(at: due.milliseconds) { [unowned self, unowned job] in becameDue(job, due) }
    job.state = .waiting(alarm, due: due)
  }

  /// Sets the one alarm to the time of the first job.
  private func rearm() {
    guard !isStopped, alarm?.time != waiting.nextDeadline else { return }
    alarm?.alarm.cancel()
    alarm = waiting.nextDeadline.map { time in
      (clock.alarm(at: Timestamp(milliseconds: time)) { [weak self] in self?.ring() }, time)
    }
  }

  private func ring() {
    alarm = nil
    let now = clock.now.milliseconds
    while let first = waiting.popDue(at: now) { first.fire() }
    rearm()
  }

  private func becameDue(_ job: ScheduledJob, _ due: Timestamp) {
    job.state = .resting
    switch job.plan.becameDue(due, at: clock.now, using: &random) {
    case .run: enqueue(job, at: due)
    case .wait(let due): wait(job, until: due)
    case .rest: break
    }
  }

  private func clockWasSetBack(by length: Duration) {
    for job in jobs.values {
      job.plan.clockWasSetBack(by: length)
      if case .waiting = job.state {
        replan(job)
        recordIfNeeded(job)
      }
    }
  }

  // MARK: Running

  private func enqueue(_ job: ScheduledJob, at due: Timestamp) {
    job.leave()
    rearm()
    job.state = .queued(queue.add(at: due.milliseconds) { [unowned self, unowned job] in run(job) })
    pump()
  }

  private func pump() {
    while running < Self.concurrency, let next = queue.popDue(at: .max) { next.fire() }
  }

  private func run(_ job: ScheduledJob) {
    running += 1
    job.last = clock.now
    let begin = clock.uptime
    let (askers, definition) = (job.askers, job.job)
    job.askers = []
    job.state = .running(
      Loop.task { [self, clock] in
        let result: Result<JSONValue, any Error>
        do {
          result = .success(try await clock.withTimeout(definition.timeout, definition.body))
        } catch {
          result = .failure(error)
        }
        for asker in askers { asker.set(result) }
        job.lastDuration = .nanoseconds(clock.uptime - begin)
        finish(job, result)
      })
  }

  private func finish(_ job: ScheduledJob, _ result: Result<JSONValue, any Error>) {
    running -= 1
    job.state = .resting
    if isStopped, case .failure(is CancellationError) = result {
      // The agent's end cut it short, which is no failure: it counts as missed.
      return running == 0 ? idle.open() : ()
    }
    job.note(result, at: clock.now, using: &random, redactor)
    if jobs[job.job.name] === job {
      // What is recorded has a next time, whatever comes before it.
      if job.askers.isEmpty, !isStopped { replan(job) } else { _ = job.plan.next(at: clock.now, using: &random) }
      if isStopped || job.isWorthRecording { record(job) }
      if !isStopped, !job.askers.isEmpty { enqueue(job, at: .earliest) }
    }
    guard !isStopped else { return running == 0 ? idle.open() : () }
    pump()
  }
}
