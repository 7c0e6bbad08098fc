internal import CLinux
internal import Glibc

/// A program that the agent started: in a process group of its own, watched without blocking.
///
/// It gets the arguments, environment and folder it is given and nothing else: signals at their defaults and unblocked,
/// no descriptors but its standard ones. The loop keeps this object alive until the program has ended.
@Loop
public final class ChildProcess {
  /// The leader's process and group number.
  public nonisolated let processID: Int32
  /// How the program ended, once it has.
  public private(set) var status: ExitStatus?
  /// Whether the process has been reaped; until then its number can't be anybody else's.
  public private(set) var isGone = false

  private let endsGroup: Bool
  private let input: ChildProcessInput?
  private let outputReader: ChildProcessOutput?
  private let errorReader: ChildProcessOutput?
  private var exitDescriptor: Descriptor?
  private var killAlarm: Alarm?
  private let exitWaiters = Waiters<ExitStatus>()
  private let goneWaiters = Waiters<ExitStatus>()

  /// Starts a program.
  ///
  /// The first call sees to it that the agent's own process ignores `SIGPIPE` and does not ignore `SIGCHLD`.
  ///
  /// - Parameters:
  ///   - command: What to run.
  ///   - input: What it reads.
  ///   - output: Where its standard output goes.
  ///   - error: Where its standard error goes.
  ///   - endsGroup: Whether what it started, and left in its group, is killed when it ends.
  /// - Throws: ``ChildProcessError`` when it could not be started; nothing is left behind then. A program that starts
  ///   and fails is no error here.
  public init(
    _ command: Command, input: Input = .null, output: Output = .null, error: Output = .null, endsGroup: Bool = false
  ) throws(ChildProcessError) {
    self.endsGroup = endsGroup
    do throws(SystemError) {
      self.input = try ChildProcessInput(input)
      outputReader = try ChildProcessOutput(output)
      errorReader = try ChildProcessOutput(error)
      processID = try ChildProcessSpawn.start(
        command, input: self.input?.pipe.far, output: outputReader?.pipe.far, error: errorReader?.pipe.far)
    } catch {
      throw ChildProcessError(command, error)
    }
    do throws(SystemError) {
      try watch()
    } catch {
      abandon()
      throw ChildProcessError(command, error)
    }
  }

  private func watch() throws(SystemError) {
    try input?.start()
    try outputReader?.start()
    try errorReader?.start()
    let pidfd = pidfd_open(processID, 0)
    guard pidfd >= 0 else { throw SystemError.last("pidfd_open") }
    do throws(SystemError) {
      exitDescriptor = try Descriptor(pidfd, interest: .readable) { _ in self.noticeExit() }
    } catch {
      close(pidfd)
      throw error
    }
  }

  /// Undoes a start that can't be watched; the wait is as short as a kill.
  private func abandon() {
    kill(-processID, SIGKILL)
    while waitpid(processID, nil, 0) < 0, errno == EINTR {}
    isGone = true
    input?.close()
    outputReader?.close()
    errorReader?.close()
  }

  // MARK: The end

  /// How the program ended; waits until it has.
  ///
  /// Any number of tasks may wait, and each may be cancelled. What the program itself has written is read by then.
  /// Another process that still holds its output open is not waited for, and what that one writes later is dropped.
  public var exit: ExitStatus {
    get async throws { try await exitWaiters.wait() }
  }

  /// Waits until nothing of ``terminate(grace:clock:)`` is left to do; the same as ``exit`` without a termination.
  ///
  /// - Returns: How the program ended.
  /// - Throws: `CancellationError`.
  @discardableResult
  public func gone() async throws -> ExitStatus { try await goneWaiters.wait() }

  private func noticeExit() {
    guard let status = ExitStatus(of: processID, leavingZombie: true) else { return }
    if let exitDescriptor {
      exitDescriptor.cancel()
      close(exitDescriptor.fileDescriptor)
    }
    exitDescriptor = nil
    input?.close()
    outputReader?.finish()
    errorReader?.finish()
    self.status = status
    exitWaiters.end(status)
    if endsGroup {
      killAlarm?.cancel()
      endTermination()
    } else if killAlarm == nil {
      reap(status)
    }
  }

  private func reap(_ status: ExitStatus) {
    _ = ExitStatus(of: processID, leavingZombie: false)
    isGone = true
    goneWaiters.end(status)
  }

  // MARK: Signals

  /// Sends a signal to the program and everything it started that stayed in its group; without effect once it is gone.
  public func signal(_ number: Int32) {
    guard !isGone else { return }
    kill(-processID, number)
  }

  /// Asks the whole group to end with `SIGTERM`, and ends it with `SIGKILL` after a grace; does not wait.
  ///
  /// When the program itself ends at once, others of its group keep the rest of the grace; so long the process is not
  /// reaped, which keeps its number from being given to a stranger.
  ///
  /// - Parameters:
  ///   - grace: From the one signal to the other.
  ///   - clock: Measures the grace.
  public func terminate(grace: Duration, clock: any LoopClock) {
    guard !isGone, killAlarm == nil else { return }
    signal(SIGTERM)
    killAlarm = clock.alarm(after: grace) { self.endTermination() }
  }

  private func endTermination() {
    killAlarm = nil
    signal(SIGKILL)
    if let status { reap(status) }
  }

  // MARK: Standard streams

  /// What was captured of the standard output; empty unless it was to be captured.
  public var output: Captured { outputReader?.captured ?? Captured() }

  /// What was captured of the standard error; empty unless it was to be captured.
  public var error: Captured { errorReader?.captured ?? Captured() }

  /// Lets a program that writes too much to its standard output wait, until it is set to false again.
  public var isOutputPaused: Bool {
    get { outputReader?.isPaused ?? false }
    set { outputReader?.isPaused = newValue }
  }

  /// Queues bytes for a program that was started with ``Input/pipe``; they are dropped when it no longer reads.
  public func write(_ bytes: some Sequence<UInt8>) { write { $0.append(contentsOf: bytes) } }

  /// The same for bytes that `body` appends to those that are queued already.
  public func write(_ body: (inout [UInt8]) -> Void) { input?.write(body) }

  /// The bytes queued that the program has not taken yet; who writes a lot looks here first.
  public var unwritten: Int { input?.unwritten ?? 0 }

  /// Ends the program's input after what is queued.
  public func closeInput() { input?.end() }
}
