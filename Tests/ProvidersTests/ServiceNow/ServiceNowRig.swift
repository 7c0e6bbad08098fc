import EventLoop
import HTTP
import HTTPServer
import JSON
import JSONRPC
import Providers
import RingiCore
import RingiKit
import RingiModel
import RingiTestSupport
import Sandbox
import Timing

/// An instance of the provider in front of a sandbox, on a clock that the test moves.
@Loop final class ServiceNowRig: PluginRig {
  nonisolated let sandbox: ServiceNowSandbox
  let clock: TestClock
  let plugin: BuiltinPlugin
  private let notes: Notes

  /// Starts a sandbox and an instance named `now` that logs in as hanako, by a password grant unless told otherwise.
  ///
  /// - Parameters:
  ///   - login: How to log in.
  ///   - settings: Added to the settings; null takes one out.
  ///   - store: Where the instance's state is; one in memory unless given.
  ///   - change: What the sandbox begins with.
  /// - Throws: What the sandbox or the plugin says.
  init(
    _ login: String = "password", settings: JSONValue = [:], store: Store? = nil,
    change: (inout ServiceNowConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = ServiceNowConfiguration()
    configuration.clock = Timestamp(milliseconds: 1_795_996_800_000)
    configuration.switches.headerCase = .random
    change(&configuration)
    sandbox = ServiceNowSandbox(configuration)
    try sandbox.start(port: 0, tls: nil)
    clock = TestClock()
    let notes = Notes()
    let log = Log(level: .error, clock: clock, redactor: Redactor())
    let kept = PluginState(of: "now", in: try store ?? Store(inMemoryFor: clock, log: log))
    let state = PluginState(get: kept.get) { key, value in
      guard !notes.refusesState else { throw RPCError.unavailable("the disk is full") }
      try await kept.set(key, value)
    }
    var all = Self.settings(login, sandbox.url).merging(settings)
    for member in settings.object.map(Array.init) ?? [] where member.value.isNull {
      all = all.setting(member.key, to: nil)
    }
    let context = ProviderContext(
      instance: "now", clock: clock, directory: "/",
      readSecret: { secret in
        if case .value(let value) = secret.origin { return notes.secrets[value] ?? value }
        throw RPCError.loginRequired(provider: "now", message: "\(secret) is not set")
      }, hide: { notes.hidden.insert($0) },
      state: state,
      log: { notes.log.append("\($0.rawValue): \($1)") },
      publish: { draft in
        notes.events.append(draft)
        return Event(
          id: "\(notes.events.count)", source: "ringi://test/now", type: draft.type, time: .now(),
          subject: draft.subject,
          sequence: Int64(notes.events.count), data: draft.data)
      })
    plugin = try BuiltinPlugin(ServiceNow.self, settings: all, context: context)
    self.notes = notes
  }

  @Loop private final class Notes {
    var log: [String] = []
    var hidden: Set<String> = []
    var secrets: [String: String] = [:]
    var refusesState = false
    var events: [EventDraft] = []
  }

  /// What the plugin logged.
  var logged: [String] { notes.log }
  /// What the plugin had kept out of what the agent says.
  var hidden: Set<String> { notes.hidden }

  /// Whether nothing can be kept in the instance's state.
  var refusesState: Bool {
    get { notes.refusesState }
    set { notes.refusesState = newValue }
  }

  /// What the plugin published.
  var events: [EventDraft] { notes.events }

  /// Makes a secret of the settings read as another one from now on.
  func change(secret: String, to value: String) { notes.secrets[secret] = value }

  static func settings(_ login: String, _ url: String) -> JSONValue {
    let user: JSONValue = ["url": .init(url), "login": .init(login), "user": "hanako", "password": "approve-1"]
    let client: JSONValue = [
      "clientId": .init(ServiceNowClient.standardID), "clientSecret": .init(ServiceNowClient.standardSecret),
    ]
    switch login {
    case "basic": return user
    case "password": return user.merging(client)
    default: return client.merging(["url": .init(url), "login": .init(login)])
    }
  }

  // MARK: Calling

  /// Moves both clocks.
  func pass(_ duration: Duration) {
    clock.advance(by: duration)
    sandbox.with { $0.clock.advance(by: duration) }
  }

  /// The open tasks, as a poll sees them.
  func poll() async throws -> TaskSnapshot {
    let source = try source
    return try await passingTime { try await source.tasks() }
  }

  /// Decides a task as the agent does it.
  func decide(_ kind: Decision.Kind, _ id: String, comment: String? = nil) async throws -> TaskItem {
    let source = try source
    return try await passingTime {
      let task = try required(try await source.task(TaskItem.ID(provider: "now", key: id)))
      return try await source.decide(Decision(kind, comment: comment), on: task)
    }
  }

  // MARK: The world

  /// Approvals that wait for hanako.
  func makeApprovals(
    _ count: Int = 1, _ change: (inout ServiceNowState.ApprovalDraft) -> Void = { _ in }
  ) throws -> [String] {
    var draft = ServiceNowState.ApprovalDraft()
    change(&draft)
    return try sandbox.with { state throws(ControlError) in try state.makeApprovals(draft, count: count) }
  }

  func makeApproval(_ change: (inout ServiceNowState.ApprovalDraft) -> Void = { _ in }) throws -> String {
    try required(makeApprovals(1, change).first)
  }

  func state(of approval: String) -> String? { sandbox.with { $0.fields("sysapproval_approver", approval)?["state"] } }

  func set(_ change: (inout ServiceNowSwitches) -> Void) { sandbox.with { change(&$0.switches) } }

  func inject(_ kind: Fault.Kind, on route: String, skip: Int = 0, count: Int? = 1) throws {
    let fault = try required(Fault(kind, on: route, skip: skip, count: count))
    sandbox.with { $0.inject(fault) }
  }

  /// The requests that the sandbox has seen, as `METHOD /path`.
  var requests: [String] {
    sandbox.with { state in state.log.entries.map { "\($0.request.method) \($0.request.path)" } }
  }

  var entries: [RequestLog.Entry] { sandbox.with { $0.log.entries } }

  func count(_ request: String) -> Int { requests.filter { $0 == request }.count }

  /// How many requests of a method went to the Table API.
  func count(method: String) -> Int { requests.count { $0.hasPrefix("\(method) /api/") } }
}
