/// The isolation of everything the agent owns: one thread, one epoll, no locks.
///
/// State isolated to `Loop` is touched by the loop's thread alone, so code inside is plain synchronous calls where
/// nothing waits and `await` where something does.
@globalActor
public actor Loop {
  public static let shared = Loop()

  nonisolated let executor = LoopExecutor()

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private init() {}

  /// Runs the loop on the calling thread until ``stop()``.
  ///
  /// The calling thread is the loop's from the first call on; a second call must come from the same thread.
  public nonisolated static func run() {
    shared.executor.run()
  }

  /// Makes ``run()`` return at the end of the current turn; may be called from any thread.
  public nonisolated static func stop() {
    shared.executor.stop()
  }

  /// Starts a task that stays on the loop's thread through every suspension; the one way tasks are made here.
  ///
  /// A task made by a plain `Task { @Loop in … }` would hop to the global pool and back at each suspension, and
  /// `Task.immediate` starts at once only without the preference that keeps it here.
  ///
  /// - Parameter body: The work; it inherits no cancellation.
  /// - Returns: A handle to cancel the task or to wait for its value.
  @discardableResult
  public nonisolated static func task<T: Sendable>(
    _ body: @escaping @Loop @Sendable () async throws -> T
  ) -> Task<T, any Error> {
    Task(executorPreference: shared.executor) { try await body() }
  }

  /// Runs `body` at once when called on the loop's thread, else in one of its next turns.
  ///
  /// - Parameter body: What to run; a cancellation handler, say.
  public nonisolated static func run(_ body: @escaping @Loop @Sendable () -> Void) {
    if shared.executor.isOnThread {
      assumeIsolated(body)
    } else {
      task { body() }
    }
  }

  /// Whether the calling thread is the loop's.
  public nonisolated static var isCurrent: Bool { shared.executor.isOnThread }

  /// Calls `flush()` on the object once at the end of the current turn, after everything that is ready has run.
  ///
  /// The caller sees to it that an object is queued once a turn at most.
  @Loop
  public static func flushAtEndOfTurn(_ object: any Flushable) {
    shared.executor.flushing.append(object)
  }

  /// Calls loop-isolated code from code that the compiler can't see to be on the loop's thread: a C callback.
  ///
  /// - Parameter body: What to run; it must not suspend.
  /// - Returns: What `body` returns.
  public nonisolated static func assumeIsolated<T>(_ body: @Loop () throws -> T) rethrows -> T {
    shared.executor.checkIsolated()
    // The isolation was checked a line above; removing it from the type changes no representation.
    return try withoutActuallyEscaping(body) { try unsafeBitCast($0, to: (() throws -> T).self)() }
  }
}
