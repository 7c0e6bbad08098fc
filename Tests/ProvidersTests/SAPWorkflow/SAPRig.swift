import EventLoop
import Foundation
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
@Loop final class SAPRig {
  nonisolated let sandbox: SAPWorkflowSandbox
  let clock: TestClock
  let plugin: BuiltinPlugin
  var control: SAPControl { sandbox.control }
  var source: any TaskSource { get throws { try required(plugin.source) } }

  /// Starts a sandbox and an instance named `sap` that logs in as an administrator, or as the standard client.
  ///
  /// - Parameters:
  ///   - environment: Which generation.
  ///   - settings: Added to the settings; null takes one out.
  ///   - secrets: The agent's environment.
  ///   - store: Where the instance's state is; one in memory unless given.
  ///   - change: What the sandbox begins with.
  /// - Throws: What the sandbox or the plugin says.
  init(
    _ environment: SAPEnvironment = .neo, settings: JSONValue = [:],
    secrets: [String: String] = [:], store: Store? = nil,
    change: (inout SAPWorkflowConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = SAPWorkflowConfiguration(environment)
    configuration.clock = Timestamp(milliseconds: 1_795_996_800_000)
    configuration.switches.latency = .after(.zero)
    configuration.switches.headerCase = .random
    change(&configuration)
    sandbox = SAPWorkflowSandbox(configuration)
    try sandbox.start()
    clock = TestClock()
    let notes = Notes(secrets)
    let log = Log(level: .error, clock: clock, redactor: Redactor())
    let state = PluginState(of: "sap", in: try store ?? Store(inMemoryFor: clock, log: log))
    var all = Self.settings(environment, sandbox).merging(settings)
    for member in settings.object.map(Array.init) ?? [] where member.value.isNull {
      all = all.setting(member.key, to: nil)
    }
    let context = ProviderContext(
      instance: "sap", clock: clock, directory: "/",
      readSecret: { secret in try notes.read(secret) }, hide: { notes.hidden.insert($0) },
      state: state,
      log: { notes.log.append("\($0.rawValue): \($1)") },
      publish: { _ in throw RPCError.internalError("nothing is published here") })
    plugin = try BuiltinPlugin(SAPWorkflow.self, settings: all, context: context)
    self.notes = notes
  }

  private let notes: Notes

  /// What the plugin logged.
  var logged: [String] { notes.log }
  /// What the plugin had kept out of what the agent says.
  var hidden: Set<String> { notes.hidden }

  @Loop private final class Notes {
    var log: [String] = []
    var hidden: Set<String> = []
    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    func read(_ secret: Secret) throws -> String {
      switch secret.origin {
      case .value(let value): return value
      case .environment(let name) where environment[name] != nil: return try required(environment[name])
      case .file(let path): return try String(contentsOfFile: path, encoding: .utf8).filter { $0 != "\n" }
      default: throw RPCError.loginRequired(provider: "sap", message: "\(secret) is not set")
      }
    }
  }

  private static func settings(_ environment: SAPEnvironment, _ sandbox: SAPWorkflowSandbox) -> JSONValue {
    let common: JSONValue = ["environment": .init(environment.rawValue), "url": .init(sandbox.baseURL)]
    if environment == .neo { return common.merging(["user": "P1000009", "password": "administer-9"]) }
    return common.merging([
      "uaaUrl": .init(sandbox.url), "clientId": .init(SAPClient.standardID),
      "clientSecret": .init(SAPClient.standardSecret),
    ])
  }

  // MARK: Calling

  /// Calls `sap.NAME` as a client would, params checked and defaults filled in, while time passes.
  @discardableResult
  func call(_ name: String, _ params: JSONValue = [:]) async throws -> JSONValue {
    let method = try required(plugin.methods.first { $0.name == "sap.\(name)" })
    return try await passingTime {
      let result = try await method.invoke(params, Call(origin: .owner(causes: [])))
      let violations = method.result.validate(result)
      guard violations.isEmpty else { throw RPCError.internalError("\(name) gave \(violations)") }
      return result
    }
  }

  /// The error of a call that fails.
  func failure(_ name: String, _ params: JSONValue = [:]) async throws -> RPCError {
    do {
      let result = try await call(name, params)
      throw Unexpected("\(name) gave \(result)")
    } catch let error as RPCError {
      return error
    }
  }

  /// Moves both clocks while `body` waits, a tenth of a second at a time.
  func passingTime<T: Sendable>(_ body: @escaping @Loop @Sendable () async throws -> T) async throws -> T {
    var isDone = false
    let work = Loop.task {
      defer { isDone = true }
      return try await body()
    }
    while !isDone {
      await Task.yield()
      guard clock.pending > 0 else { continue }
      clock.advance(by: .milliseconds(100))
      control.advanceClock(by: .milliseconds(100))
    }
    return try await work.value
  }

  /// Logs a person in, as the page of the login would.
  func refreshToken(for user: String, password: String) async throws -> String {
    var request = HTTPRequest(.post, try HTTPURL(sandbox.url + "/oauth/token"))
    request.headers["Authorization"] = HTTPHeaders.basic(user: SAPClient.standardID, password: SAPClient.standardSecret)
    request.setBody(form: [("grant_type", "password"), ("username", user), ("password", password)])
    let response = try await CurlClient(userAgent: "Ringi/test").send(request)
    return try required(try response.json()["refresh_token"]?.string)
  }

  // MARK: Looking

  /// The task as the agent knows it.
  func item(_ id: String) async throws -> TaskItem {
    let source = try source
    return try await passingTime { try required(try await source.task(TaskItem.ID(provider: "sap", key: id))) }
  }

  /// One ready task's id in the sandbox.
  func makeTask(_ change: (inout SAPTaskDraft) -> Void = { _ in }) throws -> String {
    var draft = SAPTaskDraft()
    draft.context = ["request": ["item": "monitors", "qty": 3], "approved": false, "other": "kept"]
    change(&draft)
    return try required(control.createTasks(draft).first)
  }

  func inject(_ kind: Fault.Kind, on route: String, skip: Int = 0, count: Int? = 1) throws {
    control.inject(try required(Fault(kind, on: route, skip: skip, count: count)))
  }

  /// The requests that the sandbox has seen, as `METHOD /path`, base path left out.
  var requests: [String] {
    control.requests.map { entry in
      let path = entry.request.path.split(separator: "/v1/", maxSplits: 1).last.map { "/v1/\($0)" }
      return "\(entry.request.method) \(entry.request.path.contains("/v1/") ? path ?? "" : entry.request.path)"
    }
  }

  func count(_ request: String) -> Int { requests.filter { $0 == request }.count }
}

/// Something that a test takes for granted is not so.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

func required<T>(_ value: T?, _ line: Int = #line) throws -> T {
  guard let value else { throw Unexpected("nothing there (line \(line))") }
  return value
}
