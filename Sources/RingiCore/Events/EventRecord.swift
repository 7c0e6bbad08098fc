internal import JSON
internal import JSONRPC
package import RingiModel

/// An event and the notification that tells of it, whose text is made once however many read it.
package final class EventRecord: Sendable {
  package let event: Event
  /// The notification, and the places in it where the subscription's id belongs and where the event's text is.
  private let notification: [UInt8]
  private let idPlace: Int
  private let eventPlace: Range<Int>
  /// The event's; here so that telling a subscriber need not look into the event.
  let sequence: Int64
  /// What it holds in memory, roughly.
  var size: Int { notification.count }

  package convenience init(_ event: Event) { self.init(event) { event.json.write(into: &$0) } }

  /// Makes the record of an event whose text is at hand.
  convenience init(_ event: Event, text: [UInt8]) { self.init(event) { $0.append(contentsOf: text) } }

  private init(_ event: Event, write: (inout [UInt8]) -> Void) {
    self.event = event
    var text: [UInt8] = []
    text.append(literal: #"{"jsonrpc":"2.0","method":"#)
    JSONValue(event.type.rawValue).write(into: &text)
    text.append(literal: #","params":{"subscription":""#)
    idPlace = text.count
    text.append(literal: #"","event":"#)
    let start = text.count
    write(&text)
    eventPlace = start..<text.count
    text.append(literal: "}}")
    notification = text
    sequence = event.sequence
  }

  /// The event's JSON text.
  var text: ArraySlice<UInt8> { notification[eventPlace] }

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
