import JSON
import JSONRPC
import Testing
import Timing

@testable import RingiCore

struct JobPlanTests {
  private let start = Timestamp(seconds: 1_795_996_800)
  private var low: any RandomNumberGenerator = ConstantRandom.low
  private var high: any RandomNumberGenerator = ConstantRandom.high

  private func plan(
    _ schedule: JobSchedule, jitter: Duration = .zero, misfire: Job.Misfire = .once
  ) -> JobPlan {
    JobPlan(Job(name: "job", schedule: schedule, jitter: jitter, misfire: misfire) { .null })
  }

  /// The plan of a job that a former life of the agent left.
  private func plan(
    _ schedule: JobSchedule, misfire: Job.Misfire = .once, slot: Timestamp?, failures: Int = 0,
    heldUntil: Timestamp? = nil, schedule text: String? = nil
  ) -> JobPlan {
    JobPlan(
      Job(name: "job", schedule: schedule, misfire: misfire) { .null },
      JobRecord(
        name: "job", schedule: text ?? schedule.description, failures: failures, slot: slot, heldUntil: heldUntil,
        isPaused: false))
  }

  @Test mutating func aJobThatNeverRanIsDueAfterOnePeriodOrAtOnce() {
    var plan = plan(.every(.seconds(30)))
    #expect(plan.begin(at: start, isAtOnce: false, using: &low) == start + .seconds(30))
    #expect(plan.begin(at: start, isAtOnce: true, using: &low) == start)
  }

  @Test mutating func jitterPutsARunOffWithoutMovingTheRhythm() {
    var plan = plan(.every(.seconds(30)), jitter: .seconds(3))
    let first = plan.begin(at: start, isAtOnce: false, using: &high)
    #expect(first == start + .seconds(33))
    #expect(plan.becameDue(start + .seconds(33), at: start + .seconds(33), using: &high) == .run)
    #expect(plan.slot == start + .seconds(60))
  }

  @Test mutating func jitterNeverReachesBeyondTheNextRun() {
    var plan = plan(.every(.seconds(2)), jitter: .seconds(3600))
    #expect(plan.begin(at: start, isAtOnce: false, using: &high) == start + .seconds(4))
  }

  @Test mutating func aRunMissedWhileTheAgentWasOffIsMadeUpForOnce() throws {
    var plan = plan(.hourly, slot: start + .seconds(3600))
    let now = start + .seconds(3 * 3600 + 600)
    let due = try #require(plan.begin(at: now, isAtOnce: false, using: &high))
    #expect(due == now + .seconds(30))
    #expect(plan.becameDue(due, at: due, using: &high) == .run)
    #expect(plan.slot == start + .seconds(4 * 3600))
  }

  @Test mutating func aRunMissedWhileTheAgentWasOffIsLeftOutWhenTheJobSaysSo() {
    var plan = plan(.hourly, misfire: .skip, slot: start + .seconds(3600))
    let now = start + .seconds(3 * 3600 + 600)
    #expect(plan.begin(at: now, isAtOnce: false, using: &low) == start + .seconds(4 * 3600))
  }

  @Test mutating func nothingIsMadeUpForWhenNothingWasMissed() {
    var plan = plan(.every(.seconds(3600)), slot: start + .seconds(3600))
    #expect(plan.begin(at: start + .seconds(1800), isAtOnce: false, using: &low) == start + .seconds(3600))
  }

  @Test mutating func whatAReloadBringsBackMakesUpForNothing() {
    var plan = plan(.hourly, slot: start + .seconds(3600))
    let now = start + .seconds(3 * 3600 + 600)
    #expect(plan.begin(at: now, isAtOnce: false, makesUp: false, using: &low) == start + .seconds(4 * 3600))
  }

  @Test("A poll is due at once at a start, unless it is put off after failures or by its backend")
  mutating func pollsAtAStart() {
    let later = start + .seconds(600)
    var fresh = plan(.every(.seconds(3600)), slot: later)
    #expect(fresh.begin(at: start, isAtOnce: true, using: &low) == start)
    var failing = plan(.every(.seconds(30)), slot: later, failures: 3)
    #expect(failing.begin(at: start, isAtOnce: true, using: &low) == later)
    #expect(failing.failures == 3)
    var rested = plan(.every(.seconds(30)), slot: start - .seconds(600), failures: 3)
    #expect(rested.begin(at: start, isAtOnce: true, using: &low) == start)
    // The backend's wish holds under another schedule, too.
    var held = plan(.every(.seconds(30)), slot: later, failures: 1, heldUntil: later, schedule: "every 5s")
    #expect(held.begin(at: start, isAtOnce: true, using: &low) == later)
    #expect(held.failures == 0)
  }

  @Test("A time that only a clock that was ahead can have planned is dropped")
  mutating func aClockThatWasAhead() {
    let year = Duration.seconds(365 * 86_400)
    var every = plan(.every(.seconds(30)), slot: start + year, heldUntil: start + year)
    #expect(every.begin(at: start, isAtOnce: false, using: &low) == start + .seconds(30))
    #expect(every.heldUntil == nil)
    var failing = plan(.every(.seconds(30)), slot: start + year, failures: 2)
    #expect(failing.begin(at: start, isAtOnce: false, using: &low) == start + .seconds(30))
    // Set back by an hour, a cron expression repeats nothing; by a day, it begins anew.
    var hour = plan(.hourly, slot: start + .seconds(2 * 3600))
    #expect(hour.begin(at: start, isAtOnce: false, using: &low) == start + .seconds(2 * 3600))
    var day = plan(.hourly, slot: start + .seconds(25 * 3600))
    #expect(day.begin(at: start, isAtOnce: false, using: &low) == start + .seconds(3600))
  }

