import EventLoop
import Foundation
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

/// An instance of the provider, on a clock that the test moves; in front of a sandbox where it has one.
@Loop final class RESTRig: PluginRig {
  nonisolated let sandbox: UsersAPISandbox?
  let clock: TestClock
  let plugin: BuiltinPlugin
  private let notes: Notes

  /// An instance named `acme` with settings of the test's own.
  init(settings: JSONValue, sandbox: UsersAPISandbox? = nil) throws {
    self.sandbox = sandbox
    clock = TestClock()
    let notes = Notes()
    self.notes = notes
    let state = PluginState(
      of: "acme", in: try Store(inMemoryFor: clock, log: Log(level: .error, clock: clock, redactor: Redactor())))
    let context = ProviderContext(
      instance: "acme", clock: clock, directory: "/",
      readSecret: { secret in try notes.read(secret) }, hide: { notes.hidden.insert($0) }, state: state,
      log: { notes.log.append("\($0.rawValue): \($1)") },
      publish: { _ in throw RPCError.internalError("nothing is published here") })
    let violations = REST.settings.validate(settings)
    guard violations.isEmpty else { throw Unexpected("\(violations)") }
    plugin = try BuiltinPlugin(REST.self, settings: settings, context: context)
  }

  /// An instance as in the example, in front of a sandbox.
  convenience init(
    changing settings: JSONValue = [:], change: (inout UsersAPIConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = UsersAPIConfiguration()
    configuration.clock = Timestamp(milliseconds: 1_795_996_800_000)
    configuration.switches.rateLimit = 10_000
    change(&configuration)
    let sandbox = UsersAPISandbox(configuration)
    try sandbox.start(port: 0, tls: nil)
    let own: JSONValue = [
      "url": .init(sandbox.baseURL),
      "auth": ["type": "header", "header": "X-Authentication-Token", "token": .init(configuration.token)],
    ]
    try self.init(settings: Self.example().merging(own).merging(settings), sandbox: sandbox)
  }

  /// The settings of plugins.d/users.json.
  nonisolated static func example() throws -> JSONValue {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
    let file = try Data(contentsOf: folder.appendingPathComponent("plugins.d/users.json"))
    return try required(JSONValue(parsing: Array(file))["settings"])
  }

  var logged: [String] { notes.log }
  var hidden: Set<String> { notes.hidden }
  /// The values of secrets from the environment.
  var environment: [String: String] {
    get { notes.environment }
    set { notes.environment = newValue }
  }

  @Loop private final class Notes {
    var log: [String] = []
    var hidden: Set<String> = []
    var environment: [String: String] = [:]

    func read(_ secret: Secret) throws -> String {
      let value: String? =
        switch secret.origin {
        case .value(let value): value
        case .environment(let name): environment[name]
        default: nil
        }
      guard let value else { throw RPCError.loginRequired(provider: "acme", message: "\(secret) is not set") }
      return value
    }
  }

  // MARK: Calling

  func pass(_ duration: Duration) {
    clock.advance(by: duration)
    sandbox?.with { $0.clock.advance(by: duration) }
  }

  func tasks() async throws -> [TaskItem] { try await snapshot().items.map { try $0.task() } }

  func snapshot() async throws -> TaskSnapshot {
    let source = try source
    return try await passingTime { try await source.tasks() }
  }

  func item(_ id: Int) async throws -> TaskItem {
    let source = try source
    return try await passingTime {
      try required(try await source.task(TaskItem.ID(provider: "acme", key: String(id))))
    }
  }

  func decide(_ decision: Decision, _ id: Int) async throws -> TaskItem {
    let (source, task) = (try source, try await item(id))
    return try await passingTime { try await source.decide(decision, on: task) }
  }

  /// The requests that the sandbox has seen, as `METHOD /path`.
  var requests: [String] {
    sandbox?.with { $0.log.entries.map { "\($0.request.method) \($0.request.path)" } } ?? []
  }

  func inject(_ kind: Fault.Kind, on route: String, skip: Int = 0, count: Int? = 1) throws {
    let fault = try required(Fault(kind, on: route, skip: skip, count: count))
    sandbox?.with { $0.faults.add(fault) }
  }
}

/// A server that answers as a test says, and keeps what it was asked.
final class ScriptedServer: @unchecked Sendable {
  // Sendable: `lock` guards `seen`, and `server` is set once.
  private let lock = NSLock()
  private var seen: [ServerRequest] = []
  private var server: LoopbackServer?

  init(_ answer: @escaping @Sendable (ServerRequest, _ number: Int) -> ServerResponse) throws {
    server = try LoopbackServer { [weak self] request in
      answer(request, self?.add(request) ?? 0)
    }
  }

  deinit { server?.stop() }

  private func add(_ request: ServerRequest) -> Int {
    lock.withLock {
      seen.append(request)
      return seen.count
    }
  }

  var url: String { server?.url ?? "" }
  var requests: [ServerRequest] { lock.withLock { seen } }
}

extension ServerResponse {
  static func data(_ text: String, status: Int = 200, headers: ServerHeaders = [:]) -> ServerResponse {
    var all = headers
    if all["Content-Type"] == nil { all.add("Content-Type", "application/json") }
    return ServerResponse(status: status, headers: all, text: text)
  }

  static let page = ServerResponse(status: 200, headers: ["Content-Type": "text/html"], text: "<html>Log in</html>")
}
