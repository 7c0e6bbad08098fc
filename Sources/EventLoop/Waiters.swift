/// A wait for one value by any number of tasks.
@Loop
final class Waiters<Value: Sendable> {
  private var value: Value?
  private var continuations: [Int: CheckedContinuation<Value, any Error>] = [:]
  private var next = 0

  /// Lets everybody go on, and everybody who comes later.
  func end(_ value: Value) {
    self.value = value
    let waiting = continuations.sorted { $0.key < $1.key }
    continuations = [:]
    for (_, continuation) in waiting { continuation.resume(returning: value) }
  }

  /// Waits for the value.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  func wait() async throws -> Value {
    if let value { return value }
    let id = next
    next += 1
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if Task.isCancelled {
          continuation.resume(throwing: CancellationError())
        } else {
          continuations[id] = continuation
        }
      }
    } onCancel: {
      Loop.run { self.continuations.removeValue(forKey: id)?.resume(throwing: CancellationError()) }
    }
  }
}
