internal import EventLoop
internal import JSON
internal import JSONRPC
internal import NativeLibrary
internal import Synchronization
internal import Timing

/// One life of a library's instance: its thread, and the calls that wait for its answers.
@Loop
final class LibraryRun {
  /// Who made the instance, and hears from it.
  @Loop
  protocol Owner: AnyObject {
    /// Answers a request, or takes a notification.
    ///
    /// - Throws: `RPCError`, or what becomes an internal error.
    func serve(_ method: String, _ params: JSONValue) async throws -> JSONValue
    /// The library did what it should not have; a sentence for the log.
    func complain(_ sentence: String)
  }

  /// Whether a library's thread was left alone, which may hold what the end of a process waits for.
  private(set) static var hasLeftThreads = false

  private let name: String
  private let clock: any LoopClock
  /// How long the library may take for what the agent waits for at the beginning.
  private let limit: Duration
  private let host: NativeHost
  private let thread = SerialThread()
  private let slot = Slot()
  private let pending: PendingCalls<JSONValue>
  private weak var owner: (any Owner)?
  private var serving: [Int: Task<Void, any Error>] = [:]
  private var lastServed = 0
  private var isEnding = false

  /// What the thread and the loop share.
  private final class Slot: Sendable {
    /// The instance, from its making to its end.
    let instance = Mutex<NativeInstance?>(nil)
    /// How many calls wait for the thread.
    let waiting = Atomic<Int>(0)
  }

  /// What the thread did for somebody on the loop.
  @Loop
  private final class Outcome<T: Sendable> {
    let done = Gate()
    var result: Result<T, any Error>?
  }

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: The plugin instance.
  ///   - clock: Measures how long the library takes.
  ///   - limit: How long loading it and making an instance may take, each.
  ///   - redactor: Takes secrets out of its errors.
  ///   - owner: Hears from it; not kept alive.
  /// - Throws: `SystemError`.
  init(_ name: String, clock: any LoopClock, limit: Duration, redactor: Redactor, owner: any Owner) throws {
    (self.name, self.clock, self.limit, self.owner) = (name, clock, limit, owner)
    pending = PendingCalls(of: name, clock: clock, redactor)
    let ear = Ear()
    host = NativeHost(
      instance: name, isOnAgent: { Loop.isCurrent }, arrived: { Loop.run { ear.run?.take() } })
    ear.run = self
    try thread.start()
  }

  /// Lets what the library says find its way here once there is a here.
  @Loop
  private final class Ear {
    weak var run: LibraryRun?
  }

  // MARK: The beginning

  /// Loads a library on the thread.
  ///
  /// - Parameters:
  ///   - path: An absolute path.
  ///   - prepare: Called on the thread before anything of the library is.
  /// - Returns: The library.
  /// - Throws: `NativeLibraryError`; ``UnusablePlugin``; `CancellationError`.
  func load(_ path: String, preparing prepare: @escaping @Sendable () -> Void = {}) async throws -> NativeLibrary {
    try await perform {
      prepare()
      return try NativeLibrary(path)
    }
  }

  /// Makes the instance on the thread.
  ///
  /// - Throws: `NativeInstance.Refusal`; ``UnusablePlugin``; `CancellationError`.
  func create(_ library: NativeLibrary, _ settings: JSONValue) async throws {
    let (host, slot) = (host, slot)
    try await perform {
      let made = try NativeInstance(library, settings: settings, host: host)
      slot.instance.withLock { $0 = made }
    }
  }

