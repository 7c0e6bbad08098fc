/// Alarms in the order of their deadlines: a binary heap that knows each alarm's place, so that cancelling is cheap.
///
/// Touched by the loop's thread alone: the executor asks it between turns, clocks from loop-isolated code. That is the
/// argument for `@unchecked Sendable`.
package final class AlarmQueue: @unchecked Sendable {
  private var heap: [Alarm] = []
  private var nextOrder: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { heap.isEmpty }
  package var count: Int { heap.count }
  package var nextDeadline: Int64? { heap.first?.deadline }

  @Loop
  package func add(at deadline: Int64, _ body: @escaping @Loop () -> Void) -> Alarm {
    let alarm = Alarm(deadline: deadline, order: nextOrder, queue: self, body: body)
    nextOrder += 1
    alarm.index = heap.count
    heap.append(alarm)
    siftUp(alarm.index)
    return alarm
  }

  /// Takes out the first alarm whose deadline is not after `now`.
  package func popDue(at now: Int64) -> Alarm? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    remove(first)
    return first
  }

  package func remove(_ alarm: Alarm) {
    let index = alarm.index
    guard index >= 0 else { return }
    alarm.index = -1
    let last = heap.removeLast()
    guard index < heap.count else { return }
    heap[index] = last
    last.index = index
    siftUp(index)
    siftDown(last.index)
  }

  private func precedes(_ a: Alarm, _ b: Alarm) -> Bool {
    (a.deadline, a.order) < (b.deadline, b.order)
  }

  private func siftUp(_ start: Int) {
    var child = start
    while child > 0, precedes(heap[child], heap[(child - 1) / 2]) {
      exchange(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private func siftDown(_ start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in (2 * parent + 1)...(2 * parent + 2) where child < heap.count && precedes(heap[child], heap[least]) {
        least = child
      }
      guard least != parent else { return }
      exchange(parent, least)
      parent = least
    }
  }

  private func exchange(_ a: Int, _ b: Int) {
    heap.swapAt(a, b)
    heap[a].index = a
    heap[b].index = b
  }
}
