internal import RingiKit

/// Lets so many through at once, in the order in which they came, and so many wait.
@Loop
final class NowWebTurns {
  /// So many wait already.
  struct Full: Error {}

  private let width: Int
  private let limit: Int
  private var taken = 0
  private var waiting: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
  private var next = 0

  /// - Parameters:
  ///   - width: How many are let through at once.
  ///   - limit: How many may wait.
  init(width: Int, limit: Int) {
    self.width = width
    self.limit = limit
  }

  /// Does the work when its turn has come.
  ///
  /// - Throws: What the work throws; `Full`; `CancellationError` when the task is cancelled while it waits.
  func run<T: Sendable>(_ work: @Loop () async throws -> T) async throws -> T {
    try await take()
    defer { release() }
    return try await work()
  }

  private func take() async throws {
    try Task.checkCancellation()
    guard taken >= width else {
      taken += 1
      return
    }
    guard waiting.count < limit else { throw Full() }
    let id = next
    next += 1
    let isMine = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled { return continuation.resume(returning: false) }
        waiting.append((id, continuation))
      }
    } onCancel: {
      Loop.run { self.leave(id) }
    }
    guard isMine else { throw CancellationError() }
    // A turn that came together with the cancellation is somebody else's.
    if Task.isCancelled {
      release()
      throw CancellationError()
    }
  }

  private func leave(_ id: Int) {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
    waiting.remove(at: index).continuation.resume(returning: false)
  }

  private func release() {
    guard !waiting.isEmpty else { return taken -= 1 }
    waiting.removeFirst().continuation.resume(returning: true)
  }
}
