package import EventLoop
package import JSON
internal import RingiModel
package import Timing

/// One event on its way to one hook.
@Loop
package final class Delivery {
  package enum State: String, CaseIterable, Sendable {
    /// An attempt is still to come: the first one, or one after a failure.
    case pending
    case running
    case delivered
    /// All attempts failed; it stays until somebody retries it.
    case failed
  }

  package let hook: String
  package let sequence: Int64
  package let eventID: String
  package let eventType: String
  /// The event, as long as another attempt may come.
  package private(set) var record: EventRecord?

  package private(set) var state = State.pending
  package private(set) var attempts = 0
  package private(set) var lastError: String?
  /// How the last attempt's program ended, where there was one.
  package private(set) var exit: ChildProcess.ExitStatus?
  /// When the first attempt began.
  package private(set) var startedAt: Timestamp?
  /// When the last attempt ended, if no other follows.
  package private(set) var finishedAt: Timestamp?
  /// Whether the store has it, so that it is not taken from the log again.
  private(set) var isStored = false

  init(hook: String, record: EventRecord) {
    self.hook = hook
    self.record = record
    sequence = record.event.sequence
    eventID = record.event.id
    eventType = record.event.type.rawValue
  }

  /// Goes on with what a former life of the agent left.
  init(_ stored: DeliveryRecord) {
    hook = stored.hook
    record = stored.event
    sequence = stored.event.sequence
    eventID = stored.event.event.id
    eventType = stored.event.event.type.rawValue
    state = stored.isFailed ? .failed : .pending
    attempts = stored.attempts
    lastError = stored.lastError
    exit = stored.exit
    startedAt = stored.startedAt
    finishedAt = stored.finishedAt
    isStored = true
  }

  /// What the store is to keep of it; `nil` once it has arrived.
  func store() -> DeliveryRecord? {
    guard let record else { return nil }
    isStored = true
    return DeliveryRecord(
      hook: hook, event: record, isFailed: state == .failed, attempts: attempts, lastError: lastError, exit: exit,
      startedAt: startedAt, finishedAt: finishedAt)
  }

  /// Unique among deliveries, and the same after a restart.
  package var id: String { "\(hook)/\(sequence)" }

  /// Whether it waits for another attempt after a failed one.
  var isBetweenAttempts: Bool { state == .pending && attempts > 0 }

  // MARK: States

  func begin(at now: Timestamp) {
    state = .running
    attempts += 1
    startedAt = startedAt ?? now
  }

  /// Notes an attempt's end; another one follows unless it is settled.
  func end(_ outcome: HookOutcome) {
    state = .pending
    lastError = outcome.error
    exit = outcome.exit
  }

  /// It is left unsettled; an attempt that was cut short counts for nothing.
  func interrupt() {
    if state == .running { attempts -= 1 }
    state = .pending
  }

  func settle(_ state: State, at now: Timestamp) {
    self.state = state
    finishedAt = now
    if state == .delivered { record = nil }
  }

  /// Makes a failed delivery one with all its attempts before it.
  func reset() {
    state = .pending
    attempts = 0
    startedAt = nil
    finishedAt = nil
  }

  package var json: JSONValue {
    let (code, signal) = Self.json(exit)
    return [
      "id": JSONValue(id), "hook": JSONValue(hook), "sequence": JSONValue(sequence), "event": JSONValue(eventID),
      "type": JSONValue(eventType), "state": JSONValue(state.rawValue), "attempts": JSONValue(attempts),
      "exitStatus": code, "signal": signal, "lastError": lastError.map { JSONValue($0) } ?? .null,
      "startedAt": startedAt.map { JSONValue($0.rfc3339) } ?? .null,
      "finishedAt": finishedAt.map { JSONValue($0.rfc3339) } ?? .null,
    ]
  }

  /// A program's end as the members `exitStatus` and `signal`, of which one at most is a number.
  static func json(_ exit: ChildProcess.ExitStatus?) -> (code: JSONValue, signal: JSONValue) {
    switch exit {
    case .exited(let code): (JSONValue(Int(code)), .null)
    case .signalled(let number): (.null, JSONValue(Int(number)))
    case nil: (.null, .null)
    }
  }
}
