import EventLoop
import JSON
import JSONRPC
import RingiKit
import RingiModel

/// A backend that holds tasks and answers as its script says.
@Loop
final class ScriptedSource: TaskSource {
  /// What becomes of a decision.
  enum Answer: Sendable {
    /// It is done and said so.
    case done
    /// It is done after a while, and no answer comes.
    case lost(doneAfter: Duration?)
    /// It is done, and the source is ended before the answer comes.
    case cutShort
    /// Nothing is done, and nothing comes.
    case stuck
    /// Nothing is done.
    case refused(RPCError)
    /// Somebody was first.
    case already
  }

  nonisolated let instance: String
  private let clock: any LoopClock
  private(set) var records: [String: TaskItem] = [:]
  /// What was asked, in order: `list`, `read KEY`, `approve KEY`.
  private(set) var calls: [String] = []
  /// The listed tasks that somebody wanted to look into, in order.
  private(set) var made: [String] = []
  /// Listed tasks that make no sense to whoever looks into them.
  var senseless: Set<String> = []
  var contexts: [String: JSONValue] = [:]

  var isComplete = true
  var failure: RPCError?
  var readFailure: RPCError?
  /// What the next read has found comes when the gate opens.
  var readGate: Gate?
  var answer = Answer.done
  /// What a list was made of is answered once its gate opens; `nil` answers at once.
  var listGate: Gate?
  /// A decision is made at once, and its answer comes when the gate opens.
  var answerGate: Gate?
  /// Opens when a list, or the answer of a decision, waits.
  let waiting = Gate()

  init(instance: String = "sap", clock: any LoopClock) {
    self.instance = instance
    self.clock = clock
  }

  // MARK: The backend

  nonisolated func item(
    _ key: String, title: String = "Order", status: TaskItem.Status = .ready, amount: Int = 100, created: Int64? = 0,
    changedAt: Int = 0
  ) -> TaskItem {
    TaskItem(
      id: TaskItem.ID(provider: instance, key: key), title: title, status: status,
      createdAt: created.map { .init(milliseconds: 1_795_996_800_000 + $0) }, decisive: ["amount": JSONValue(amount)],
      raw: ["amount": JSONValue(amount), "changedAt": JSONValue(changedAt)])
  }

  func put(_ items: TaskItem...) { for item in items { records[item.id.key] = item } }

  func put(_ items: [TaskItem]) { for item in items { records[item.id.key] = item } }

  func remove(_ key: String) { records[key] = nil }

  /// Somebody decides at the backend.
  func decideElsewhere(_ key: String, _ outcome: TaskItem.Outcome?, by: String? = nil) {
    records[key]?.status = .done
    records[key]?.outcome = outcome
    records[key]?.decidedBy = by
    records[key]?.actions = []
  }

  func set(_ key: String, _ status: TaskItem.Status) { records[key]?.status = status }

  var writes: [String] { calls.filter { !$0.hasPrefix("list") && !$0.hasPrefix("read") } }

  // MARK: What the agent asks

  func tasks() async throws -> TaskSnapshot {
    calls.append("list")
    let open = records.values.filter(\.status.isOpen)
    let (failure, isComplete) = (failure, isComplete)
    try await wait(listGate)
    if let failure { throw failure }
    let items = TaskSnapshot(tasks: Array(open), isComplete: isComplete).items.map { item in
      TaskSnapshot.Item(id: item.id, fingerprint: item.fingerprint) { [self] in
        made.append(item.id.key)
        if senseless.contains(item.id.key) { throw RPCError.backendError(provider: instance, message: "No sense.") }
        return try item.task()
      }
    }
    return TaskSnapshot(items: items, isComplete: isComplete)
  }

  func task(_ id: TaskItem.ID) async throws -> TaskItem? {
    calls.append("read \(id.key)")
    if let readFailure { throw readFailure }
    let (found, gate) = (records[id.key], readGate)
    readGate = nil
    try await wait(gate)
    return found
  }

  func context(of id: TaskItem.ID) async throws -> JSONValue? { contexts[id.key] }

  func preview(_ decision: Decision, on task: TaskItem) throws -> JSONValue {
    ["decision": JSONValue(decision.kind.rawValue), "context": decision.context ?? .null]
  }

  func decide(_ decision: Decision, on task: TaskItem) async throws -> TaskItem {
    let key = task.id.key
    calls.append("\(decision.kind.rawValue) \(key)")
    switch answer {
    case .done:
      decideElsewhere(key, decision.kind.outcome, by: "me")
      try await wait(answerGate)
      return records[key] ?? task
    case .lost(let delay):
      if let delay {
        _ = clock.alarm(after: delay) { [self] in decideElsewhere(key, decision.kind.outcome, by: "me") }
      }
      throw UnclearOutcome(cause: .unavailable("The connection was cut."))
    case .cutShort:
      decideElsewhere(key, decision.kind.outcome, by: "me")
      throw CancellationError()
    case .stuck:
      try await wait(Gate())
      return task
    case .refused(let error): throw error
    case .already: throw AlreadyDecided(task: records[key] ?? task)
    }
  }

  func claim(_ task: TaskItem) async throws -> TaskItem { try await reserve(task, "claim", .claimed) }

  func release(_ task: TaskItem) async throws -> TaskItem { try await reserve(task, "release", .ready) }

  private func reserve(_ task: TaskItem, _ call: String, _ status: TaskItem.Status) async throws -> TaskItem {
    calls.append("\(call) \(task.id.key)")
    if case .already = answer { throw AlreadyDecided(task: records[task.id.key] ?? task) }
    set(task.id.key, status)
    try await wait(answerGate)
    return records[task.id.key] ?? task
  }

  private func wait(_ gate: Gate?) async throws {
    guard let gate else { return }
    waiting.open()
    try await gate.wait()
  }
}
