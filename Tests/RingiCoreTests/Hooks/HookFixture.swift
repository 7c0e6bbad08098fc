import EventLoop
import Glibc
import JSON
import RingiKit
import RingiModel
import RingiTestSupport
import Testing
import Timing

@testable import RingiCore

/// A hook runner with everything it needs, and a folder in which its programs run.
@Loop final class HookFixture {
  let folder: TemporaryFolder
  let clock: TestClock
  let log: EventLog
  let bus: EventBus
  let registry = Registry()
  let problems = Problems()
  let redactor = Redactor()
  let runner: HookRunner

  /// Makes a runner, on what a life of the agent left in `store` if there is one.
  init(
    events: Int64 = 1_000_000, environment: [String: String] = [:], on store: StoreFolder? = nil,
    isRestored: Bool = true
  ) throws {
    folder = try TemporaryFolder()
    guard mkfifo("\(folder.path)/gate", 0o600) == 0 else { throw SystemError.last("mkfifo") }
    clock = store?.clock ?? TestClock()
    bus = try store.map { Self.bus($0, isRestored: isRestored) } ?? EventBus.inMemory(clock: clock, events: events)
    log = bus.log
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    runner = HookRunner(
      bus: bus, registry: registry, clock: clock,
      log: Log(fileDescriptor: open("/dev/null", O_WRONLY | O_CLOEXEC), clock: clock, redactor: redactor),
      problems: problems, redactor: redactor, environment: environment.merging(["PATH": path]) { $1 },
      random: Highest())
    try registry.add(EventMethods.all(bus), of: "agent")
    if isRestored { runner.restore(store?.state?.hooks ?? []) }
  }

  /// A bus over a store that may hold events already.
  static func bus(_ folder: StoreFolder, isRestored: Bool = true) -> EventBus {
    let bus = EventBus(store: folder.store, clock: folder.clock, host: "host.example")
    if isRestored, let state = folder.state { bus.log.restore(state.events) }
    return bus
  }

  func hook(
    _ action: Hook.Action, on types: [String] = ["*"], where conditions: JSONValue? = nil,
    timeout: Duration = .seconds(30), retries: Int = 5, concurrency: Int = 1
  ) -> Hook {
    Hook(
      name: "h", on: types, where: conditions, action: action, timeout: timeout, retries: retries,
      concurrency: concurrency, directory: folder.path)
  }

  func hook(_ name: String, _ action: Hook.Action, on types: [String] = ["*"]) -> Hook {
    Hook(name: name, on: types, action: action, directory: folder.path)
  }

  /// Lets go on what waits, or will wait, in a script's `: < gate`: opening a FIFO takes both ends.
  func openGate() { gate = open("\(folder.path)/gate", O_RDWR | O_CLOEXEC) }

  private var gate: CInt = -1

  deinit { if gate >= 0 { close(gate) } }

  /// Offers the method `test.call`.
  func answer(_ body: @escaping @Loop @Sendable (JSONValue) async throws -> JSONValue) throws {
    let method = Method(
      "test.call", "For tests.", params: .object([:], isOpen: true), result: .any,
      handler: .async { params, _ in try await body(params) })
    try registry.add([method], of: "test")
  }

  static let call = Hook.Action.call(method: "test.call", params: ["sequence": "${sequence}"])

  @discardableResult
  func publish(_ type: String = "x", title: String? = nil) async throws -> Event {
    let data: JSONValue =
      title.map { ["task": ["id": "p/1", "provider": "p", "title": JSONValue($0)]] } ?? .emptyObject
    return try await bus.publish([EventDraft(EventType(type), data: data)])[0]
  }

  // MARK: Looking

  func row(_ hook: String = "h") -> JSONValue { runner.list.array?.first { $0["name"]?.string == hook } ?? .null }

  func delivered(_ hook: String = "h") -> Int64 { row(hook)["delivered"]?.int ?? -1 }

  func deliveries(_ state: Delivery.State? = nil, of hook: String = "h") throws -> [JSONValue] {
    try runner.deliveries(hook, state: state, limit: 10_000).array.map(Array.init) ?? []
  }

  func exists(_ file: String) -> Bool { access("\(folder.path)/\(file)", F_OK) == 0 }

  /// Gives everybody else a turn until something holds.
  func until(_ condition: @Loop () throws -> Bool) async throws {
    while try !condition() {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  /// The process whose number a program wrote into a file, followed by a newline.
  func process(in file: String = "pid") async throws -> pid_t {
    try await until { folder.read(file)?.hasSuffix("\n") == true }
    return pid_t(folder.read(file)?.dropLast() ?? "") ?? -1
  }

  /// Stops the runner; a program that still runs has to heed SIGTERM.
  func stop(endingAlso process: pid_t, cutShort: @Loop (Task<Void, any Error>) -> Void) async throws {
    let stop = Loop.task { await self.runner.stop(within: .seconds(10)) }
    // The timeout of the attempt, and the limit of the stop.
    try await clock.sleepers(2)
    cutShort(stop)
    try await until { !Self.isRunning(process) }
    clock.advance(by: HookAttempt.grace)
    try await stop.value
    #expect(clock.pending == 0)
  }

  /// Whether a process is there and is no zombie.
  static func isRunning(_ process: pid_t) -> Bool {
    guard let file = fopen("/proc/\(process)/stat", "re") else { return false }
    defer { fclose(file) }
    var bytes = [CChar](repeating: 0, count: 512)
    fgets(&bytes, CInt(bytes.count), file)
    return !String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self).contains(") Z ")
  }
}

/// Random numbers that make every wait as long as it can be.
private struct Highest: RandomNumberGenerator {
  mutating func next() -> UInt64 { .max }
}
