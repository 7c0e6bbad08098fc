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

/// Does what blocks, away from the loop.
///
/// - Parameter work: What to do.
/// - Returns: What `work` returns.
/// - Throws: What `work` throws.
package func offLoop<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
  try await Task.detached { try work() }.value
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
