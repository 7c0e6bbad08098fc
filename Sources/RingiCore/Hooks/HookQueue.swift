internal import EventLoop
internal import RingiModel

/// One hook's place in the log, and its deliveries.
///
/// The backlog takes no memory: it is what the log holds after the cursor. What the store keeps is ``place``, and the
/// deliveries that failed once or for good; whatever else was not settled is taken from the log again.
@Loop
final class HookQueue {
  var hook: Hook
  /// Whether the hook is no longer configured; nothing new is begun.
  var isRemoved = false
  /// The last event that was looked at.
  private(set) var cursor: Int64
  /// What is under way, by sequence.
  private(set) var active: [Int64: Delivery] = [:]
  /// Deliveries that failed before, by sequence; each is tried again before any event after it.
  private var again: [Delivery] = []
  /// Events beyond the cursor that were dealt with in a former life of the agent.
  private var done: Set<Int64> = []
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
  /// The place that the store knows.
  private(set) var storedPlace: Int64 = -1
  /// Whether the next event in the log is about to be too old for it.
  var isNextOld = false
  /// What its owner was warned of.
  var warnings: Set<Warning> = []

  enum Warning { case failed, backlog, lost }

  init(_ hook: Hook, cursor: Int64, bounds: DeliveryHistory.Bounds = .init()) {
    self.hook = hook
    self.cursor = cursor
    history = DeliveryHistory(bounds: bounds)
  }

  /// Goes on where a former life of the agent was.
  init(_ hook: Hook, _ stored: HookRecord, last: Int64) {
    self.hook = hook
    cursor = min(stored.place.place, last)
    storedPlace = stored.place.place
    lost = stored.place.lost
    lastError = stored.place.lastError
    history = DeliveryHistory(dropped: stored.place.dropped)
    done = stored.delivered
    for record in stored.deliveries {
      let delivery = Delivery(record)
      guard record.isFailed else {
        again.append(delivery)
        continue
      }
      history.add(delivery)
      if delivery.sequence > cursor { done.insert(delivery.sequence) }
    }
  }

  /// The last event before which all are settled.
  var settled: Int64 {
    min(active.keys.min().map { $0 - 1 } ?? cursor, again.first.map { $0.sequence - 1 } ?? cursor)
  }

  /// The last event before which all are settled or in the store.
  private var place: Int64 {
    active.values.lazy.filter { !$0.isStored }.map(\.sequence).min().map { $0 - 1 } ?? cursor
  }

  /// How many deliveries are under way or to be tried again.
  var unsettled: Int { active.count + again.count }

  /// How far it has come, to be recorded.
  func takePlace() -> HookPlace {
    storedPlace = place
    return HookPlace(
      name: hook.name, place: storedPlace, lost: lost, dropped: history.dropped, lastError: lastError)
  }

  /// Whether the store is behind.
  var hasMoved: Bool { place != storedPlace }

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
    page = page.drop { $0.sequence <= cursor }
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
    while true {
      if let delivery = takeAgain(upTo: cursor < log.lastSequence ? cursor : .max) { return .delivery(delivery) }
      guard cursor < log.lastSequence else { return .nothing }
      guard budget > 0 else { return .later }
      if let record = page.first {
        if let delivery = takeAgain(upTo: record.sequence - 1) { return .delivery(delivery) }
        page.removeFirst()
        budget -= 1
        cursor = page.isEmpty ? max(through, record.sequence) : record.sequence
        if let delivery = begin(record) { return .delivery(delivery) }
        continue
      }
      guard reading == nil else { return .nothing }
      guard let records = log.recent(after: cursor, limit: min(budget, 64)) else { return .read }
      for case let record? in records {
        budget -= 1
        if hook.filter.matches(record) {
          if let delivery = takeAgain(upTo: record.sequence - 1) { return .delivery(delivery) }
          cursor = record.sequence
          if let delivery = begin(record) { return .delivery(delivery) }
        }
        cursor = record.sequence
      }
    }
  }

  /// The next delivery that failed before, if its event is none after `sequence`.
  private func takeAgain(upTo sequence: Int64) -> Delivery? {
    guard let first = again.first, first.sequence <= sequence else { return nil }
    again.removeFirst()
    active[first.sequence] = first
    return first
  }

  /// The delivery of the next event, unless it was dealt with before.
  private func begin(_ record: EventRecord) -> Delivery? {
    let isDone = done.remove(record.sequence) != nil
    if let delivery = takeAgain(upTo: record.sequence) { return delivery }
    if isDone { return nil }
    let delivery = Delivery(hook: hook.name, record: record)
    active[record.sequence] = delivery
    return delivery
  }

  /// Takes in what was read after the cursor, which may have moved meanwhile.
  func take(_ records: [EventRecord], through: Int64) {
    page = records.drop { $0.sequence <= cursor }
    self.through = through
    if page.isEmpty { cursor = max(cursor, through) }
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

  /// Queues failed deliveries once more, with all their attempts before them.
  ///
  /// - Parameter isWanted: Which ones.
  /// - Returns: How many there were.
  func retry(_ isWanted: (Delivery) -> Bool) -> Int {
    let taken = history.takeFailed(isWanted)
    for delivery in taken { delivery.reset() }
    again = (again + taken).sorted { $0.sequence < $1.sequence }
    return taken.count
  }
}
