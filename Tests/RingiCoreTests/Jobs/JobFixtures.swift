import EventLoop
import JSON
import RingiKit
import RingiTestSupport
import Timing

@testable import RingiCore

/// Draws the same number again and again: 1 gives the low end of every range, `.max` the high one.
///
/// Not 0, which the standard library's unbiased drawing may refuse, and ask for another for ever.
struct ConstantRandom: RandomNumberGenerator {
  let number: UInt64
  func next() -> UInt64 { number }

  static let low = ConstantRandom(number: 1)
  static let high = ConstantRandom(number: .max)
}

/// SplitMix64.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

/// Due at the full hours, as a stand-in for a cron expression.
struct Hourly: Schedule {
  func next(after timestamp: Timestamp) -> Timestamp? {
    Timestamp(seconds: (timestamp.seconds / 3600 + 1) * 3600)
  }
}

extension JobSchedule {
  static func every(_ period: Duration) -> JobSchedule {
    Every(period).map { .every($0) } ?? .cron(Hourly(), text: "never meant")
  }

  static let hourly = JobSchedule.cron(Hourly(), text: "0 * * * *")
}

/// A scheduler on a test clock, with jobs that keep a record of their runs.
@Loop
final class SchedulerBench {
  let clock: TestClock
  let scheduler: Scheduler
  private let beginning: Timestamp
  /// The seconds since the beginning at which each job's runs began.
  private(set) var runs: [String: [Int64]] = [:]
  private(set) var running = 0
  private(set) var mostRunning = 0

  init(
    at beginning: Timestamp = SchedulerBench.beginning, random: any RandomNumberGenerator = ConstantRandom.low,
    on folder: StoreFolder? = nil
  ) throws {
    self.beginning = beginning
    clock = folder?.clock ?? TestClock(now: beginning)
    let log = Log(level: .error, clock: clock, redactor: Redactor())
    let store = try folder?.store ?? Store(inMemoryFor: clock, log: log)
    scheduler = Scheduler(clock: clock, store: store, random: random)
    if let folder { scheduler.restore(folder.state?.jobs ?? []) }
  }

  static let beginning = Timestamp(seconds: 1_795_996_800)

  /// A job that notes its run, takes its time, and may fail.
  func job(
    _ name: String, _ schedule: JobSchedule, jitter: Duration = .zero, misfire: Job.Misfire = .once,
    timeout: Duration? = nil, isPaused: Bool = false, runsAtStart: Bool = false, takes length: Duration = .zero,
    _ result: @escaping @Loop @Sendable () throws -> JSONValue = { .null }
  ) -> Job {
    Job(
      name: name, schedule: schedule, jitter: jitter, misfire: misfire, timeout: timeout, isPaused: isPaused,
      runsAtStart: runsAtStart
    ) { [unowned self] in
      runs[name, default: []].append(seconds)
      running += 1
      mostRunning = max(mostRunning, running)
      defer { running -= 1 }
      try await clock.sleep(for: length)
      return try result()
    }
  }

  /// Wall seconds since the beginning.
  var seconds: Int64 { clock.now.seconds - beginning.seconds }

  /// A job's row; null, which fits no expectation, when there is no such job.
  func row(_ name: String) -> JSONValue { (try? scheduler.row(name)) ?? .null }

  /// Lets seconds pass one by one, and whatever becomes ready in each of them run.
  func pass(_ seconds: Int) async { await pass(seconds, of: .seconds(1)) }

  /// Lets time pass step by step, and whatever becomes ready in each of them run.
  func pass(_ steps: Int, of step: Duration) async {
    clock.advance(by: .zero)
    await settle()
    for _ in 0..<steps {
      clock.advance(by: step)
      await settle()
    }
  }

  /// When a job's runs began.
  func times(_ name: String) -> [String] {
    (runs[name] ?? []).map { (beginning + .seconds($0)).rfc3339 }
  }

  /// Gives way until what is ready has run.
  func settle() async {
    for _ in 0..<8 { await Task.yield() }
  }
}
