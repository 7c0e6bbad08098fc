internal import EventLoop
internal import Timing

/// Looks once a minute whether the wall clock was set back.
///
/// Alarms at wall times notice by themselves when it is set forward; the other way round they would only come late.
@Loop
final class ClockWatch {
  private static let period: Duration = .seconds(60)
  /// Smaller steps are the slewing of a time daemon.
  private static let tolerance: Duration = .seconds(1)

  private let clock: any LoopClock
  private let setBack: @Loop (Duration) -> Void
  private var seen: (wall: Timestamp, uptime: Int64)
  private var alarm: Alarm?

  /// Begins to look.
  ///
  /// - Parameters:
  ///   - clock: The clock to watch.
  ///   - setBack: Called with the length of the way back.
  init(_ clock: any LoopClock, setBack: @escaping @Loop (Duration) -> Void) {
    self.clock = clock
    self.setBack = setBack
    seen = (clock.now, clock.uptime)
    arm()
  }

  func stop() { alarm?.cancel() }

  private func arm() {
    alarm = clock.alarm(after: Self.period) { [weak self] in self?.look() }
  }

  private func look() {
    let now = (wall: clock.now, uptime: clock.uptime)
    let expected = seen.wall + .nanoseconds(now.uptime - seen.uptime)
    seen = now
    let length = expected.duration(since: now.wall)
    if length > Self.tolerance { setBack(length) }
    arm()
  }
}
