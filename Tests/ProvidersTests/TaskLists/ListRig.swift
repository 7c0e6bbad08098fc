import EventLoop
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

/// An instance named `todo` of a list provider in front of its sandbox, on a clock that the test moves.
///
/// It is 2026-11-30 in the zone that counts, UTC.
@Loop final class ListRig<Service: SandboxService> {
  nonisolated let sandbox: ServiceSandbox<Service>
  let run: PluginRun
  var source: any TaskSource { get throws { try required(run.plugin.source) } }

  init(
    _ provider: any Provider.Type, _ configuration: Service.Configuration, settings: JSONValue,
    secrets: [String: String] = [:], store: Store? = nil
  ) throws {
    sandbox = ServiceSandbox(configuration)
    try sandbox.start(port: 0, tls: nil)
    let common: JSONValue = ["url": .init(sandbox.baseURL), "timezone": "UTC"]
    run = try PluginRun(
      provider, "todo", settings: common.merging(settings), secrets: secrets, store: store
    ) { [sandbox] duration in sandbox.with { $0.clock.advance(by: duration) } }
  }

  @discardableResult
  func call(_ name: String, _ params: JSONValue = [:]) async throws -> JSONValue { try await run.call(name, params) }

  func failure(_ name: String, _ params: JSONValue = [:]) async throws -> RPCError {
    try await run.failure(name, params)
  }

  func poll() async throws -> TaskSnapshot {
    let source = try source
    return try await run.passingTime { try await source.tasks() }
  }

  /// The keys of the tasks that wait.
  func keys() async throws -> [String] { try await poll().items.map(\.id.key) }

  func items() async throws -> [TaskItem] { try await poll().items.map { try $0.task() } }

  /// The task as the agent knows it.
  func item(_ key: String) async throws -> TaskItem {
    let source = try source
    return try await run.passingTime { try required(try await source.task(TaskItem.ID(provider: "todo", key: key))) }
  }

  /// Decides a task as last seen.
  @discardableResult
  func decide(_ kind: Decision.Kind, _ task: TaskItem) async throws -> TaskItem {
    let source = try source
    return try await run.passingTime { try await source.decide(Decision(kind), on: task) }
  }

  func advance(_ duration: Duration) {
    run.clock.advance(by: duration)
    sandbox.with { $0.clock.advance(by: duration) }
  }

  func inject(_ kind: Fault.Kind, on route: String, skip: Int = 0, count: Int? = 1) throws {
    let fault = try required(Fault(kind, on: route, skip: skip, count: count))
    sandbox.with { $0.inject(fault) }
  }

  /// The requests that the sandbox has seen, as `METHOD /path` below the API's beginning.
  var requests: [String] {
    sandbox.with { $0.log.entries }.map { "\($0.request.method) \($0.request.path.replacing("/api/v1", with: ""))" }
  }

  func count(_ request: String) -> Int { requests.count { $0 == request } }
}

extension ListRig<WunderlistState> {
  convenience init(
    settings: JSONValue = [:], secrets: [String: String] = [:],
    change: (inout WunderlistConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = WunderlistConfiguration()
    configuration.clock = Timestamp(milliseconds: 1_795_996_800_000)
    change(&configuration)
    let login: JSONValue = ["clientId": .init(configuration.clientID), "accessToken": .init(configuration.token)]
    try self.init(Wunderlist.self, configuration, settings: login.merging(settings), secrets: secrets)
  }
}

extension ListRig<TodoistState> {
  convenience init(
    settings: JSONValue = [:], secrets: [String: String] = [:], store: Store? = nil,
    change: (inout TodoistConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = TodoistConfiguration()
    configuration.clock = Timestamp(milliseconds: 1_795_996_800_000)
    change(&configuration)
    try self.init(
      Todoist.self, configuration, settings: (["token": .init(configuration.token)] as JSONValue).merging(settings),
      secrets: secrets, store: store)
  }
}
