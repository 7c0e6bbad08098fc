internal import Glibc

/// What is written when a library ends this process by a crash: it has to be ready, since then nothing can be made up.
enum CrashReport {
  private static let signals = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP]

  // The handler may run on any thread at any moment, and can take no lock; what it reads is written beforehand.
  private nonisolated(unsafe) static var output: CInt = 1
  private nonisolated(unsafe) static var text = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  /// Has a crash write the report, and end the process with 1.
  static func arm(writingTo descriptor: CInt) {
    output = descriptor
    for number in signals {
      signal(number) { _ in
        _ = write(CrashReport.output, CrashReport.text.baseAddress, CrashReport.text.count)
        _exit(1)
      }
    }
  }

  static func disarm() {
    for number in signals { signal(number, SIG_DFL) }
  }

  /// Sets what a crash from now on writes.
  static func prepare(_ report: String) {
    let bytes = Array(report.utf8)
    let next = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    next.copyBytes(from: bytes)
    // The one before is not freed, as a handler may be reading it; there are some ten in all.
    text = next
  }
}
