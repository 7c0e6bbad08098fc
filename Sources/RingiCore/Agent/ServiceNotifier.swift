internal import CLinux
package import EventLoop
internal import Glibc

/// Tells systemd how the agent is: sd_notify(3)'s protocol, and the sockets that it passes on.
@Loop
package final class ServiceNotifier {
  private let path: String?
  private let watchdog: Duration?
  private let clock: any LoopClock
  private var alarm: Alarm?

  /// Reads `NOTIFY_SOCKET` and `WATCHDOG_USEC`; without them every call is without effect.
  package init(environment: [String: String], clock: any LoopClock) {
    path = environment["NOTIFY_SOCKET"]
    self.clock = clock
    let isForUs = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
    watchdog = isForUs ? environment["WATCHDOG_USEC"].flatMap { Int64($0) }.map { .microseconds($0) / 2 } : nil
  }

  package func ready() {
    send("READY=1")
    feed()
  }

  /// Says that a reload goes on; `ready()` ends it.
  package func reloading() {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    send("RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1000)")
  }

  package func stopping() {
    alarm?.cancel()
    send("STOPPING=1")
  }

  private func feed() {
    guard let watchdog, path != nil, alarm?.isPending != true else { return }
    alarm = clock.alarm(after: watchdog) { [weak self] in
      self?.send("WATCHDOG=1")
      self?.feed()
    }
  }

  private func send(_ message: String) {
    guard let path, !path.isEmpty else { return }
    let socket = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard socket >= 0 else { return }
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8.prefix(UnixSocket.maxPathBytes))
    withUnsafeMutableBytes(of: &address.sun_path) { target in
      target.copyBytes(from: bytes)
      // An `@` stands for the NUL of the abstract namespace.
      if bytes.first == UInt8(ascii: "@") { target[0] = 0 }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(socket, message, message.utf8.count, CInt(MSG_NOSIGNAL), $0, length)
      }
    }
  }

  /// The listening sockets that systemd passed on, by `LISTEN_FDS`.
  ///
  /// - Parameter environment: The process' environment.
  /// - Returns: Descriptors, and the path each is bound to.
  package nonisolated static func inheritedSockets(_ environment: [String: String]) -> [(
    descriptor: CInt, path: String
  )] {
    guard environment["LISTEN_PID"] == String(getpid()), let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }),
      (1...64).contains(count)
    else { return [] }
    return (3..<3 + count).compactMap { descriptor in
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      return UnixSocket.boundPath(of: descriptor).map { (descriptor, $0) }
    }
  }
}
