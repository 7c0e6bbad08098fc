internal import CLinux
import Glibc

/// What the threads of a stopping server wake up from.
final class StopSignal: Sendable {
  private let event: CInt

  init() throws(ServerError) {
    event = eventfd(0, CInt(EFD_CLOEXEC))
    guard event >= 0 else { throw .noDescriptors(code: errno) }
  }

  deinit { close(event) }

  /// Wakes every waiting thread, now and from now on.
  func raise() { eventfd_write(event, 1) }

  /// Waits until `duration` has passed, or for ever.
  ///
  /// - Parameters:
  ///   - duration: nil waits without end.
  ///   - socket: if given, a client that hangs up ends the wait as well.
  /// - Returns: whether the time passed undisturbed.
  func wait(_ duration: Duration?, hangUpOf socket: CInt? = nil) -> Bool {
    var watched = [pollfd(fd: event, events: Int16(POLLIN), revents: 0)]
    // Glibc's module hides POLLRDHUP; the kernel gives it the same value as EPOLLRDHUP.
    if let socket { watched.append(pollfd(fd: socket, events: Int16(EPOLLRDHUP.rawValue), revents: 0)) }
    let deadline = duration.map { ContinuousClock.now + $0 }
    while true {
      let left = deadline.map { ContinuousClock.now.duration(to: $0) }
      if let left, left <= .zero { return true }
      let ready = poll(&watched, nfds_t(watched.count), left.map(Self.milliseconds) ?? -1)
      if ready > 0 || (ready < 0 && errno != EINTR) { return false }
    }
  }

  /// Rounded up, so that a wait never ends early and spins; at most a day at a time.
  private static func milliseconds(_ duration: Duration) -> CInt {
    let (seconds, attoseconds) = min(duration, .seconds(86_400)).components
    return CInt(seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }
}
