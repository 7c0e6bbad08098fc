internal import EventLoop
internal import JSON

/// What a run of a job comes to, for one who waits for it.
@Loop
final class JobResult {
  private let gate = Gate()
  private var result: Result<JSONValue, any Error>?

  func set(_ result: Result<JSONValue, any Error>) {
    self.result = result
    gate.open()
  }

  /// Waits for the end of the run.
  ///
  /// - Returns: What the job's body returned.
  /// - Throws: What it threw; `CancellationError` when the waiting task is cancelled, which leaves the run alone.
  func value() async throws -> JSONValue {
    try await gate.wait()
    guard let result else { throw CancellationError() }
    return try result.get()
  }
}
