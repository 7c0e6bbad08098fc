import EventLoop
import RingiTestSupport
import Testing
import Timing

@Suite struct AlarmTests {
  @Test func alarmsFireInTheOrderOfTheirTimesAndTiesInTheOrderTheyWereSet() async throws {
    try await onLoop {
      let clock = TestClock()
      var fired: [Int] = []
      for delay in [30, 10, 20, 10] {
        _ = clock.alarm(after: .seconds(delay)) { fired.append(delay) }
      }
      clock.advance(by: .seconds(15))
      #expect(fired == [10, 10])
      clock.advance(by: .seconds(15))
      #expect(fired == [10, 10, 20, 30])
    }
  }

  @Test func anyAlarmOfManyCanBeCancelled() async throws {
    try await onLoop {
      let queue = AlarmQueue()
      var random = SystemRandomNumberGenerator()
      var fired: [Int64] = []
      let alarms = (0..<1000).map { _ in
        let deadline = Int64.random(in: 0..<500, using: &random)
        return (deadline, queue.add(at: deadline) { fired.append(deadline) })
      }
      let kept = alarms.filter { _ in Bool.random(using: &random) }
      for (_, alarm) in alarms where !kept.contains(where: { $0.1 === alarm }) { alarm.cancel() }
      while let alarm = queue.popDue(at: 500) { alarm.fire() }
      #expect(fired == kept.map(\.0).sorted())
      #expect(queue.isEmpty)
    }
  }

  @Test func aCancelledSleepThrowsAtOnceAndLeavesNoAlarm() async throws {
    try await onLoop {
      let clock = TestClock()
      let sleeper = Loop.task { try await clock.sleep(for: .seconds(60)) }
      try await clock.sleepers(1)
      sleeper.cancel()
      await #expect(throws: CancellationError.self) { try await sleeper.value }
      #expect(clock.pending == 0)
    }
  }

  @Test func aWallAlarmHearsOfASetClockAndAMonotonicOneDoesNot() async throws {
    try await onLoop {
      let clock = TestClock()
      var fired: [String] = []
      _ = clock.alarm(at: Timestamp(milliseconds: clock.now.milliseconds + 3_600_000)) { fired.append("wall") }
      _ = clock.alarm(after: .seconds(3600)) { fired.append("monotonic") }
      clock.set(to: Timestamp(milliseconds: clock.now.milliseconds + 7_200_000))
      #expect(fired == ["wall"])
      clock.advance(by: .seconds(3600))
      #expect(fired == ["wall", "monotonic"])
    }
  }

  @Test func theMachinesClocksKeepTheirWord() async throws {
    try await onLoop {
      let clock = SystemClock.shared
      let before = clock.uptime
      try await clock.sleep(for: .milliseconds(20))
      #expect(clock.uptime - before >= 20_000_000)
      let wall = clock.now
      try await clock.sleep(until: Timestamp(milliseconds: wall.milliseconds + 20))
      #expect(clock.now.milliseconds >= wall.milliseconds + 20)
    }
  }

  @Test func workThatTakesTooLongIsCancelledAndSaysSo() async throws {
    try await onLoop {
      let clock = TestClock()
      let task = Loop.task {
        try await clock.withTimeout(.seconds(5)) { try await clock.sleep(for: .seconds(60)) }
      }
      try await clock.sleepers(2)
      clock.advance(by: .seconds(5))
      await #expect(throws: TimeoutError(limit: .seconds(5))) { try await task.value }
      #expect(clock.pending == 0)
    }
  }
}
