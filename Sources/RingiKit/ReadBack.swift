public import EventLoop

/// Looks that settle what became of a write whose answer was lost.
public enum ReadBack {
  /// The waits before each look: a backend may apply a write some time after it dropped the connection.
  public static let pauses: [Duration] = [.milliseconds(200), .seconds(1), .seconds(2), .seconds(4), .seconds(8)]

  /// Looks until the write shows, or the looks are used up.
  ///
  /// - Parameters:
  ///   - clock: Measures the pauses.
  ///   - look: Reads the record; `nil` while it doesn't show the write. What it throws counts as nothing seen.
  /// - Returns: What the first telling look saw, or `nil` when none did.
  /// - Throws: `CancellationError`.
  @Loop
  public static func settle<T: Sendable>(
    clock: any LoopClock, _ look: @Loop () async throws -> T?
  ) async throws -> T? {
    for pause in pauses {
      try await clock.sleep(for: pause)
      // A look that fails says nothing about the write; the next one may succeed.
      if let seen = try? await look() { return seen }
    }
    return nil
  }
}
