internal import Crypto
package import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit
internal import RingiModel

/// The one way of every call that may change something, whoever makes it.
///
/// It is refused before anything is sent while it could not be recorded; with an idempotency key it is done once; and
/// what came of it goes into the audit log.
@Loop
package final class Mutations {
  /// A request with a key that is being worked on.
  @Loop
  private final class Work {
    let request: [UInt8]
    let isDone = Gate()
    var result: Result<Method.Answer, any Error>?

    init(request: [UInt8]) { self.request = request }
  }

  /// The longest answer that is kept with a key.
  private static let longestAnswer = 1 << 20

  private let store: Store
  private let clock: any LoopClock
  private let redactor: Redactor
  private var running: [KeyRows.Name: Work] = [:]
  /// The calls without a key that are under way, and what opens when there are none.
  private var unkeyed = 0 {
    didSet { if oldValue == 0 { idle.close() } }
  }
  private let idle = Gate()

  package init(store: Store, clock: any LoopClock, redactor: Redactor) {
    self.store = store
    self.clock = clock
    self.redactor = redactor
  }

  /// Waits for what is under way: its client may have left.
  package func settle() async {
    // Cancelled, the wait is over all the same.
    for work in running.values { try? await work.isDone.wait() }
    if unkeyed > 0 { try? await idle.wait() }
  }

  private func leave() {
    unkeyed -= 1
    if unkeyed == 0 { idle.open() }
  }

  /// Sees to it that nothing is done that could not be recorded.
  ///
  /// - Throws: `RPCError` (unavailable).
  private func ensureRecordable(_ method: Method) async throws {
    if method.settlesItself || !method.isAudited {
      // These record something before they act; a disk that has recovered is noticed at once all the same.
      try await store.ensureUsable()
    } else {
      try await store.ensureWritable()
    }
  }

  /// Calls a method.
  ///
  /// - Parameters:
  ///   - method: One that may change something.
  ///   - params: The params as they came, or `nil`.
  ///   - call: Where the call comes from.
  /// - Returns: The result; with a key that was used before, the first one.
  /// - Throws: `RPCError`, or what the handler throws.
  func answer(_ method: Method, _ params: JSONValue?, _ call: Call) async throws -> Method.Answer {
    let (params, call) = try method.prepare(params, call)
    // That changes nothing.
    if params["dryRun"]?.bool == true, method.params.propertyNames.contains("dryRun") {
      return try await method.run(params, call)
    }
    guard let key = call.idempotencyKey else {
      unkeyed += 1
      defer { leave() }
      try await ensureRecordable(method)
      return try await perform(method, params, call, nil)
    }
    let name = KeyRows.Name(listener: call.listener, key: key)
    let request = try Self.request(method, params)
    let work = running[name] ?? begin(name, request, method, params, call)
    guard work.request == request else { throw Self.isTaken }
    try await work.isDone.wait()
    guard let result = work.result else { throw CancellationError() }
    return try result.get()
  }

  /// Stands for a method and its params, however these are written.
  private static func request(_ method: Method, _ params: JSONValue) throws -> [UInt8] {
    try SHA256.hash(of: ([JSONValue(method.name), params] as JSONValue).canonicalUTF8)
  }

  private static var isTaken: RPCError {
    .conflict("This idempotency key was used for another request; use a new key for a new request.")
  }

  // MARK: With a key

  /// Begins the work on its own, since others may come to wait for it, and its client may leave.
  private func begin(
    _ name: KeyRows.Name, _ request: [UInt8], _ method: Method, _ params: JSONValue, _ call: Call
  ) -> Work {
    let work = Work(request: request)
    running[name] = work
    Loop.task { [self] in
      do {
        work.result = .success(try await once(name, request, method, params, call))
      } catch {
        work.result = .failure(error)
      }
      running[name] = nil
      work.isDone.open()
    }
    return work
  }

  private func once(
    _ name: KeyRows.Name, _ request: [UInt8], _ method: Method, _ params: JSONValue, _ call: Call
  ) async throws -> Method.Answer {
    // What waits to be recorded may be about this key.
    try await store.ensureUsable()
    let now = clock.now
    guard let row = try await store.read({ try KeyRows.row(name, $0, at: now) }) else {
      _ = try await store.record([.begin(name, request: request, at: now)])
      return try await perform(method, params, call, name)
    }
    guard row.request == request else { throw Self.isTaken }
    switch row.state {
    case .done: return .text(JSONText(scanned: row.answer))
    case .unknown: throw Self.unknown(row.answer)
    case .long:
      throw RPCError.conflict(
        "\(method.name) with this idempotency key was done at \(row.created.rfc3339); its answer was longer than \(Self.longestAnswer) bytes and was not kept. Read what it changed."
      )
    case .begun where method.settlesItself:
      var call = call
      call.boundTask = row.task
      return try await perform(method, params, call, name)
    case .begun: throw await abandoned(name, method, call, since: row)
    }
  }

  /// The agent was killed in the middle: what there is to say of that is said from now on.
  private func abandoned(_ name: KeyRows.Name, _ method: Method, _ call: Call, since row: KeyRows.Row) async -> RPCError
  {
    let error = RPCError.outcomeUnknown(
      "\(method.name) was begun at \(row.created.rfc3339), and the agent ended before it heard what came of it: it may have happened. Look at what it was to change, and send it with a new key if it did not happen.",
      details: ["since": JSONValue(row.created.rfc3339)])
    await store.keep([.finish(name, .unknown, answer: Self.text(error))] + audit(method, nil, call, .failure(error)))
    return error
  }

  private static func text(_ error: RPCError) -> [UInt8] {
    (["message": JSONValue(error.message), "details": JSONValue(object: error.details.map { ($0, $1) })] as JSONValue)
      .utf8
  }

  private static func unknown(_ text: [UInt8]) -> RPCError {
    let json = JSONValue.parsed(text)
    return .outcomeUnknown(
      json?["message"]?.string ?? "It may have happened.",
      details: Dictionary(json?["details"]?.object?.map { ($0.key, $0.value) } ?? []) { $1 })
  }

  // MARK: Performing

  /// Does the work and records what came of it.
  private func perform(
    _ method: Method, _ params: JSONValue, _ call: Call, _ name: KeyRows.Name?
  ) async throws -> Method.Answer {
    let result: Result<Method.Answer, any Error>
    do {
      let answer = try await method.run(params, call)
      // The first answer and later ones are to be the same bytes.
      result = .success(name == nil ? answer : .text(JSONText(scanned: answer.utf8)))
    } catch {
      result = .failure(error)
    }
    let changes =
      (name.flatMap { settled($0, method, result) }.map { [$0] } ?? []) + audit(method, params, call, result)
    if !changes.isEmpty { await store.keep(changes) }
    return try result.get()
  }

  private func settled(
    _ name: KeyRows.Name, _ method: Method, _ result: Result<Method.Answer, any Error>
  ) -> Change? {
    switch result {
    case .success(let answer):
      let text = answer.utf8
      return text.count > Self.longestAnswer ? .finish(name, .long, answer: nil) : .finish(name, .done, answer: text)
    case .failure(let error):
      let error = redactor.redact(rpcError(error))
      guard error.mayHaveHappened else { return .free(name) }
      // What settles itself goes on with the same task when it is asked again.
      return method.settlesItself ? nil : .finish(name, .unknown, answer: Self.text(error))
    }
  }

  private func audit(
    _ method: Method, _ params: JSONValue?, _ call: Call, _ result: Result<Method.Answer, any Error>
  ) -> [Change] {
    guard method.isAudited, !method.settlesItself else { return [] }
    let entry = AuditEntry(method, params, call, result, at: clock.now)
    return [.audit(entry, redactor: redactor)]
  }
}

extension RPCError {
  /// Whether it leaves open if something was changed.
  var mayHaveHappened: Bool {
    [RPCError.outcomeUnknown(""), .cancelled(), .internalError("")].contains { $0.kind == kind }
  }
}
