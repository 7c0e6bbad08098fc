package import EventLoop
internal import RingiModel

/// The numbered events, oldest first: all of them in the store, the newest in memory too.
@Loop
package final class EventLog {
  /// What is kept in memory for those who are almost up to date.
  private static let recentEvents = 256
  private static let recentBytes = 4 << 20

  private let store: Store
  private var recent: [EventRecord?] = []
  private var head = 0
  private var bytes = 0
  /// The last event that is recorded.
  package private(set) var lastSequence: Int64 = 0
  /// The oldest one that was not deleted yet.
  private var firstStored: Int64 = 1
  /// Numbers between events that belong to none here, see ``EventRows/goOn(after:_:)``.
  private var gaps: [ClosedRange<Int64>] = []
  /// Called after each look for events to let go of, once a minute or for each part of them that went.
  var onTrim: @Loop () -> Void = {}

  init(store: Store) { self.store = store }

  /// The oldest sequence still there; one past the last when there is none.
  package var firstSequence: Int64 { max(firstStored, lastSequence - store.retention.events + 1) }

  /// The oldest sequence after another one that is still there, or yet to come; those between are gone.
  package func firstSequence(after sequence: Int64) -> Int64 {
    let first = max(firstSequence, sequence + 1)
    return gaps.first { $0.contains(first) }.map { $0.upperBound + 1 } ?? first
  }

  /// How far one look may go: no further than to where a gap begins, so that nobody passes over it unawares.
  private func end(after sequence: Int64) -> Int64 {
    gaps.lazy.map { $0.lowerBound - 1 }.filter { $0 > sequence }.min() ?? lastSequence
  }

  package var count: Int { Int(lastSequence - firstSequence + 1) }

  /// Takes over what the store holds.
  func restore(_ range: EventRows.Range) {
    (firstStored, lastSequence, gaps) = (range.first, range.last, range.gaps)
    (recent, head, bytes) = ([], 0, 0)
  }

  /// Takes in what has just been recorded.
  func append(_ records: [EventRecord]) {
    for record in records {
      recent.append(record)
      lastSequence = record.sequence
      bytes += record.size
    }
    while recent.count - head > Self.recentEvents || (bytes > Self.recentBytes && recent.count - head > 1) {
      bytes -= recent[head]?.size ?? 0
      recent[head] = nil
      head += 1
    }
    guard head > Self.recentEvents else { return }
    recent.removeFirst(head)
    head = 0
  }

  /// Notes that the oldest events are gone.
  func trimmed(first: Int64) {
    firstStored = max(firstStored, first)
    onTrim()
  }

  /// The records after a sequence, oldest first, if memory holds the next one.
  ///
  /// - Parameters:
  ///   - sequence: The last one that is not wanted.
  ///   - limit: The most to return.
  /// - Returns: `nil` when they have to be read, see ``records(after:matching:limit:)``; nothing when there are none yet.
  package func recent(after sequence: Int64, limit: Int = .max) -> ArraySlice<EventRecord?>? {
    guard sequence < lastSequence else { return [] }
    let oldest = lastSequence - Int64(recent.count - head) + 1
    guard sequence + 1 >= oldest else { return nil }
    let start = head + Int(sequence + 1 - oldest)
    return recent[start..<min(recent.count, start + min(limit, recent.count - start))]
  }

  /// Reads records from the store.
  ///
  /// - Parameters:
  ///   - sequence: The last one that is not wanted.
  ///   - filter: Which ones are wanted.
  ///   - limit: The most to return.
  /// - Returns: The records, oldest first, and how far was looked.
  /// - Throws: `RPCError` (unavailable) when the store can't be read.
  package func records(
    after sequence: Int64, matching filter: EventFilter = EventFilter(), limit: Int
  ) async throws -> (records: [EventRecord], through: Int64) {
    let last = end(after: sequence)
    let page = try await store.read {
      try EventRows.page($0, after: sequence, through: last, matching: filter, limit: limit)
    }
    return (page.rows, page.through)
  }

  /// Reads the texts of events from the store; the same otherwise.
  func texts(
    after sequence: Int64, matching filter: EventFilter, limit: Int
  ) async throws -> (texts: [[UInt8]], through: Int64) {
    let last = end(after: sequence)
    let page = try await store.read {
      try EventRows.texts($0, after: sequence, through: last, matching: filter, limit: limit)
    }
    return (page.rows, page.through)
  }
}
