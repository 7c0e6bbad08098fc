internal import EventLoop
internal import JSON
internal import NativeLibrary
internal import Synchronization
internal import Timing

/// One life of a library's instance, with its thread.
@Loop
final class LibraryRun {
  let host: NativeHost
  private let thread = SerialThread()
  private let clock: any LoopClock
  /// How long the library may take for what the agent waits for at the beginning.
  private let limit: Duration
  private let slot = Slot()
  /// The instance, once it is made.
  private var instance: NativeInstance?

  /// What the thread and the loop share: the instance that the thread has made and will end, and how many calls wait.
  private final class Slot: Sendable {
    let instance = Mutex<NativeInstance?>(nil)
    let waiting = Atomic<Int>(0)
  }

  /// How many calls wait for the thread.
  var waiting: Int { slot.waiting.load(ordering: .relaxed) }

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: The plugin instance.
  ///   - clock: Measures how long the library takes.
  ///   - limit: How long loading it and making an instance may take, each.
  ///   - arrived: Called when the host has something to take.
  /// - Throws: `SystemError`.
  init(
    _ name: String, clock: any LoopClock, limit: Duration, arrived: @escaping @Loop @Sendable () -> Void
  ) throws {
    (self.clock, self.limit) = (clock, limit)
    host = NativeHost(instance: name, isOnAgent: { Loop.isCurrent }, arrived: { Loop.run(arrived) })
    try thread.start()
  }

  /// Loads a library on the thread.
  ///
  /// - Throws: `NativeLibraryError`; ``UnusablePlugin``; `CancellationError`.
  func load(_ path: String) async throws -> NativeLibrary {
    try await perform { try NativeLibrary(path) }
  }

  /// Makes the instance on the thread.
  ///
  /// - Throws: `NativeInstance.Refusal`; ``UnusablePlugin``; `CancellationError`.
  func create(_ library: NativeLibrary, _ settings: JSONValue) async throws {
    let (host, slot) = (host, slot)
    instance = try await perform {
      let made = try NativeInstance(library, settings: settings, host: host)
      slot.instance.withLock { $0 = made }
      return made
    }
  }

  /// Runs something on the thread, and waits for it.
  private func perform<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    let done = Gate()
    let outcome = Outcome<T>()
    thread.perform {
      let result = Result { try body() }
      Loop.run {
        outcome.result = result
        done.open()
      }
    }
    let alarm = clock.alarm(after: limit) { done.open() }
    defer { alarm.cancel() }
    try await done.wait()
    guard let result = outcome.result else {
      throw UnusablePlugin(description: "The library was not ready within \(DurationText.format(limit)).")
    }
    return try result.get()
  }

  @Loop
  private final class Outcome<T: Sendable> {
    var result: Result<T, any Error>?
  }

  /// Calls a method; the answer comes by the host.
  func call(_ method: String, _ params: JSONValue, _ id: Int, isInline: Bool) {
    guard let instance else { return }
    host.open(id)
    if isInline {
      instance.call(method, params, id)
    } else {
      let (host, slot) = (host, slot)
      slot.waiting.add(1, ordering: .relaxed)
      thread.perform {
        slot.waiting.subtract(1, ordering: .relaxed)
        // Nobody waits any more for what waited here too long.
        if host.isWanted(id) { instance.call(method, params, id) }
      }
    }
  }

  /// Ends the instance and the thread.
  ///
  /// - Parameters:
  ///   - error: What the library's threads get that wait for the agent.
  ///   - limit: How long it may take.
  /// - Returns: Whether it has ended.
  func end(_ error: JSONValue, within limit: Duration) async -> Bool {
    host.close(error)
    let (host, slot) = (host, slot)
    instance = nil
    let hasEnded = Gate()
    let outcome = Outcome<Bool>()
    let alarm = clock.alarm(after: limit) { hasEnded.open() }
    defer { alarm.cancel() }
    thread.perform {
      slot.instance.withLock { $0.take() }?.destroy()
      // The library had the host's address until now.
      withExtendedLifetime(host) {}
      Loop.run {
        outcome.result = .success(true)
        hasEnded.open()
      }
    }
    thread.stop()
    // An agent in a hurry does not wait.
    try? await hasEnded.wait()
    return outcome.result != nil
  }
}
