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
@Loop final class SAPRig: PluginRig {
  nonisolated let sandbox: SAPWorkflowSandbox
  var clock: TestClock { run.clock }
  var plugin: BuiltinPlugin { run.plugin }
  var control: SAPControl { sandbox.control }

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
    var all = Self.settings(environment, sandbox).merging(settings)
    for member in settings.object.map(Array.init) ?? [] where member.value.isNull {
      all = all.setting(member.key, to: nil)
    }
    run = try PluginRun(SAPWorkflow.self, "sap", settings: all, secrets: secrets, store: store) {
      [control = sandbox.control] in control.advanceClock(by: $0)
    }
  }

  private let run: PluginRun

  /// What the plugin logged.
  var logged: [String] { run.logged }
  /// What the plugin had kept out of what the agent says.
  var hidden: Set<String> { run.hidden }

  private static func settings(_ environment: SAPEnvironment, _ sandbox: SAPWorkflowSandbox) -> JSONValue {
    let common: JSONValue = ["environment": .init(environment.rawValue), "url": .init(sandbox.baseURL)]
    if environment == .neo { return common.merging(["user": "P1000009", "password": "administer-9"]) }
    return common.merging([
      "uaaUrl": .init(sandbox.url), "clientId": .init(SAPClient.standardID),
      "clientSecret": .init(SAPClient.standardSecret),
    ])
  }

  // MARK: Calling

  func pass(_ duration: Duration) { run.pass(duration) }

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
