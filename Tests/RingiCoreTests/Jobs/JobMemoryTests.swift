import EventLoop
import JSON
import JSONRPC
import RingiTestSupport
import Testing
import Timing

@testable import RingiCore

@Suite(.timeLimit(.minutes(5))) struct JobMemoryTests {
  @Test(
    "A run that was missed while the agent was off is made up for once, or left out, and then the rhythm goes on",
    arguments: [(Job.Misfire.once, [0, 3600]), (.skip, [3600])])
  func misfire(_ misfire: Job.Misfire, _ runs: [Int64]) async throws {
    try await onLoop {
      let first = try await StoreFolder()
      let bench = try SchedulerBench(on: first)
      bench.scheduler.add(bench.job("hourly", .every(.seconds(3600)), misfire: misfire))
      bench.scheduler.start()
      await bench.pass(2, of: .seconds(3600))
      #expect(bench.runs["hourly"] == [3600, 7200])
      let second = try await first.killed()
      await bench.scheduler.stop(within: .zero)
      first.clock.advance(by: .seconds(4 * 3600 + 600))

      let after = try SchedulerBench(at: first.clock.now, on: second)
      after.scheduler.add(after.job("hourly", .every(.seconds(3600)), misfire: misfire))
      #expect(after.row("hourly")["last"] == "2026-11-30T02:00:00Z")
      after.scheduler.start()
      await after.pass(4000)
      #expect(after.runs["hourly"] == (misfire == .once ? runs : [3600]))
      await after.scheduler.stop(within: .zero)
    }
  }

  @Test("The first run of all is made up for, too, when the agent was off at its time")
  func theFirstRun() async throws {
    try await onLoop {
      let first = try await StoreFolder()
      let bench = try SchedulerBench(on: first)
      bench.scheduler.add(bench.job("monthly", .every(.seconds(30 * 86_400))))
      bench.scheduler.start()
      let second = try await first.killed()
      await bench.scheduler.stop(within: .zero)
      first.clock.advance(by: .seconds(31 * 86_400))

      let after = try SchedulerBench(at: first.clock.now, on: second)
      after.scheduler.add(after.job("monthly", .every(.seconds(30 * 86_400))))
      after.scheduler.start()
      await after.pass(60)
      #expect(after.runs["monthly"]?.count == 1)
    }
  }

  @Test("A run that the agent's end cuts short is no failure, and made up for")
  func cutShort() async throws {
    try await onLoop {
      let first = try await StoreFolder()
      let bench = try SchedulerBench(on: first)
      bench.scheduler.add(bench.job("slow", .every(.seconds(60)), takes: .seconds(3600)))
      bench.scheduler.start()
      await bench.pass(60)
      let stop = Loop.task { await bench.scheduler.stop(within: .seconds(10)) }
      await bench.pass(10)
      try await stop.value
      await bench.settle()

      let second = try await first.reopened()
      let after = try SchedulerBench(at: first.clock.now, on: second)
      after.scheduler.add(after.job("slow", .every(.seconds(60))))
      #expect(after.row("slow")["failures"] == 0)
      after.scheduler.start()
      await after.pass(10)
      #expect(after.runs["slow"]?.count == 1)
    }
  }

  @Test("A job that failed goes on backing off after a restart, and its failures count on")
  func backoff() async throws {
    try await onLoop {
      let first = try await StoreFolder()
      let bench = try SchedulerBench(random: ConstantRandom.high, on: first)
      let fail: @Loop @Sendable () throws -> JSONValue = { throw RPCError.unavailable("Down.") }
      let poll = { (bench: SchedulerBench) in
        bench.job("poll:x", .every(.seconds(30)), runsAtStart: true, fail)
      }
      bench.scheduler.add(poll(bench))
      bench.scheduler.start()
      await bench.pass(100)
      #expect(bench.runs["poll:x"] == [0, 30, 90])
      let second = try await first.killed()
      await bench.scheduler.stop(within: .zero)

      let after = try SchedulerBench(random: ConstantRandom.high, on: second)
      after.scheduler.add(poll(after))
      after.scheduler.start()
      #expect(after.row("poll:x")["failures"] == 3)
      #expect(after.row("poll:x")["lastError"] == "Down.")
      await after.pass(120)
      #expect(after.runs["poll:x"] == [210])
      #expect(after.row("poll:x")["failures"] == 4)
    }
  }

  @Test("A backend that wants to be left alone is left alone after a restart")
  func retryAfter() async throws {
    try await onLoop {
      let first = try await StoreFolder()
      let bench = try SchedulerBench(on: first)
      bench.scheduler.add(
        bench.job("poll:x", .every(.seconds(30)), runsAtStart: true) {
          throw RPCError.unavailable("Slower.", retryAfter: 36_000)
        })
      bench.scheduler.start()
      await bench.pass(0)
      let second = try await first.killed()
      await bench.scheduler.stop(within: .zero)

      let after = try SchedulerBench(on: second)
      after.scheduler.add(after.job("poll:x", .every(.seconds(30)), runsAtStart: true))
      after.scheduler.start()
      #expect(after.row("poll:x")["heldUntil"] == "2026-11-30T10:00:00Z")
      let error = await #expect(throws: RPCError.self) { try await after.scheduler.run("poll:x") }
      #expect(error?.retryAfter == 36_000)
      await after.pass(36_040 / 10, of: .seconds(10))
      #expect(after.runs["poll:x"] == [36_000, 36_030])
    }
  }

  @Test("A poll runs at once at a start, and what it found nothing to say about costs no write")
  func polls() async throws {
    try await onLoop {
      let first = try await StoreFolder()
      let bench = try SchedulerBench(on: first)
      bench.scheduler.add(bench.job("poll:x", .every(.seconds(600)), runsAtStart: true))
      bench.scheduler.start()
      await bench.pass(1)
      _ = try await first.store.record([])
      let commit = first.store.lastCommit?.time
      await bench.pass(60, of: .seconds(60))
      #expect(bench.runs["poll:x"]?.count == 7)
      #expect(first.store.waiting == 0)
      #expect(first.store.lastCommit?.time == commit)
      await bench.scheduler.stop(within: .zero)
      let second = try await first.reopened()
      let after = try SchedulerBench(at: first.clock.now, on: second)
      after.scheduler.add(after.job("poll:x", .every(.seconds(600)), runsAtStart: true))
      #expect(after.row("poll:x")["last"] == "2026-11-30T01:00:00Z")
      after.scheduler.start()
      await after.pass(1)
      #expect(after.runs["poll:x"] == [0])
    }
  }

  @Test("A pause is there after a restart and a reload, and its end as well")
  func pauses() async throws {
    try await onLoop {
      let first = try await StoreFolder()
      let bench = try SchedulerBench(on: first)
      bench.scheduler.add(bench.job("job", .every(.seconds(10))))
      bench.scheduler.add(bench.job("poll:x", .every(.seconds(10)), runsAtStart: true))
      bench.scheduler.start()
      await bench.pass(10)
      try await bench.scheduler.pause("job")
      try await bench.scheduler.pause("poll:x")
      bench.scheduler.add(bench.job("job", .every(.seconds(20))))
      await bench.scheduler.remove("poll:x")
      bench.scheduler.add(bench.job("poll:x", .every(.seconds(20)), runsAtStart: true))
      await bench.pass(60)
      #expect(bench.runs == ["job": [10], "poll:x": [0, 10]])

      let second = try await first.killed()
      let after = try SchedulerBench(at: first.clock.now, on: second)
      after.scheduler.add(after.job("job", .every(.seconds(20))))
      after.scheduler.add(after.job("poll:x", .every(.seconds(20)), runsAtStart: true))
      after.scheduler.start()
      await after.pass(60)
      #expect(after.runs.isEmpty)
      #expect(after.row("job")["paused"] == true)
      try await after.scheduler.resume("job")
      let third = try await second.killed()
      #expect(third.state?.jobs.first { $0.name == "job" }?.isPaused == false)
      #expect(third.state?.jobs.first { $0.name == "poll:x" }?.isPaused == true)
      await after.pass(20)
      #expect(after.runs["job"] == [80])
    }
  }

  @Test("A pause that can't be recorded is refused")
  func refusal() async throws {
    try await onLoop {
      let folder = try await StoreFolder()
      let bench = try SchedulerBench(on: folder)
      bench.scheduler.add(bench.job("job", .every(.seconds(10))))
      bench.scheduler.start()
      try await folder.breakDown()
      let error = await #expect(throws: RPCError.self) { try await bench.scheduler.pause("job") }
      #expect(error?.kind == "unavailable")
      #expect(bench.row("job")["paused"] == false)
      await bench.pass(10)
      #expect(bench.runs["job"] == [10])
    }
  }

  @Test("What a job came to while the disk was in trouble is recorded when it is back")
  func trouble() async throws {
    try await onLoop {
      let folder = try await StoreFolder()
      let bench = try SchedulerBench(on: folder)
      bench.scheduler.add(bench.job("job", .every(.seconds(10))))
      bench.scheduler.start()
      try await folder.breakDown()
      await #expect(throws: RPCError.self) { try await bench.scheduler.pause("job") }
      await bench.pass(35)
      #expect(folder.store.waiting <= 2)
      try folder.mend()
      while folder.store.trouble != nil { await bench.pass(1) }
      let last = try #require(bench.scheduler.row("job")["last"]?.string)
      let next = try await folder.killed()
      #expect(next.state?.jobs.first?.last == Timestamp(rfc3339: last))
    }
  }

  @Test("A job with another schedule starts anew and keeps when it ran last")
  func anotherSchedule() async throws {
    try await onLoop {
      let first = try await StoreFolder()
      let bench = try SchedulerBench(on: first)
      bench.scheduler.add(bench.job("job", .every(.seconds(60))) { throw RPCError.conflict("No.") })
      bench.scheduler.start()
      await bench.pass(60)
      let second = try await first.killed()
      await bench.scheduler.stop(within: .zero)
      first.clock.advance(by: .seconds(3600))

      let after = try SchedulerBench(at: first.clock.now, on: second)
      after.scheduler.add(after.job("job", .every(.seconds(50))))
      after.scheduler.start()
      #expect(after.row("job")["last"] == "2026-11-30T00:01:00Z")
      #expect(after.row("job")["failures"] == 0)
      await after.pass(60)
      #expect(after.runs["job"] == [50])
    }
  }

  @Test("Jobs that are gone are forgotten, unless their file only can't be read now")
  func forgetting() async throws {
    try await onLoop {
      let first = try await StoreFolder()
      let bench = try SchedulerBench(on: first)
      for name in ["gone", "broken", "there"] { bench.scheduler.add(bench.job(name, .hourly)) }
      bench.scheduler.start()
      let second = try await first.killed()
      let after = try SchedulerBench(on: second)
      after.scheduler.add(after.job("there", .hourly))
      after.scheduler.forget { $0 == "broken" }
      let third = try await second.killed()
      #expect(third.state?.jobs.map(\.name) == ["broken", "there"])
    }
  }

  @Test("A store that opens late brings its pauses and what was missed")
  func lateStore() async throws {
    try await onLoop {
      let first = try await StoreFolder()
      let bench = try SchedulerBench(on: first)
      for name in ["paused", "missed"] { bench.scheduler.add(bench.job(name, .every(.seconds(3600)))) }
      bench.scheduler.start()
      try await bench.scheduler.pause("paused")
      await bench.pass(1, of: .seconds(3600))
      let second = try await first.killed()
      await bench.scheduler.stop(within: .zero)
      first.clock.advance(by: .seconds(2 * 3600))

      let after = try SchedulerBench(at: first.clock.now)
      for name in ["paused", "missed"] { after.scheduler.add(after.job(name, .every(.seconds(3600)))) }
      after.scheduler.start()
      await after.pass(1800)
      #expect(after.runs.isEmpty)
      after.scheduler.restore(try #require(second.state?.jobs))
      await after.pass(2, of: .seconds(3600))
      #expect(after.runs == ["missed": [1800, 5400, 9000]])
    }
  }
}
