import Synchronization

/// Counts what the threads of a server see.
final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }
  func add() { count.add(1, ordering: .relaxed) }
  func subtract() { count.subtract(1, ordering: .relaxed) }
}
