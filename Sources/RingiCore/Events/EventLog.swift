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
  /// Called once a minute, when the oldest may be gone.
  var onTrim: @Loop () -> Void = {}

  init(store: Store) { self.store = store }

  /// The oldest sequence still there; one past the last when there is none.
  package var firstSequence: Int64 { max(firstStored, lastSequence - store.retention.events + 1) }

  package var count: Int { Int(lastSequence - firstSequence + 1) }

  /// Takes over what the store holds.
  func restore(_ range: EventRows.Range) {
    (firstStored, lastSequence) = (range.first, range.last)
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
    let last = lastSequence
    let page = try await store.read {
      try EventRows.page($0, after: sequence, through: last, matching: filter, limit: limit)
    }
    return (page.rows, page.through)
  }

  /// Reads the texts of events from the store; the same otherwise.
  func texts(
    after sequence: Int64, matching filter: EventFilter, limit: Int
  ) async throws -> (texts: [[UInt8]], through: Int64) {
    let last = lastSequence
    let page = try await store.read {
      try EventRows.texts($0, after: sequence, through: last, matching: filter, limit: limit)
    }
    return (page.rows, page.through)
  }
}
