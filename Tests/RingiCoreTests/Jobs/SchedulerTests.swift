import EventLoop
import JSON
import JSONRPC
import RingiTestSupport
import Testing
import Timing

@testable import RingiCore

struct SchedulerTests {
  @Test func jobsRunWhenTheyAreDueAndNotBefore() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("ten", .every(.seconds(10))))
      bench.scheduler.add(bench.job("poll", .every(.seconds(20)), runsAtStart: true))
      bench.scheduler.start()
      await bench.pass(45)
      #expect(bench.runs == ["ten": [10, 20, 30, 40], "poll": [0, 20, 40]])
    }
  }

  @Test func nothingRunsBeforeTheStart() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("poll", .every(.seconds(20)), runsAtStart: true))
      await bench.pass(60)
      #expect(bench.runs.isEmpty)
      #expect(bench.clock.pending == 0)
    }
  }

  @Test func aJobNeverOverlapsItself() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("slow", .every(.seconds(10)), takes: .seconds(25)))
      bench.scheduler.start()
      await bench.pass(100)
      #expect(bench.mostRunning == 1)
      #expect(bench.runs["slow"] == [10, 45, 80])
    }
  }

  @Test func aBoundedNumberOfJobsRunsAtATimeAndTheOthersFollow() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      for index in 0..<100 {
        bench.scheduler.add(bench.job("job\(index)", .every(.seconds(60)), takes: .seconds(2)))
      }
      bench.scheduler.start()
      await bench.pass(60)
      #expect(bench.running == Scheduler.concurrency)
      await bench.pass(8)
      #expect(bench.mostRunning == Scheduler.concurrency)
      #expect(bench.runs.count == 100)
    }
  }

  @Test func whoAsksForARunComesBeforeWhatIsQueued() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      for index in 0..<100 {
        bench.scheduler.add(bench.job("job\(index)", .every(.seconds(60)), takes: .seconds(2)))
      }
      bench.scheduler.add(bench.job("asked", .every(.seconds(3600))))
      bench.scheduler.start()
      await bench.pass(60)
      let asked = Loop.task { try await bench.scheduler.run("asked") }
      await bench.pass(2)
      _ = try await asked.value
      #expect(bench.runs["asked"] == [62])
    }
  }

  @Test func tenThousandIdleJobsCostTwoAlarms() async throws {
    try await onLoop {
      let bench = try SchedulerBench(random: SeededRandom(seed: 1))
      bench.scheduler.start()
      for index in 0..<10_000 {
        bench.scheduler.add(bench.job("job\(index)", .every(.seconds(86_400)), jitter: .seconds(3600)))
      }
      #expect(bench.clock.pending == 2)
      bench.clock.advance(by: .seconds(86_000))
      await bench.settle()
      #expect(bench.runs.isEmpty)
      #expect(bench.clock.pending == 2)
    }
  }

  @Test func aJobThatTakesTooLongIsCancelledAndHasFailed() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("slow", .every(.seconds(10)), timeout: .seconds(3), takes: .seconds(60)))
      bench.scheduler.start()
      await bench.pass(14)
      let row = bench.row("slow")
      #expect(row["lastError"] == "It took longer than 3s and was cancelled.")
      #expect(row["failures"] == 1)
      #expect(row["lastDuration"] == "3s")
      #expect(bench.running == 0)
    }
  }

  @Test func failuresSlowAJobDownAndSuccessBringsItBack() async throws {
    try await onLoop {
      let bench = try SchedulerBench(random: ConstantRandom.high)
      bench.scheduler.add(
        bench.job("flaky", .every(.seconds(10))) { [unowned bench] in
          if bench.seconds < 100 { throw RPCError.unavailable("The backend is down.") }
          return .null
        })
      bench.scheduler.start()
      await bench.pass(80)
      #expect(bench.row("flaky")["lastError"] == "The backend is down.")
      #expect(bench.row("flaky")["failures"] == 4)
      await bench.pass(120)
      #expect(bench.runs["flaky"] == [10, 20, 40, 80, 160, 170, 180, 190, 200])
      #expect(bench.row("flaky")["lastError"]?.isNull == true)
    }
  }

  @Test func aBackendThatWantsToBeLeftAloneIsLeftAlone() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(
        bench.job("poll", .every(.seconds(30))) { [unowned bench] in
          guard bench.seconds > 31 else { throw RPCError.unavailable("Slower.", retryAfter: 3600) }
          return .null
        })
      bench.scheduler.start()
      await bench.pass(40)
      let error = await #expect(throws: RPCError.self) { try await bench.scheduler.run("poll") }
      #expect(error?.kind == "unavailable")
      #expect(error?.retryAfter == 3590)
      #expect(bench.row("poll")["next"] == "2026-11-30T01:00:30Z")
      bench.clock.advance(by: .seconds(3585))
      await bench.settle()
      #expect(bench.runs["poll"] == [30])
      await bench.pass(70)
      #expect(bench.runs["poll"] == [30, 3630, 3660, 3690])
    }
  }

  @Test func afterASuspendEachJobRunsOnceAndThenAsEver() async throws {
    try await onLoop {
      let bench = try SchedulerBench(random: SeededRandom(seed: 7))
      for name in ["a", "b", "c", "d", "e"] {
        bench.scheduler.add(bench.job(name, .every(.seconds(10)), jitter: .seconds(4)))
      }
      bench.scheduler.start()
      await bench.pass(25)
      bench.clock.set(to: bench.clock.now + .seconds(90))
      await bench.pass(5)
      let catchUps = bench.runs.values.map { $0.filter { $0 >= 115 } }
      #expect(catchUps.allSatisfy { $0.count == 1 })
      #expect(Set(catchUps.compactMap(\.first)).count > 1)
      await bench.pass(100)
      #expect(bench.runs.values.allSatisfy { $0.filter { $0 > 120 }.count == 10 })
    }
  }

  @Test func missedRunsAreLeftOutWhenTheJobSaysSo() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("skipping", .every(.seconds(3600)), misfire: .skip))
      bench.scheduler.start()
      bench.clock.set(to: bench.clock.now + .seconds(3 * 3600 + 600))
      await bench.pass(60)
      #expect(bench.runs.isEmpty)
      #expect(bench.row("skipping")["misfire"] == "skip")
    }
  }

  @Test func aClockSetBackStopsNoInterval() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("poll", .every(.seconds(30))))
      bench.scheduler.start()
      await bench.pass(35)
      bench.clock.set(to: bench.clock.now - .seconds(7200))
      await bench.pass(180)
      #expect(bench.runs["poll"]?.filter { $0 < 0 }.count ?? 0 >= 3)
    }
  }

  @Test(arguments: [
    ("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]),
    ("0 0 * * *", "Africa/Cairo", "2026-04-23T12:00:00Z", ["2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"]),
    ("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", ["2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"]),
    ("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]),
  ])
  func aFixedTimeComesOnceADayWhateverTheClocksDo(
    _ expression: String, _ zone: String, _ start: String, _ runs: [String]
  ) async throws {
    let cron = try CronExpression(parsing: expression, timeZone: TimeZone(identifier: zone))
    let start = try #require(Timestamp(rfc3339: start))
    try await onLoop {
      let bench = try SchedulerBench(at: start)
      bench.scheduler.add(bench.job("job", .cron(cron, text: expression)))
      bench.scheduler.start()
      await bench.pass(48 * 4, of: .seconds(900))
      #expect(bench.times("job") == runs)
    }
  }

  @Test func aPausedJobRunsOnlyWhenAsked() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("job", .every(.seconds(10))))
      bench.scheduler.start()
      await bench.pass(10)
      try await bench.scheduler.pause("job")
      #expect(bench.row("job")["paused"] == true)
      #expect(bench.row("job")["next"]?.isNull == true)
      await bench.pass(25)
      _ = try await bench.scheduler.run("job")
      await bench.pass(30)
      #expect(bench.runs["job"] == [10, 35])
      try await bench.scheduler.resume("job")
      await bench.pass(10)
      #expect(bench.runs["job"] == [10, 35, 75])
    }
  }

  @Test func aRunThatIsAskedForGivesItsResultAndLeavesTheScheduleAlone() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("job", .every(.seconds(10))) { ["polled": 3] })
      bench.scheduler.start()
      await bench.pass(5)
      let result = try await bench.scheduler.run("job")
      #expect(result == ["polled": 3])
      await bench.pass(10)
      #expect(bench.runs["job"] == [5, 10])
    }
  }

  @Test func allWhoAskDuringARunShareTheOneAfterIt() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("job", .every(.seconds(10)), takes: .seconds(4)))
      bench.scheduler.start()
      await bench.pass(11)
      let first = Loop.task { try await bench.scheduler.run("job") }
      let second = Loop.task { try await bench.scheduler.run("job") }
      await bench.pass(8)
      _ = try await (first.value, second.value)
      #expect(bench.runs["job"] == [10, 14])
    }
  }

  @Test func whoStopsWaitingForARunDoesNotStopIt() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("job", .every(.seconds(3600)), takes: .seconds(4)))
      bench.scheduler.start()
      let asker = Loop.task { try await bench.scheduler.run("job") }
      await bench.pass(1)
      asker.cancel()
      await #expect(throws: CancellationError.self) { try await asker.value }
      #expect(bench.running == 1)
      await bench.pass(4)
      #expect(bench.row("job")["lastDuration"] == "4s")
    }
  }

  @Test func anUnknownJobIsNotFound() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      let error = await #expect(throws: RPCError.self) { try await bench.scheduler.run("nope") }
      #expect(error?.kind == "not-found")
      await #expect(throws: RPCError.self) { try await bench.scheduler.pause("nope") }
    }
  }

  @Test func aRemovedJobIsCancelledAndForgotten() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("job", .every(.seconds(10)), takes: .seconds(60)))
      bench.scheduler.start()
      await bench.pass(10)
      await bench.scheduler.remove("job")
      #expect(bench.running == 0)
      await bench.pass(100)
      #expect(bench.runs["job"] == [10])
      #expect(bench.scheduler.names.isEmpty)
    }
  }

  @Test func aReplacedJobFollowsItsNewScheduleAndKeepsItsHistory() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("job", .every(.seconds(10))))
      bench.scheduler.start()
      await bench.pass(12)
      bench.scheduler.add(bench.job("job", .every(.seconds(100))))
      #expect(bench.row("job")["last"] == "2026-11-30T00:00:10Z")
      #expect(bench.row("job")["schedule"] == "every 100s")
      await bench.pass(110)
      #expect(bench.runs["job"] == [10, 112])
    }
  }

  @Test func aReplacedJobWithItsOldScheduleKeepsItsRhythm() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("job", .every(.seconds(10))))
      bench.scheduler.start()
      await bench.pass(12)
      bench.scheduler.add(bench.job("job", .every(.seconds(10))))
      await bench.pass(10)
      #expect(bench.runs["job"] == [10, 20])
    }
  }

  @Test func stoppingWaitsForWhatRunsAndBeginsNothingNew() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("job", .every(.seconds(10)), takes: .seconds(3)))
      bench.scheduler.start()
      await bench.pass(10)
      let stopped = Loop.task { await bench.scheduler.stop(within: .seconds(10)) }
      await bench.pass(4)
      try await stopped.value
      #expect(bench.row("job")["lastDuration"] == "3s")
      #expect(bench.row("job")["lastError"]?.isNull == true)
      await bench.pass(100)
      #expect(bench.runs["job"] == [10])
      await #expect(throws: RPCError.self) { try await bench.scheduler.run("job") }
    }
  }

  @Test func stoppingCancelsWhatTakesTooLong() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("job", .every(.seconds(10)), takes: .seconds(3600)))
      bench.scheduler.start()
      await bench.pass(10)
      let stopped = Loop.task { await bench.scheduler.stop(within: .seconds(5)) }
      await bench.pass(5)
      try await stopped.value
      await bench.settle()
      #expect(bench.running == 0)
    }
  }

  @Test func aRowShowsTheNextThreeTimes() async throws {
    try await onLoop {
      let bench = try SchedulerBench()
      bench.scheduler.add(bench.job("job", .hourly))
      bench.scheduler.start()
      let row = bench.row("job")
      #expect(row["next"] == "2026-11-30T01:00:00Z")
      #expect(row["upcoming"] == ["2026-11-30T01:00:00Z", "2026-11-30T02:00:00Z", "2026-11-30T03:00:00Z"])
      #expect(row["last"]?.isNull == true)
    }
  }
}