  @Test mutating func aLittleLateIsOnTime() {
    var plan = plan(.hourly, misfire: .skip)
    _ = plan.begin(at: start, isAtOnce: false, using: &low)
    let due = start + .seconds(3600)
    #expect(plan.becameDue(due, at: due + .seconds(59), using: &low) == .run)
  }

  @Test mutating func manyMissedRunsBecomeOneThatIsSpread() {
    var plan = plan(.every(.seconds(10)))
    _ = plan.begin(at: start, isAtOnce: false, using: &low)
    let now = start + .seconds(100)
    #expect(plan.becameDue(start + .seconds(10), at: now, using: &high) == .wait(until: now + .seconds(1)))
    #expect(plan.becameDue(now + .seconds(1), at: now + .seconds(1), using: &high) == .run)
    #expect(plan.slot == now + .seconds(10))
  }

  @Test mutating func catchUpRunsAreSpreadByTheJitterWhereThatIsLonger() {
    var plan = plan(.every(.seconds(10)), jitter: .seconds(5))
    _ = plan.begin(at: start, isAtOnce: false, using: &low)
    let now = start + .seconds(100)
    #expect(plan.becameDue(start + .seconds(10), at: now, using: &high) == .wait(until: now + .seconds(5)))
  }

  @Test mutating func theWaitAfterFailuresDoublesUpToAQuarterOfAnHour() {
    var plan = plan(.every(.seconds(30)))
    var now = start
    var waits: [Int64] = []
    _ = plan.begin(at: now, isAtOnce: true, using: &high)
    for _ in 0..<8 {
      _ = plan.becameDue(now, at: now, using: &high)
      plan.failed(RPCError.unavailable("down"), at: now, using: &high)
      let due = plan.next(at: now, using: &high) ?? now
      waits.append(due.duration(since: now).components.seconds)
      now = due
    }
    #expect(waits == [30, 60, 120, 240, 480, 900, 900, 900])
  }

  @Test mutating func aFailedJobNeverRunsSoonerThanItsSchedule() {
    var plan = plan(.every(.seconds(30)))
    _ = plan.begin(at: start, isAtOnce: true, using: &low)
    _ = plan.becameDue(start, at: start, using: &low)
    for _ in 0..<5 { plan.failed(RPCError.unavailable("down"), at: start, using: &low) }
    #expect(plan.next(at: start, using: &low) == start + .seconds(30))
  }

  @Test mutating func successBringsTheScheduleBackAtOnce() {
    var plan = plan(.every(.seconds(30)))
    _ = plan.begin(at: start, isAtOnce: true, using: &high)
    for _ in 0..<6 { plan.failed(RPCError.unavailable("down"), at: start, using: &high) }
    plan.succeeded()
    #expect(plan.next(at: start, using: &low) == start + .seconds(30))
    #expect(plan.failures == 0)
  }

  @Test(arguments: [
    (36_000.0, 36_000), (60_000.0, 60_000), (864_000.0, 86_400), (45.0, 45), (5.0, 30), (0.0, 60), (-5.0, 60),
  ])
  func retryAfterWinsOverBackoffAndSchedule(_ retryAfter: Double, _ wait: Int64) {
    var high: any RandomNumberGenerator = ConstantRandom.high
    var plan = plan(.every(.seconds(30)))
    _ = plan.begin(at: start, isAtOnce: true, using: &high)
    _ = plan.becameDue(start, at: start, using: &high)
    plan.failed(RPCError.unavailable("down"), at: start, using: &high)
    plan.failed(RPCError.unavailable("slower", retryAfter: retryAfter), at: start, using: &high)
    let due = plan.next(at: start, using: &high)
    #expect(due == start + .seconds(wait))
  }

  @Test mutating func aCronJobIsPutOffToOneOfItsOwnTimes() {
    var plan = plan(.hourly)
    _ = plan.begin(at: start, isAtOnce: false, using: &low)
    _ = plan.becameDue(start + .seconds(3600), at: start + .seconds(3600), using: &low)
    plan.failed(RPCError.unavailable("down", retryAfter: 5000), at: start + .seconds(3600), using: &low)
    #expect(plan.next(at: start + .seconds(3600), using: &low) == start + .seconds(3 * 3600))
  }

  @Test mutating func anIntervalGoesOnWhenTheClockIsSetBack() {
    var plan = plan(.every(.seconds(30)))
    _ = plan.begin(at: start, isAtOnce: false, using: &low)
    plan.clockWasSetBack(by: .seconds(86_400))
    let now = start - .seconds(86_400) + .seconds(10)
    #expect(plan.next(at: now, using: &low) == start - .seconds(86_400) + .seconds(30))
  }

  @Test mutating func aCronJobDoesNotRepeatTheHourThatTheClockWasSetBack() {
    var plan = plan(.hourly)
    _ = plan.begin(at: start, isAtOnce: false, using: &low)
    plan.clockWasSetBack(by: .seconds(3600))
    #expect(plan.next(at: start - .seconds(3590), using: &low) == start + .seconds(3600))
  }

  @Test mutating func aCronJobBeginsAnewWhenTheClockWasFarAhead() {
    var plan = plan(.hourly)
    _ = plan.begin(at: start, isAtOnce: false, using: &low)
    plan.clockWasSetBack(by: .seconds(365 * 86_400))
    let now = start - .seconds(365 * 86_400)
    #expect(plan.next(at: now, using: &low) == now + .seconds(3600))
  }
}