  private func perform<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    guard !isEnding else { throw CancellationError() }
    let outcome = start(body)
    let alarm = clock.alarm(after: limit) { outcome.done.open() }
    defer { alarm.cancel() }
    try await outcome.done.wait()
    guard let result = outcome.result else {
      throw UnusablePlugin(description: "The library was not ready within \(DurationText.format(limit)).")
    }
    return try result.get()
  }

  /// Has the thread do something.
  private func start<T: Sendable>(_ body: @escaping @Sendable () throws -> T) -> Outcome<T> {
    let outcome = Outcome<T>()
    thread.perform {
      let result = Result { try body() }
      Loop.run {
        outcome.result = result
        outcome.done.open()
      }
    }
    return outcome
  }

  // MARK: Calls to it

  /// Calls a method.
  ///
  /// - Parameters:
  ///   - method: The method, as the library knows it.
  ///   - params: An object.
  ///   - isInline: Whether it is called here, and not on the thread.
  ///   - limit: How long the answer may take.
  ///   - bound: How many calls may wait.
  ///   - progress: Takes what the library tells meanwhile.
  /// - Returns: The result.
  /// - Throws: `RPCError`; `CancellationError`.
  func call(
    _ method: String, _ params: JSONValue, isInline: Bool = false, within limit: Duration, bound: Int = .max,
    progress: ProgressHandler? = nil
  ) async throws -> JSONValue {
    guard !isEnding, let instance = slot.instance.withLock({ $0 }) else { throw RPCError.plugin(isDown: name) }
    // Those that were given up may wait for the thread still.
    let count = max(pending.count, slot.waiting.load(ordering: .relaxed))
    guard count < bound else {
      throw RPCError.overloaded(
        "The plugin \(name) has \(count) calls to work on; \(method) was not made, try again later.")
    }
    let call = pending.begin(method, progress)
    host.open(call.id)
    if isInline { instance.call(method, params, call.id) } else { queue(instance, method, params, call.id) }
    return try await pending.answer(to: call, within: limit) { [host] in host.giveUp($0) }
  }

  private func queue(_ instance: NativeInstance, _ method: String, _ params: JSONValue, _ id: Int) {
    let (host, slot) = (host, slot)
    slot.waiting.add(1, ordering: .relaxed)
    thread.perform {
      slot.waiting.subtract(1, ordering: .relaxed)
      // Nobody waits any more for what waited here too long.
      if host.isWanted(id) { instance.call(method, params, id) }
    }
  }

  // MARK: What it says

  private func take() {
    for message in host.take() { take(message) }
  }

  private func take(_ message: NativeHost.Message) {
    switch message {
    case .answer(let call, let value): pending.settle(call, value, from: name)
    case .failure(let call, let kind, let text, let data):
      pending.settle(call, .failure(PeerError.read(kind, text, data, from: name)))
    case .progress(let call, let value): pending.progress(call, value)
    case .notification(let method, let params): serve(method, params, nil)
    case .request(let method, let params, let answer): serve(method, params, answer)
    case .dropped(let count):
      owner?.complain("\(count) events, lines or notes of progress were dropped: it sends too many at once.")
    }
  }

  private func serve(_ method: String, _ params: JSONValue, _ answer: NativeAnswer?) {
    lastServed += 1
    let key = lastServed
    serving[key] = Loop.task { [weak self] in
      defer { self?.serving[key] = nil }
      guard let self, let owner else { return }
      do {
        let result = try await owner.serve(method, params)
        answer?.give(.success(result))
      } catch {
        let error = rpcError(error)
        if let answer {
          answer.give(.failure(.init(error.json)))
        } else {
          owner.complain("\(method): \(error.message)")
        }
      }
    }
  }

  // MARK: The end

  /// Ends the instance and the thread.
  ///
  /// - Parameter limit: How long it may take, whoever is cancelled meanwhile.
  /// - Returns: Whether it has ended.
  func end(within limit: Duration) async -> Bool {
    isEnding = true
    let error = RPCError.plugin(isDown: name)
    pending.settleAll(error)
    for task in serving.values { task.cancel() }
    host.close(error.json)
    let (host, slot) = (host, slot)
    let outcome = start {
      slot.instance.withLock { $0.take() }?.destroy()
      // The library had the host's address until now.
      withExtendedLifetime(host) {}
    }
    thread.stop()
    let alarm = clock.alarm(after: limit) { outcome.done.open() }
    defer { alarm.cancel() }
    // A task of its own is not cancelled.
    _ = await Loop.task { try await outcome.done.wait() }.result
    if outcome.result == nil { Self.hasLeftThreads = true }
    return outcome.result != nil
  }
}
