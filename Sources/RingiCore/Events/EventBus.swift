package import EventLoop
internal import JSON
internal import JSONRPC
package import RingiModel
internal import Timing

/// Where events become numbered, and from where they fan out.
@Loop
package final class EventBus {
  /// Hears of each batch of events once it is in the log.
  package protocol Listener: AnyObject {
    func received(_ records: [EventRecord])
  }

  /// The longest chain of events that cause each other.
  package static let maxCauses = 8

  package let log: EventLog
  private let clock: any LoopClock
  private let host: String
  private let redactor: Redactor
  private var ids = ULIDGenerator()
  private var listeners: [any Listener] = []

  package init(log: EventLog, clock: any LoopClock, host: String, redactor: Redactor = Redactor()) {
    self.log = log
    self.clock = clock
    self.host = host
    self.redactor = redactor
  }

  package func add(_ listener: any Listener) { listeners.append(listener) }

  package func remove(_ listener: any Listener) { listeners.removeAll { $0 === listener } }

  /// Numbers events, keeps them, and tells the listeners, in order.
  ///
  /// - Parameter drafts: What happened; the order is the order of their sequences.
  /// - Returns: The events as they stand in the log.
  /// - Throws: `RPCError` (conflict) when an event's chain of causes is too long; nothing is published then.
  @discardableResult
  package func publish(_ drafts: [EventDraft]) async throws -> [Event] {
    for draft in drafts where draft.causes.count > Self.maxCauses {
      throw RPCError.conflict(
        "The event \(draft.type) is the end of a chain of more than \(Self.maxCauses) events that caused each other and was dropped; look for a hook or plugin that answers its own events."
      )
    }
    let now = clock.now
    let records = drafts.enumerated().map { index, draft in
      EventRecord(
        Event(
          id: ids.next(at: now), source: "ringi://\(host)/\(draft.instance ?? "agent")", type: draft.type, time: now,
          subject: draft.subject, sequence: log.lastSequence + 1 + Int64(index), data: redactor.redact(draft.data),
          causes: draft.causes))
    }
    for record in records { log.append(record) }
    for listener in listeners { listener.received(records) }
    return records.map(\.event)
  }
}
