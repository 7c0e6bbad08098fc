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

  init(_ job: Job, last: Timestamp?) {
    self.job = job
    self.last = last
    plan = JobPlan(job)
    isPaused = job.isPaused
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
    _ result: Result<JSONValue, any Error>, at now: Timestamp, using random: inout any RandomNumberGenerator
  ) {
    switch result {
    case .success:
      plan.succeeded()
      lastError = nil
    case .failure(let error):
      plan.failed(error, at: now, using: &random)
      lastError = Self.describe(error)
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
    ]
  }
}
