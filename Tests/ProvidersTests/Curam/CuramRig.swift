import EventLoop
import HTTPServer
import JSON
import JSONRPC
import Providers
import RingiCore
import RingiKit
import RingiTestSupport
import Sandbox
import Timing

/// An instance named `curam` in front of a sandbox, on a clock that the test moves.
@Loop final class CuramRig: PluginRig {
  nonisolated let sandbox: CuramSandbox
  let clock = TestClock()
  let store: Store
  let plugin: BuiltinPlugin
  private let notes = Notes()

  /// What the instance published, by type.
  var published: [EventDraft] { notes.published }
  var hidden: Set<String> { notes.hidden }
  /// The value of the secret `{"env": "PASSWORD"}`.
  var password: String {
    get { notes.password }
    set { notes.password = newValue }
  }
  /// Whether events can't be published just now.
  var isFull: Bool {
    get { notes.isFull }
    set { notes.isFull = newValue }
  }

  /// Starts an instance.
  ///
  /// - Parameters:
  ///   - settings: Added to the settings.
  ///   - other: A rig whose sandbox and store are used on, as after a restart of the agent.
  ///   - switches: How the sandbox behaves.
  /// - Throws: What the sandbox or the plugin says.
  init(
    settings: JSONValue = [:], after other: CuramRig? = nil, switches: (inout CuramSwitches) -> Void = { _ in }
  ) throws {
    if let other {
      (sandbox, store) = (other.sandbox, other.store)
    } else {
      var configuration = CuramConfiguration()
      configuration.clock = Timestamp(milliseconds: 1_795_996_800_000)
      switches(&configuration.switches)
      sandbox = CuramSandbox(configuration)
      try sandbox.start(port: 0, tls: nil)
      store = try Store(inMemoryFor: clock, log: Log(level: .error, clock: clock, redactor: Redactor()))
    }
    let notes = notes
    let context = ProviderContext(
      instance: "curam", clock: clock, directory: "/", readSecret: { _ in notes.password },
      hide: { notes.hidden.insert($0) }, state: PluginState(of: "curam", in: store), log: { _, _ in },
      publish: { try notes.publish($0) })
    let common: JSONValue = [
      "url": .init(sandbox.baseURL), "user": "caseworker", "password": ["env": "PASSWORD"],
    ]
    let schema = Curam.settings
    plugin = try BuiltinPlugin(
      Curam.self, settings: schema.fillingDefaults(common.merging(settings)), context: context)
  }

  @Loop private final class Notes {
    var published: [EventDraft] = []
    var hidden: Set<String> = []
    var password = "casework-1"
    var isFull = false

    func publish(_ draft: EventDraft) throws -> Event {
      if isFull { throw RPCError.overloaded("The store has no room.") }
      published.append(draft)
      return Event(
        id: "", source: "", type: draft.type, time: .init(milliseconds: 0), subject: draft.subject, sequence: 1,
        data: draft.data)
    }
  }

  // MARK: Calling

  func pass(_ duration: Duration) { clock.advance(by: duration) }

  /// Several calls at the same time.
  func calls(_ count: Int, _ name: String, _ params: JSONValue) async throws {
    let calls = (0..<count).map { _ in Loop.task { [self] in try await call(name, params) } }
    for call in calls { _ = try await call.value }
  }

  /// One poll.
  @discardableResult
  func poll() async throws -> JSONValue {
    let watch = try required(plugin.watch)
    return try await passingTime { try await watch.look() }
  }

  // MARK: Tasks

  /// The tasks of one poll.
  func items() async throws -> [TaskItem] {
    let source = try source
    return try await passingTime { try await source.tasks().items.map { try $0.task() } }
  }

  func decide(_ kind: Decision.Kind, _ task: TaskItem) async throws -> TaskItem {
    let source = try source
    return try await passingTime { try await source.decide(Decision(kind), on: task) }
  }

  // MARK: Looking

  func inject(_ kind: Fault.Kind, on route: String, skip: Int = 0, count: Int? = 1) throws {
    let fault = try required(Fault(kind, on: route, skip: skip, count: count))
    sandbox.with { $0.inject(fault) }
  }

  /// The requests that the sandbox has seen.
  var requests: [ServerRequest] { sandbox.with { $0.log.entries.map(\.request) } }

  /// The same as `METHOD /path`, base path left out.
  var lines: [String] { requests.map { "\($0.method) \($0.path.dropFirst("/Rest".count))" } }

  var logins: Int { sandbox.with { $0.logins } }
}
