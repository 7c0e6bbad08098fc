internal import CRingiPlugin
internal import Glibc
package import JSON
internal import Synchronization

/// What the agent offers to one instance of a library, on whatever thread it is asked.
///
/// What the library says is kept in order until the agent takes it; what it may leave here is bounded.
package final class NativeHost: Sendable {
  /// What a library says.
  package enum Message: Sendable {
    /// The answer to a call; `nil` when it is none.
    case answer(Int, JSONValue?)
    case failure(Int, kind: String?, message: String, data: JSONValue?)
    case progress(Int, JSONValue)
    /// A `log` or an `event`.
    case notification(String, JSONValue)
    /// A request; a thread of the library waits for its answer.
    case request(String, JSONValue, NativeAnswer)
    /// So many notifications and progress messages were dropped.
    case dropped(Int)
  }

  private struct State {
    var messages: [Message] = []
    /// The calls that somebody waits for.
    var calls: Set<UInt64> = []
    var waiting: [ObjectIdentifier: NativeAnswer] = [:]
    var unasked = 0
    var dropped = 0
    /// What the library's requests get once it is closed.
    var closed: JSONValue?

    /// Counts one more of what nobody asked for, or drops it.
    mutating func hasRoom() -> Bool {
      if unasked < NativeHost.maxUnasked { unasked += 1 } else { dropped += 1 }
      return dropped == 0
    }
  }

  /// How many notifications and progress messages may wait to be taken.
  private static let maxUnasked = 2000

  private let state = Mutex(State())
  private let isOnAgent: @Sendable () -> Bool
  private let arrived: @Sendable () -> Void
  /// The C struct, and the name in it.
  private let memory: Memory

  /// `@unchecked Sendable`: written before anybody else has it, and freed when nobody has.
  private final class Memory: @unchecked Sendable {
    let host = UnsafeMutablePointer<ringi_host>.allocate(capacity: 1)
    let instance: UnsafeMutablePointer<CChar>

    init(_ instance: String) { self.instance = strdup(instance) }

    deinit {
      host.deallocate()
      free(instance)
    }
  }

  var pointer: UnsafePointer<ringi_host> { UnsafePointer(memory.host) }

  /// Makes the host of one instance.
  ///
  /// - Parameters:
  ///   - instance: The plugin instance.
  ///   - isOnAgent: Whether the calling thread is the one that serves requests, and so must not wait for one.
  ///   - arrived: Called on any thread when there is something to ``take()``.
  package init(
    instance: String, isOnAgent: @escaping @Sendable () -> Bool, arrived: @escaping @Sendable () -> Void
  ) {
    (self.isOnAgent, self.arrived) = (isOnAgent, arrived)
    memory = Memory(instance)
    memory.host.initialize(
      to: ringi_host(
        abi: UInt32(RINGI_PLUGIN_ABI), instance: memory.instance, answer: NativeFunctions.answer,
        fail: NativeFunctions.fail, progress: NativeFunctions.progress, is_cancelled: NativeFunctions.isCancelled,
        log: NativeFunctions.log, publish: NativeFunctions.publish, state_get: NativeFunctions.stateGet,
        state_set: NativeFunctions.stateSet, call: NativeFunctions.call,
        agent: Unmanaged.passUnretained(self).toOpaque()))
  }

  // MARK: The agent's side

  /// Lets a call be answered.
  package func open(_ call: Int) { _ = state.withLock { $0.calls.insert(UInt64(call)) } }

  /// Says that nobody waits for an answer any more.
  package func giveUp(_ call: Int) { _ = state.withLock { $0.calls.remove(UInt64(call)) } }

  /// Whether anybody still waits for a call's answer.
  package func isWanted(_ call: Int) -> Bool { !isCancelled(UInt64(call)) }

  /// Takes what has come since the last time.
  package func take() -> [Message] {
    state.withLock { state in
      var messages: [Message] = []
      swap(&messages, &state.messages)
      if state.dropped > 0 { messages.append(.dropped(state.dropped)) }
      (state.unasked, state.dropped) = (0, 0)
      return messages
    }
  }

  /// Takes nothing more, and lets the threads go that wait for an answer.
  ///
  /// - Parameter error: An error object, which they get.
  package func close(_ error: JSONValue) {
    let waiting = state.withLock { state in
      state.closed = error
      state.calls = []
      state.messages = []
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for answer in waiting { answer.give(.failure(.init(error))) }
  }

  // MARK: The library's side

  func answer(_ call: UInt64, _ message: (Int) -> Message) {
    add { state in
      guard state.calls.remove(call) != nil else { return nil }
      return message(Int(call))
    }
  }

  func progress(_ call: UInt64, _ value: JSONValue) {
    add { state in
      guard state.calls.contains(call), state.hasRoom() else { return nil }
      return .progress(Int(call), value)
    }
  }

  func notify(_ method: String, _ params: JSONValue) {
    add { $0.hasRoom() ? .notification(method, params) : nil }
  }

  func isCancelled(_ call: UInt64) -> Bool { state.withLock { !$0.calls.contains(call) } }

  /// Asks the agent, and waits.
  func ask(_ method: String, _ params: JSONValue) -> Result<JSONValue, NativeAnswer.Failure> {
    guard !isOnAgent() else { return .failure(.init(Self.onAgent(method))) }
    let answer = NativeAnswer()
    let isOpen = add { state in
      state.waiting[ObjectIdentifier(answer)] = answer
      return .request(method, params, answer)
    }
    guard isOpen else { return .failure(.init(state.withLock { $0.closed } ?? .null)) }
    let result = answer.wait()
    state.withLock { $0.waiting[ObjectIdentifier(answer)] = nil }
    return result
  }

  /// Adds a message, unless there is none to add.
  ///
  /// - Returns: Whether it was added.
  @discardableResult
  private func add(_ message: (inout State) -> Message?) -> Bool {
    let count = state.withLock { state in
      guard state.closed == nil, let message = message(&state) else { return 0 }
      state.messages.append(message)
      return state.messages.count
    }
    if count == 1 { arrived() }
    return count > 0
  }

  private static func onAgent(_ method: String) -> JSONValue {
    [
      "code": -32006,
      "message": JSONValue("\(method) waits for the agent, which an inline method must not; nothing was done."),
      "data": ["kind": "unavailable", "retryable": false],
    ]
  }
}
