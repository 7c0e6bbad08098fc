internal import EventLoop
internal import Glibc

/// The loop's thread, started once for all tests of a process.
private enum LoopThread {
  static let started: Void = {
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { _ in
        Loop.run(); return nil
      }, nil)
    pthread_detach(thread)
  }()
}

/// Runs a test's body on the loop.
///
/// - Parameter body: What to run; state isolated to the loop is at hand in it.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
package func onLoop<T: Sendable>(_ body: @escaping @Loop @Sendable () async throws -> T) async throws -> T {
  LoopThread.started
  let task = Loop.task(body)
  return try await withTaskCancellationHandler {
    try await task.value
  } onCancel: {
    task.cancel()
  }
}
