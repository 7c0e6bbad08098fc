internal import EventLoop
internal import JSON
internal import JSONRPC
internal import Timing

/// A job of the scheduler and what became of it so far.
@Loop
final class ScheduledJob {
  enum State {
    /// Nothing is planned: the scheduler stands still, the job is paused, or its schedule has come to an end.
    case resting
    /// Due at a time; the alarm is its place among those who wait.
    case waiting(Alarm, due: Timestamp)
    /// Due; the alarm is its place in the queue for a turn.
    case queued(Alarm)
    case running(Task<Void, any Error>)
  }

  var job: Job
  var plan: JobPlan
  var state = State.resting
  var isPaused: Bool
  var last: Timestamp?
  var lastDuration: Duration?
  var lastError: String?
  /// Those who asked for the next run.
  var askers: [JobResult] = []
  /// What the store was told last.
  var recorded: JobRecord?

  init(_ job: Job, _ record: JobRecord? = nil) {
    self.job = job
    plan = record.map { JobPlan(job, $0) } ?? JobPlan(job)
    isPaused = record?.isPaused ?? job.isPaused
    take(record)
  }

  private func take(_ record: JobRecord?) {
    last = record?.last
    lastDuration = record?.lastDuration
    lastError = record?.lastError
    recorded = record
  }

  /// Takes over what a former life of the agent left, as far as it has not run in this one.
  func restore(_ record: JobRecord) {
    isPaused = record.isPaused
    guard last == nil else { return }
    plan = JobPlan(job, record)
    take(record)
  }

  /// What is to be remembered of it.
  var record: JobRecord {
    JobRecord(
      name: job.name, schedule: job.schedule.description, last: last, lastDuration: lastDuration, lastError: lastError,
      failures: plan.failures, slot: plan.slot, heldUntil: plan.heldUntil, isPaused: isPaused)
  }

  /// Whether the store has to hear of it now; of a poll that goes well it needn't, since the next start polls anyway.
  var isWorthRecording: Bool {
    let record = record
    guard var recorded, job.runsAtStart, record.failures == 0 else { return record != self.recorded }
    (recorded.slot, recorded.last, recorded.lastDuration) = (record.slot, record.last, record.lastDuration)
    return record != recorded
  }

  var isRunning: Bool {
    if case .running = state { true } else { false }
  }

  /// Leaves the queue that it stands in.
  func leave() {
    switch state {
    case .waiting(let alarm, _), .queued(let alarm):
      alarm.cancel()
      state = .resting
    case .resting, .running: break
    }
  }

  /// Cancels the run that is under way.
  ///
  /// - Returns: The run, which may take its time to end; nil when there is none.
  @discardableResult
  func cancelRun() -> Task<Void, any Error>? {
    guard case .running(let task) = state else { return nil }
    task.cancel()
    return task
  }

  /// Gives those who asked for the next run their answer.
  func answer(_ result: Result<JSONValue, any Error>) {
    for asker in askers { asker.set(result) }
    askers = []
  }

  /// Keeps what a run came to.
  func note(
    _ result: Result<JSONValue, any Error>, at now: Timestamp, using random: inout any RandomNumberGenerator,
    _ redactor: Redactor
  ) {
    switch result {
    case .success:
      plan.succeeded()
      lastError = nil
    case .failure(let error):
      plan.failed(error, at: now, using: &random)
      lastError = redactor.excerpt(Self.describe(error), bytes: Redactor.maxMessageBytes)
      // Who asked for one more run is told what the backend asked for.
      if plan.heldUntil != nil { answer(result) }
    }
  }

  private static func describe(_ error: any Error) -> String {
    switch error {
    case let error as RPCError: error.message
    case let error as TimeoutError: "It took longer than \(DurationText.format(error.limit)) and was cancelled."
    case is CancellationError: "It was cancelled."
    default: "\(error)"
    }
  }

  /// The next times, as far as there are any.
  func upcoming(_ count: Int) -> [Timestamp] {
    guard !isPaused, var slot = plan.slot else { return [] }
    var times = [slot]
    if case .waiting(_, let due) = state { times = [due] }
    while times.count < count, let next = job.schedule.next(after: slot) {
      slot = next
      times.append(next)
    }
    return times
  }

  /// The row of `jobs.list`.
  var json: JSONValue {
    let upcoming = upcoming(3).map { JSONValue($0.rfc3339) }
    return [
      "name": JSONValue(job.name), "schedule": JSONValue(job.schedule.description),
      "next": upcoming.first ?? .null, "upcoming": JSONValue(array: upcoming),
      "last": last.map { JSONValue($0.rfc3339) } ?? .null,
      "lastDuration": lastDuration.map { JSONValue(DurationText.format($0)) } ?? .null,
      "lastError": lastError.map { JSONValue($0) } ?? .null, "failures": JSONValue(plan.failures),
      "paused": JSONValue(isPaused), "running": JSONValue(isRunning),
      "misfire": JSONValue(job.misfire.rawValue),
      "heldUntil": plan.heldUntil.map { JSONValue($0.rfc3339) } ?? .null,
    ]
  }
}
