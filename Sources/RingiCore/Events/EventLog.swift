package import EventLoop
internal import JSON
internal import JSONRPC
package import RingiModel

/// An event and the notification that tells of it, whose text is made once however many read it.
package final class EventRecord: Sendable {
  package let event: Event
  /// The notification, and the place in it where the subscription's id belongs.
  private let notification: [UInt8]
  private let idPlace: Int
  /// The event's; here so that telling a subscriber need not look into the event.
  let sequence: Int64
  /// What it holds in memory, roughly.
  let size: Int

  package init(_ event: Event) {
    self.event = event
    var text: [UInt8] = []
    text.append(literal: #"{"jsonrpc":"2.0","method":"#)
    JSONValue(event.type.rawValue).write(into: &text)
    text.append(literal: #","params":{"subscription":""#)
    idPlace = text.count
    text.append(literal: #"","event":"#)
    event.json.write(into: &text)
    text.append(literal: "}}")
    notification = text
    sequence = event.sequence
    size = text.count
  }

  /// Appends the notification for a subscription.
  func write(subscription: String, into output: inout [UInt8]) {
    // By pointers, since appending an array costs a retain and a release for each subscriber.
    notification.withUnsafeBufferPointer { text in
      output.append(contentsOf: UnsafeBufferPointer(rebasing: text[..<idPlace]))
      output.append(contentsOf: subscription.utf8)
      output.append(contentsOf: UnsafeBufferPointer(rebasing: text[idPlace...]))
    }
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
    lastSequence = record.sequence
    bytes += record.size
    while count > bounds.events || (bytes > bounds.bytes && count > 1) { dropFirst() }
    if head > 1024, head > records.count / 2 {
      records.removeFirst(head)
      head = 0
    }
  }

  private func dropFirst() {
    bytes -= records[head]?.size ?? 0
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
