/// A call that a clock will make once; see ``LoopClock``.
@Loop
public final class Alarm {
  nonisolated let deadline: Int64
  /// Among equal deadlines the one set first fires first.
  nonisolated let order: UInt64
  private var body: (@Loop () -> Void)?
  private nonisolated let queue: AlarmQueue

  /// The place in the queue's heap, or -1.
  ///
  /// Touched by the loop's thread alone, as the queue is.
  nonisolated(unsafe) var index = -1

  init(deadline: Int64, order: UInt64, queue: AlarmQueue, body: @escaping @Loop () -> Void) {
    self.deadline = deadline
    self.order = order
    self.queue = queue
    self.body = body
  }

  /// Whether it is still to come.
  public var isPending: Bool { body != nil }

  /// Takes the alarm back; without effect once it has fired.
  public func cancel() {
    body = nil
    queue.remove(self)
  }

  package func fire() {
    let body = body
    self.body = nil
    body?()
  }
}
