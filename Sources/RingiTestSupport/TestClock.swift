package import EventLoop
package import Timing

/// A clock that moves only when a test says so.
@Loop
package final class TestClock: LoopClock {
  package private(set) var now: Timestamp
  package private(set) var uptime: Int64 = 0

  private let wallAlarms = AlarmQueue()
  private let alarms = AlarmQueue()
  private var watchers: [(count: Int, gate: Gate)] = []

  package init(now: Timestamp = Timestamp(milliseconds: 1_795_996_800_000)) { self.now = now }

  package func alarm(at time: Timestamp, _ body: @escaping @Loop () -> Void) -> Alarm {
    defer { tellWatchers() }
    return wallAlarms.add(at: time.milliseconds, body)
  }

  package func alarm(after delay: Duration, _ body: @escaping @Loop () -> Void) -> Alarm {
    defer { tellWatchers() }
    return alarms.add(at: uptime + delay.nanoseconds, body)
  }

  /// How many alarms are set.
  package var pending: Int { wallAlarms.count + alarms.count }

  /// Returns once at least so many alarms are set: the moment when a test may look, or move the clock.
  package func sleepers(_ count: Int) async throws {
    guard pending < count else { return }
    let gate = Gate()
    watchers.append((count, gate))
    try await gate.wait()
  }

  /// Lets time pass: alarms fire in the order of their times, each with the clock showing its own.
  package func advance(by length: Duration) {
    let end = uptime + length.nanoseconds
    while let step = nextStep, uptime + step <= end {
      move(by: max(0, step))
      fireDue()
    }
    move(by: end - uptime)
    fireDue()
  }

  /// Advances to the next alarm, unless that is later than `limit` from now.
  package func advanceToNextAlarm(within limit: Duration) {
    guard let step = nextStep, step <= limit.nanoseconds else { return }
    advance(by: .nanoseconds(max(0, step)))
  }

  /// Sets the wall clock as an administrator would: no time passes.
  package func set(to time: Timestamp) {
    now = time
    fireDue()
  }

  private var nextStep: Int64? {
    let wall = wallAlarms.nextDeadline.map { ($0 - now.milliseconds) * 1_000_000 - remainder }
    let monotonic = alarms.nextDeadline.map { $0 - uptime }
    return [wall, monotonic].compactMap(\.self).min()
  }

  /// Nanoseconds that have passed since the wall clock's millisecond began.
  private var remainder: Int64 = 0

  private func move(by nanoseconds: Int64) {
    uptime += nanoseconds
    remainder += nanoseconds
    now = Timestamp(milliseconds: now.milliseconds + remainder / 1_000_000)
    remainder %= 1_000_000
  }

  private func fireDue() {
    while let alarm = wallAlarms.popDue(at: now.milliseconds) ?? alarms.popDue(at: uptime) { alarm.fire() }
  }

  private func tellWatchers() {
    for watcher in watchers where watcher.count <= pending { watcher.gate.open() }
    watchers.removeAll { $0.count <= pending }
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
