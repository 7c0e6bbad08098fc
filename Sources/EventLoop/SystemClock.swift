internal import CLinux
internal import Glibc
public import Timing

/// The machine's clocks: `CLOCK_REALTIME` through one timerfd that hears of clock changes, and `CLOCK_MONOTONIC`
/// through the loop's own wait.
@Loop
public final class SystemClock: LoopClock {
  public static let shared = SystemClock()

  private let wallAlarms = AlarmQueue()
  private var timer: CInt = -1
  private var descriptor: Descriptor?
  private var armed: Int64?

  private init() {}

  public var now: Timestamp { Timestamp.now() }
  public var uptime: Int64 { MonotonicTime.now }

  public func alarm(after delay: Duration, _ body: @escaping @Loop () -> Void) -> Alarm {
    let (seconds, attoseconds) = delay.components
    let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    // Three centuries are as good as for ever, and leave room for the sum.
    let length = overflow ? Int64.max / 2 : min(nanoseconds + attoseconds / 1_000_000_000, Int64.max / 2)
    return Loop.shared.executor.alarms.add(at: MonotonicTime.now + length, body)
  }

  public func alarm(at time: Timestamp, _ body: @escaping @Loop () -> Void) -> Alarm {
    let alarm = wallAlarms.add(at: time.milliseconds, body)
    arm()
    return alarm
  }

  private func arm() {
    guard let next = wallAlarms.nextDeadline, armed.map({ next < $0 }) ?? true else { return }
    openTimer()
    armed = next
    var value = itimerspec()
    value.it_value.tv_sec = Int(max(0, next) / 1000)
    value.it_value.tv_nsec = Int(max(1, next % 1000 * 1_000_000))
    timerfd_settime(timer, CInt(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET), &value, nil)
  }

  private func openTimer() {
    guard descriptor == nil else { return }
    timer = timerfd_create(CLOCK_REALTIME, CInt(TFD_CLOEXEC | TFD_NONBLOCK))
    descriptor = try? Descriptor(timer, interest: .readable) { [unowned self] _ in self.ring() }
    precondition(descriptor != nil, "no descriptor left for the wall clock's timer")
  }

  private func ring() {
    var count: UInt64 = 0
    // ECANCELED says that the clock was set; either way what is due now fires, and the timer is set anew.
    read(timer, &count, 8)
    armed = nil
    let now = now.milliseconds
    while let alarm = wallAlarms.popDue(at: now) { alarm.fire() }
    arm()
  }
}
