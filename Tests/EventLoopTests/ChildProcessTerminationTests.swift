import EventLoop
import Glibc
import RingiTestSupport
import Testing

@Suite struct ChildProcessTerminationTests {
  @Test func aProgramThatHandlesSIGTERMGetsItsChance() async throws {
    try await onLoop {
      let (child, output) = try started("trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 600 & wait; done")
      try await output.until("ready\n")
      let clock = TestClock()
      child.terminate(grace: .seconds(5), clock: clock)
      #expect(try await child.exit == .exited(3))
      #expect(output.text == "ready\nbye\n")
      clock.advance(by: .seconds(5))
      #expect(child.isGone)
    }
  }

  @Test func aProgramThatIgnoresSIGTERMIsKilledAfterTheGrace() async throws {
    try await onLoop {
      let (child, output) = try started("trap '' TERM; echo ready; sleep 600")
      try await output.until("ready\n")
      let clock = TestClock()
      child.terminate(grace: .seconds(5), clock: clock)
      clock.advance(by: .milliseconds(4999))
      #expect(child.status == nil)
      clock.advance(by: .milliseconds(1))
      #expect(try await child.gone() == .signalled(SIGKILL))
    }
  }

  @Test func whoOutlivesTheProgramInItsGroupIsKilledAfterTheGrace() async throws {
    let folder = try TemporaryFolder()
    let fifo = "\(folder.path)/alive"
    #expect(mkfifo(fifo, 0o600) == 0)
    try await onLoop {
      let reading = open(fifo, O_RDONLY | O_NONBLOCK)
      let ended = Gate()
      let (child, output) = try started(
        "(trap '' TERM; exec 9>'\(fifo)'; echo ready; exec sleep 600) & while :; do wait; done")
      try await output.until("ready\n")
      let watch = try Descriptor(reading, interest: .readable) { _ in ended.open() }
      let clock = TestClock()
      child.terminate(grace: .seconds(5), clock: clock)
      #expect(try await child.exit == .signalled(SIGTERM))
      #expect(!child.isGone)
      #expect(!ended.isOpen)
      clock.advance(by: .seconds(5))
      #expect(child.isGone)
      // The last writer's end is the survivor's end.
      try await ended.wait()
      watch.cancel()
      close(reading)
    }
  }

  @Test func aSecondTerminationChangesNothing() async throws {
    try await onLoop {
      let (child, output) = try started("trap '' TERM; echo ready; sleep 600")
      try await output.until("ready\n")
      let clock = TestClock()
      child.terminate(grace: .seconds(5), clock: clock)
      clock.advance(by: .seconds(3))
      child.terminate(grace: .seconds(5), clock: clock)
      clock.advance(by: .seconds(2))
      #expect(try await child.gone() == .signalled(SIGKILL))
      #expect(clock.pending == 0)
      child.terminate(grace: .seconds(5), clock: clock)
      #expect(clock.pending == 0)
    }
  }

  @Test func aLimitEndsTheProgramAndSoDoesACancelledWait() async throws {
    try await onLoop {
      let clock = TestClock()
      let (slow, _) = try started("exec sleep 600")
      let limited = Loop.task { try await slow.exit(within: .seconds(2), grace: .seconds(5), clock: clock) }
      try await clock.sleepers(1)
      clock.advance(by: .seconds(2))
      await #expect(throws: TimeoutError(limit: .seconds(2))) { try await limited.value }
      #expect(slow.status == .signalled(SIGTERM))
      clock.advance(by: .seconds(5))
      #expect(slow.isGone)

      let (other, _) = try started("exec sleep 600")
      let cancelled = Loop.task { try await other.exit(within: .seconds(2), grace: .seconds(5), clock: clock) }
      try await clock.sleepers(1)
      cancelled.cancel()
      #expect(try await other.exit == .signalled(SIGTERM))
      clock.advance(by: .seconds(5))
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      #expect(other.isGone)
      #expect(clock.pending == 0)
    }
  }

  @Loop private func started(_ script: String) throws -> (ChildProcess, Received) {
    let received = Received()
    let child = try ChildProcess(.init(["/bin/sh", "-c", script]), output: .pipe { received.take($0) })
    return (child, received)
  }
}
