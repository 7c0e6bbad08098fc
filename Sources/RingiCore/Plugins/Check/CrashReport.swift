internal import CLinux
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
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in
      _ = write(CrashReport.output, CrashReport.text.baseAddress, CrashReport.text.count)
      _exit(1)
    }
    action.sa_flags = SA_ONSTACK
    for number in signals { sigaction(number, &action, nil) }
  }

  /// Gives the calling thread a stack for the report alone, since a crash may be the end of its own.
  ///
  /// It stays for the life of the process. A thread that the library starts has none.
  static func addStack() {
    let size = 64 << 10
    var stack = stack_t()
    stack.ss_sp = .allocate(byteCount: size, alignment: 16)
    stack.ss_size = size
    sigaltstack(&stack, nil)
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
