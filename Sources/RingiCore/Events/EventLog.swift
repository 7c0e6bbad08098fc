package import EventLoop
internal import JSON
package import RingiModel

/// An event and its JSON text, which is made once however many read it.
package final class EventRecord: Sendable {
  package let event: Event
  package let utf8: [UInt8]

  package init(_ event: Event) {
    self.event = event
    utf8 = event.json.utf8
  }
}

/// The numbered events, oldest first, in memory: the newest of them, as far as the bounds allow.
@Loop
package final class EventLog {
  /// The most that is kept.
  package struct Bounds: Sendable {
    package var events = 10_000
    package var bytes = 32 << 20
    package init() {}
  }

  private let bounds: Bounds
  private var records: [EventRecord?] = []
  private var head = 0
  private var bytes = 0
  package private(set) var lastSequence: Int64 = 0

  package init(bounds: Bounds = Bounds()) { self.bounds = bounds }

  /// The oldest sequence still here; one past the last when there is none.
  package var firstSequence: Int64 { lastSequence - Int64(records.count - head) + 1 }

  package var count: Int { records.count - head }

  func append(_ record: EventRecord) {
    records.append(record)
    lastSequence = record.event.sequence
    bytes += record.utf8.count
    while count > bounds.events || (bytes > bounds.bytes && count > 1) { dropFirst() }
    if head > 1024, head > records.count / 2 {
      records.removeFirst(head)
      head = 0
    }
  }

  private func dropFirst() {
    bytes -= records[head]?.utf8.count ?? 0
    records[head] = nil
    head += 1
  }

  /// The records after a sequence that are still here, oldest first.
  package func records(after sequence: Int64, limit: Int = .max) -> [EventRecord] {
    let skipped = Int(clamping: max(0, sequence - firstSequence + 1))
    let start = min(head + skipped, records.count)
    return records[start..<min(records.count, start + min(limit, records.count))].compactMap(\.self)
  }
}
