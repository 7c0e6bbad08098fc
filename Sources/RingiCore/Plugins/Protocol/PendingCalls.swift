internal import EventLoop
internal import JSON
internal import JSONRPC

/// Takes what a plugin tells of a call's progress.
typealias ProgressHandler = @Loop @Sendable (JSONValue) -> Void

/// The calls to a plugin that have no answer yet; each ends once, however it ends.
@Loop
final class PendingCalls<Answer: Sendable> {
  /// One of them.
  @Loop
  final class PendingCall {
    let id: Int
    fileprivate let method: String
    fileprivate let progress: ProgressHandler?
    fileprivate let done = Gate()
    fileprivate var result: Result<Answer, RPCError> = .failure(.cancelled())

    fileprivate init(_ id: Int, _ method: String, _ progress: ProgressHandler?) {
      (self.id, self.method, self.progress) = (id, method, progress)
    }
  }

  /// How the plugin is called in messages.
  private let name: String
  private let clock: any LoopClock
  private let redactor: Redactor
  private var entries: [Int: PendingCall] = [:]
  private var lastID = 0
  /// The calls that were answered last, in no order.
  private var answered: [Int] = Array(repeating: 0, count: 128)
  private var answers = 0

  /// Makes a list without calls.
  ///
  /// - Parameters:
  ///   - name: How the plugin is called in messages.
  ///   - clock: Measures how long answers take.
  ///   - redactor: Takes secrets out of errors.
  init(of name: String, clock: any LoopClock, _ redactor: Redactor) {
    (self.name, self.clock, self.redactor) = (name, clock, redactor)
  }

  var count: Int { entries.count }

  /// A number that no call has had.
  func newID() -> Int {
    lastID += 1
    return lastID
  }

  /// Whether a call of this number was ever made.
  func hasMade(_ id: Int) -> Bool { id > 0 && id <= lastID }

  func isWaiting(_ id: Int) -> Bool { entries[id] != nil }

  /// Whether a call was answered lately; one that was given up was not.
  func hasAnswer(_ id: Int) -> Bool { answered.contains(id) }

  /// Notes a call before it is sent.
  func begin(_ method: String, _ progress: ProgressHandler?) -> PendingCall {
    let call = PendingCall(newID(), method, progress)
    entries[call.id] = call
    return call
  }

  /// Waits for an answer.
  ///
  /// - Parameters:
  ///   - call: What ``begin(_:_:)`` returned.
  ///   - limit: How long it may take; `nil` for as long as the plugin runs.
  ///   - giveUp: Called with its number when it takes longer, or the caller is cancelled.
  /// - Returns: The result.
  /// - Throws: What the call was settled with; `RPCError` (unavailable); `CancellationError`.
  func answer(
    to call: PendingCall, within limit: Duration?, giveUp: @escaping @Loop (Int) -> Void
  ) async throws -> Answer {
    if !call.done.isOpen { try await wait(for: call, limit, giveUp) }
    return try call.result.get()
  }

  private func wait(
    for call: PendingCall, _ limit: Duration?, _ giveUp: @escaping @Loop (Int) -> Void
  ) async throws {
    let id = call.id
    let alarm = limit.map { limit in
      clock.alarm(after: limit) { [weak self] in
        guard let self, isWaiting(id) else { return }
        end(id, .failure(.plugin(name, hasNotAnswered: call.method, within: limit)))
        giveUp(id)
      }
    }
    defer {
      alarm?.cancel()
      entries[id] = nil
    }
    do {
      try await call.done.wait()
    } catch {
      giveUp(id)
      throw error
    }
  }

  /// Ends a call that still waits with the plugin's answer.
  func settle(_ id: Int, _ result: Result<Answer, RPCError>) {
    guard end(id, result) else { return }
    answered[answers % answered.count] = id
    answers += 1
  }

  /// Ends a call that still waits; no error goes on with a secret in it, or longer than errors are.
  @discardableResult
  private func end(_ id: Int, _ result: Result<Answer, RPCError>) -> Bool {
    guard let call = entries.removeValue(forKey: id) else { return false }
    call.result = result.mapError { redactor.redact($0) }
    call.done.open()
    return true
  }

  /// Ends all calls without an answer.
  func settleAll(_ error: RPCError) {
    for id in entries.keys.sorted() { end(id, .failure(error)) }
  }

  func progress(_ id: Int, _ value: JSONValue) { entries[id]?.progress?(value) }
}

extension PendingCalls<JSONValue> {
  /// Ends a call with a library's answer, which may be none.
  func settle(_ id: Int, _ value: JSONValue?, from name: String) {
    settle(id, value.map { .success($0) } ?? .failure(PeerError.odd("no value, or one that is no JSON", from: name)))
  }
}
