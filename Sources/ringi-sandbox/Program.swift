import Glibc
import Sandbox

/// Arguments in, one sandbox, exit code out.
enum Program {
  static func run(_ words: [String]) -> CInt {
    let arguments: SandboxArguments
    do {
      arguments = try SandboxArguments(words)
    } catch {
      return fail(EX_USAGE, "\(error.description)\n\(SandboxArguments.usage)")
    }
    if arguments.wantsHelp { return print(SandboxArguments.help) }
    // Blocked before any thread begins, so that all of them leave the signals to `waitForEnd`.
    var signals = endingSignals()
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    signal(SIGPIPE, SIG_IGN)
    return serve(arguments)
  }

  private static func serve(_ arguments: SandboxArguments) -> CInt {
    let sandbox = arguments.sandbox
    do {
      try arguments.start(sandbox)
    } catch {
      switch error {
      case .file(let path, let code): return fail(EX_NOINPUT, "cannot read \(path): \(String(cString: strerror(code)))")
      case .server(let reason): return fail(EX_UNAVAILABLE, reason)
      }
    }
    let written = print(sandbox.url)
    if written == 0 { waitForEnd(orStdin: arguments.endsWithStdin) }
    sandbox.stop()
    return written
  }

  private static func endingSignals() -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    return signals
  }

  private static func waitForEnd(orStdin: Bool) {
    if orStdin {
      var thread = pthread_t()
      let started = pthread_create(&thread, nil, { _ in Program.terminateWhenStdinCloses() }, nil)
      // Without the thread stdin's end would go unseen; ending at once is better than never.
      guard started == 0 else { return }
      pthread_detach(thread)
    }
    var signals = endingSignals()
    var received: CInt = 0
    while sigwait(&signals, &received) != 0 {}
  }

  private static func terminateWhenStdinCloses() -> UnsafeMutableRawPointer? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count == 0 || (count < 0 && errno != EINTR) { break }
    }
    kill(getpid(), SIGTERM)
    return nil
  }

  private static func print(_ text: String) -> CInt {
    write(text, to: STDOUT_FILENO) ? EX_OK : fail(EX_IOERR, "cannot write: \(String(cString: strerror(errno)))")
  }

  private static func fail(_ code: CInt, _ text: String) -> CInt {
    _ = write("ringi-sandbox: \(text)", to: STDERR_FILENO)
    return code
  }

  private static func write(_ text: String, to descriptor: CInt) -> Bool {
    var rest = Array((text + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return false }
    }
    return true
  }
}
