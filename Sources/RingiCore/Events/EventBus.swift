package import EventLoop
internal import JSON
internal import JSONRPC
package import RingiModel
internal import Timing

/// Where events are recorded, and from where they fan out.
@Loop
package final class EventBus {
  /// Hears of each batch of events once it is in the log.
  package protocol Listener: AnyObject {
    func received(_ records: [EventRecord])
  }

  /// The longest chain of events that cause each other.
  package static let maxCauses = 8

  package let log: EventLog
  package let store: Store
  private let clock: any LoopClock
  private let host: String
  let redactor: Redactor
  private var ids = ULIDGenerator()
  private var listeners: [any Listener] = []

  /// Makes a bus over a store.
  ///
  /// - Parameters:
  ///   - store: Where events are recorded.
  ///   - clock: Time.
  ///   - host: The machine's name, a part of every event's source.
  ///   - redactor: Takes secrets out of what events tell.
  package init(store: Store, clock: any LoopClock, host: String, redactor: Redactor = Redactor()) {
    self.store = store
    self.clock = clock
    self.host = host
    self.redactor = redactor
    log = EventLog(store: store)
    store.onCommit = { [unowned self] records in
      log.append(records)
      for listener in listeners { listener.received(records) }
    }
    store.onTrim = { [unowned self] in log.trimmed(first: $0) }
  }

  package func add(_ listener: any Listener) { listeners.append(listener) }

  package func remove(_ listener: any Listener) { listeners.removeAll { $0 === listener } }

  /// Records events, and tells the listeners of them, in order.
  ///
  /// - Parameters:
  ///   - drafts: What happened; the order is the order of their sequences.
  ///   - changes: What else is recorded with them: all of it or nothing.
  /// - Returns: The events as they stand in the log.
  /// - Throws: `RPCError` (conflict) when an event's chain of causes is too long, (unavailable) when the store can't
  ///   record them; nothing is published then.
  @discardableResult
  package func publish(_ drafts: [EventDraft], with changes: [Change] = []) async throws -> [Event] {
    try await record(drafts, with: changes).map(\.event)
  }

  /// As ``publish(_:with:)``, with the events' texts.
  func record(_ drafts: [EventDraft], with changes: [Change] = []) async throws -> [EventRecord] {
    for draft in drafts where draft.causes.count > Self.maxCauses {
      throw RPCError.conflict(
        "The event \(draft.type) is the end of a chain of more than \(Self.maxCauses) events that caused each other and was dropped; look for a hook or plugin that answers its own events."
      )
    }
    return try await store.record(changes, events: drafts.map(unnumbered))
  }

  /// Records what has happened already: while the store can't, it waits in memory.
  ///
  /// - Parameters:
  ///   - drafts: What happened; the order is the order of their sequences.
  ///   - changes: What else is recorded with them: all of it or nothing.
  /// - Returns: The events as they stand in the log; `nil` when they are still to be recorded.
  @discardableResult
  package func keep(_ drafts: [EventDraft], with changes: [Change] = []) async -> [Event]? {
    await store.keep(changes, events: drafts.map(unnumbered))?.map(\.event)
  }

  /// As ``keep(_:with:)``, for one who needn't know when.
  func note(_ drafts: [EventDraft], with changes: [Change] = []) {
    store.note(changes, events: drafts.map(unnumbered))
  }

  /// The event that stands for events that are gone from the log.
  ///
  /// - Parameters:
  ///   - from: The first of them.
  ///   - to: The last of them.
  /// - Returns: An event that is in no log; its id is the same each time.
  func lost(_ from: Int64, _ to: Int64) -> Event {
    Event(
      id: "lost-\(from)-\(to)", source: "ringi://\(host)/agent", type: .eventsLost, time: clock.now, subject: nil,
      sequence: to, data: ["from": JSONValue(from), "to": JSONValue(to)])
  }

  /// What appends an entry to the audit log.
  func audit(_ entry: AuditEntry) -> Change { .audit(entry, redactor: redactor) }

  private func unnumbered(_ draft: EventDraft) -> UnnumberedEvent {
    let now = clock.now
    return UnnumberedEvent(
      id: ids.next(at: now), source: "ringi://\(host)/\(draft.instance ?? "agent")", type: draft.type, time: now,
      subject: draft.subject.map(redactor.redact), data: redactor.redact(draft.data), causes: draft.causes)
  }
}
