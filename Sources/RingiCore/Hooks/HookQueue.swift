internal import EventLoop
internal import RingiModel

/// One hook's place in the log, and its deliveries.
///
/// The backlog takes no memory: it is what the log holds after the cursor. What a store has to keep is ``settled`` and
/// the failed deliveries; whatever was not settled is taken from the log again.
@Loop
final class HookQueue {
  var hook: Hook
  /// Whether the hook is no longer configured; nothing new is begun.
  var isRemoved = false
  /// The last event that was looked at.
  private(set) var cursor: Int64
  /// What is under way, by sequence.
  private(set) var active: [Int64: Delivery] = [:]
  /// Failed ones to be tried again, before anything new.
  private var again: [Delivery] = []
  let history: DeliveryHistory
  /// What was read from the store and is still to be looked at, and how far the reading went.
  private var page: ArraySlice<EventRecord> = []
  private var through: Int64 = 0
  /// The reading of another page.
  var reading: Task<Void, any Error>?

  /// Deliveries that arrived since the agent started.
  private(set) var delivered = 0
  /// Events that left the log before the hook got to them.
  private(set) var lost: Int64 = 0
  private(set) var lastError: String?

  init(_ hook: Hook, cursor: Int64, bounds: DeliveryHistory.Bounds = .init()) {
    self.hook = hook
    self.cursor = cursor
    history = DeliveryHistory(bounds: bounds)
  }

  /// The last event before which all are settled.
  var settled: Int64 { active.keys.min().map { $0 - 1 } ?? cursor }

  /// Every delivery still known, the newest event first.
  var deliveries: [Delivery] {
    (Array(active.values) + again + history.failed + history.delivered).sorted { $0.sequence > $1.sequence }
  }

  // MARK: The log

  /// Moves the cursor over what is gone from the log.
  ///
  /// - Returns: The first and the last event that are lost to this hook, if any are.
  func skipLost(in log: EventLog) -> ClosedRange<Int64>? {
    guard cursor + 1 < log.firstSequence else { return nil }
    let range = cursor + 1...log.firstSequence - 1
    lost += Int64(range.count)
    cursor = range.upperBound
    return range
  }

  /// What came of looking for work.
  enum Next {
    case delivery(Delivery)
    /// So many events were looked at that others should have their turn.
    case later
    /// The next events have to be read from the store.
    case read
    case nothing
  }

  /// The next delivery, when there is room for one.
  ///
  /// - Parameters:
  ///   - log: Where events are.
  ///   - budget: How many events may still be looked at in this turn.
  /// - Returns: What to do now.
  func next(in log: EventLog, budget: inout Int) -> Next {
    guard !isRemoved, active.count < hook.concurrency else { return .nothing }
    if let delivery = again.first {
      again.removeFirst()
      active[delivery.sequence] = delivery
      return .delivery(delivery)
    }
    while cursor < log.lastSequence {
      guard budget > 0 else { return .later }
      if let record = page.popFirst() {
        budget -= 1
        cursor = page.isEmpty ? max(through, record.sequence) : record.sequence
        return .delivery(begin(record))
      }
      guard reading == nil else { return .nothing }
      guard let records = log.recent(after: cursor, limit: min(budget, 64)) else { return .read }
      for case let record? in records {
        budget -= 1
        cursor = record.sequence
        if hook.filter.matches(record.event) { return .delivery(begin(record)) }
      }
    }
    return .nothing
  }

  private func begin(_ record: EventRecord) -> Delivery {
    let delivery = Delivery(hook: hook.name, record: record)
    active[record.sequence] = delivery
    return delivery
  }

  /// Takes in what was read after the cursor.
  func take(_ records: [EventRecord], through: Int64) {
    page = records[...]
    self.through = through
    if records.isEmpty { cursor = max(cursor, through) }
  }

  /// Forgets what was read with a filter that has changed.
  func dropPage() { page = [] }

  // MARK: Ends

  /// Notes how a delivery ended for good.
  func finish(_ delivery: Delivery) {
    active[delivery.sequence] = nil
    lastError = delivery.lastError ?? lastError
    if delivery.state == .delivered { delivered += 1 }
    history.add(delivery)
  }

  /// Notes a failed attempt.
  func note(_ error: String) { lastError = error }

  /// Lets go of a delivery that won't be settled.
  func forget(_ delivery: Delivery) { active[delivery.sequence] = nil }

  /// Queues failed deliveries once more, with all their attempts before them.
  ///
  /// - Parameter isWanted: Which ones.
  /// - Returns: How many there were.
  func retry(_ isWanted: (Delivery) -> Bool) -> Int {
    let taken = history.takeFailed(isWanted)
    for delivery in taken { delivery.reset() }
    again += taken
    return taken.count
  }
}
