internal import CLinux
internal import Glibc
internal import Text
package import Timing

/// What the program meets around it: environment, terminal, clock, signals.
///
/// A test passes its own.
package struct Surroundings {
  package var environment: (String) -> String?
  package var output: Output
  package var errors: Output
  /// The descriptor that `call METHOD -` reads its parameters from.
  package var input: Int32
  package var now: () -> Timestamp
  /// How far the clock on the wall is ahead of UTC, in seconds, at a time.
  package var secondsEastOfUTC: (Timestamp) -> Int
  /// Makes the descriptor that becomes readable when the person wants the program to end.
  package var interruption: () -> Int32?

  package init(
    environment: @escaping (String) -> String?, output: Output, errors: Output, input: Int32,
    now: @escaping () -> Timestamp, secondsEastOfUTC: @escaping (Timestamp) -> Int,
    interruption: @escaping () -> Int32?
  ) {
    self.environment = environment
    self.output = output
    self.errors = errors
    self.input = input
    self.now = now
    self.secondsEastOfUTC = secondsEastOfUTC
    self.interruption = interruption
  }
}

extension Surroundings {
  /// The surroundings of this process.
  package static func ofProcess() -> Surroundings {
    Surroundings(
      environment: { name in getenv(name).map { String(cString: $0) } },
      output: Output(.descriptor(STDOUT_FILENO), columns: terminalColumns(of: STDOUT_FILENO)),
      errors: Output(.descriptor(STDERR_FILENO), columns: terminalColumns(of: STDERR_FILENO)),
      input: STDIN_FILENO,
      now: Timestamp.now,
      secondsEastOfUTC: { timestamp in
        var seconds = time_t(timestamp.seconds)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return Int(parts.tm_gmtoff)
      },
      interruption: signalDescriptor)
  }

  /// SIGINT and SIGTERM as a descriptor, so that waiting for them and for the agent is one `poll`.
  private static func signalDescriptor() -> Int32? {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    let descriptor = signalfd(-1, &signals, Int32(SFD_CLOEXEC))
    guard descriptor >= 0, sigprocmask(SIG_BLOCK, &signals, nil) == 0 else { return nil }
    return descriptor
  }
}
