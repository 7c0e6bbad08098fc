internal import EventLoop

/// Bounds how many programs run at once; hooks that wait for a place get one in turn, however many places each wants.
@Loop
final class ProcessSlots {
  private let limit: Int
  private(set) var used = 0
  /// The hooks that wait, the next one first, each with its gates in order.
  private var queues: [(hook: String, gates: [Gate])] = []

  init(limit: Int) { self.limit = limit }

  /// Takes a place, or waits for one.
  ///
  /// - Parameter hook: Who asks.
  /// - Throws: `CancellationError`; no place is held then.
  func acquire(for hook: String) async throws {
    guard used >= limit else { return used += 1 }
    let gate = Gate()
    if let index = queues.firstIndex(where: { $0.hook == hook }) {
      queues[index].gates.append(gate)
    } else {
      queues.append((hook, [gate]))
    }
    do {
      try await gate.wait()
    } catch {
      // It may have been given a place between the cancellation and now.
      if !forget(gate) { release() }
      throw error
    }
  }

  /// Gives a place back, to whoever is next.
  func release() {
    guard !queues.isEmpty else { return used -= 1 }
    var (hook, gates) = queues.removeFirst()
    let gate = gates.removeFirst()
    if !gates.isEmpty { queues.append((hook, gates)) }
    gate.open()
  }

  /// Whether the gate was still waiting.
  private func forget(_ gate: Gate) -> Bool {
    for index in queues.indices {
      guard let place = queues[index].gates.firstIndex(where: { $0 === gate }) else { continue }
      queues[index].gates.remove(at: place)
      if queues[index].gates.isEmpty { queues.remove(at: index) }
      return true
    }
    return false
  }
}
