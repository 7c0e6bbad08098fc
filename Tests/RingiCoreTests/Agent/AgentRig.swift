import EventLoop
import HTTPServer
import JSON
import Providers
import RingiCore
import RingiTestSupport
import Sandbox
import Timing

/// An agent with a socket of its own, in front of a sandbox of SAP's workflow service.
final class AgentRig: Sendable {
  let sandbox: SAPWorkflowSandbox
  let folder: TemporaryFolder
  let agent: Agent
  /// For what is to happen by the clock; the system's clock runs when there is none.
  let clock: TestClock?
  var control: SAPControl { sandbox.control }
  var socket: String { "\(folder.path)/agent.sock" }

  /// Starts both; the instance `sap` polls once at the start, and then mostly when it is told to.
  ///
  /// - Parameters:
  ///   - environment: The sandbox's generation.
  ///   - settings: Added to the instance's settings.
  ///   - files: Further files of the configuration.
  ///   - variables: The agent's environment.
  ///   - poll: How often the instance polls by itself.
  ///   - isBaseline: Whether the first poll only notes what is there.
  ///   - isOnTestClock: Whether time passes only when the test says so.
  ///   - backendIsDown: Whether nobody listens at the backend's address yet.
  ///   - backendClock: Where the backend's clock stands; it follows the system's when there is none.
  ///   - tls: Makes the backend speak https.
  ///   - prepare: What the sandbox holds at the start.
  /// - Throws: What keeps them from starting.
  init(
    _ environment: SAPEnvironment = .neo, settings: JSONValue = [:], files: [String: String] = [:],
    variables: [String: String] = [:], poll: String = "1d", isBaseline: Bool = false, isOnTestClock: Bool = false,
    backendIsDown: Bool = false,
    backendClock: Timestamp? = nil, tls: LoopbackServer.TLS? = nil,
    prepare: (SAPControl) throws -> Void = { _ in }
  ) async throws {
    var configuration = SAPWorkflowConfiguration(environment)
    configuration.switches.latency = .after(.zero)
    configuration.clock = backendClock
    sandbox = SAPWorkflowSandbox(configuration)
    try sandbox.start(tls: tls)
    try prepare(sandbox.control)
    let all = Self.settings(environment, sandbox).merging(settings)
    if backendIsDown { sandbox.stop() }
    folder = try TemporaryFolder()
    let plugin: JSONValue = [
      "provider": "sap-workflow", "settings": all, "poll": ["every": JSONValue(poll)],
      "firstPoll": isBaseline ? "baseline" : "announce",
    ]
    for folder in ["plugins.d", "jobs.d", "hooks.d"] { try Folder.make("\(self.folder.path)/config/\(folder)") }
    try folder.write("config/plugins.d/sap.json", plugin.description, mode: 0o600)
    for (path, text) in files { try folder.write("config/\(path)", text) }
    let path = folder.path
    let clock = isOnTestClock ? try await onLoop { TestClock() } : nil
    self.clock = clock
    agent = try await onLoop {
      var options = Agent.Options(
        configDirectory: "\(path)/config", stateDirectory: "\(path)/state", defaultSocket: "\(path)/agent.sock",
        environment: variables)
      options.sockets = ["\(path)/agent.sock"]
      return Agent(options: options, providers: builtinProviders, clock: clock ?? SystemClock.shared)
    }
    try await onLoop { [agent] in
      try await agent.start()
      // The first poll is due at once, which a clock that stands still never comes to.
      clock?.advance(by: .milliseconds(1))
    }
  }

  /// Ends the agent and the sandbox.
  func stop() async throws {
    try await onLoop { [agent] in await agent.stop() }
    sandbox.stop()
  }

  private static func settings(_ environment: SAPEnvironment, _ sandbox: SAPWorkflowSandbox) -> JSONValue {
    let common: JSONValue = ["environment": .init(environment.rawValue), "url": .init(sandbox.baseURL)]
    if environment == .neo { return common.merging(["user": "P1000009", "password": "administer-9"]) }
    return common.merging([
      "uaaUrl": .init(sandbox.url), "clientId": .init(SAPClient.standardID),
      "clientSecret": .init(SAPClient.standardSecret),
    ])
  }

  // MARK: Asking

  func client() throws -> TestClient { try TestClient(socket) }

  /// Calls a method over a connection of its own.
  @discardableResult
  func call(_ method: String, _ params: JSONValue = [:]) throws -> JSONValue { try client().call(method, params) }

  /// The error object of a call that fails.
  func error(_ method: String, _ params: JSONValue = [:]) throws -> JSONValue {
    let client = try client()
    guard let error = try client.refusal(method, params) else { throw Unexpected("\(method) succeeded") }
    return error
  }

  /// Polls once more, after what the start began.
  func refresh() throws { try call("tasks.refresh") }

  /// How many events there have been.
  func eventCount() throws -> Int64 { try call("tasks.list", ["limit": 1])["sequence"]?.int ?? 0 }

  /// The events so far, of the given types.
  func events(_ types: JSONValue...) throws -> [JSONValue] {
    let list = try call("events.list", ["types": types.isEmpty ? ["*"] : JSONValue(array: types), "limit": 10_000])
    return list["events"]?.array.map(Array.init) ?? []
  }

  /// Does something that takes the agent's time: its short pauses, before a request is sent again or a task looked at
  /// again, end at once, and what is later stays away.
  func passingPauses<T>(_ body: () throws -> T) async throws -> T {
    guard let clock else { throw Unexpected("the rig is not on a test clock") }
    let pauses = try await onLoop { PassingPauses(of: clock) }
    let result = Result { try body() }
    try await onLoop { pauses.end() }
    return try result.get()
  }

  /// The row of `jobs.list` of the instance's poll.
  func pollJob() throws -> JSONValue {
    guard let row = try call("jobs.list")["jobs"]?.array?.first(where: { $0["name"] == "poll:sap" }) else {
      throw Unexpected("no poll is among the jobs")
    }
    return row
  }

  /// One ready task of the sandbox, known to the agent: its full id and its key.
  func readyTask() throws -> (id: JSONValue, key: String) {
    guard let key = try control.createTasks().first else { throw Unexpected("no task was made") }
    try refresh()
    return (JSONValue("sap/\(key)"), key)
  }

  func inject(_ kind: Fault.Kind, on route: String, skip: Int = 0, count: Int? = 1) throws {
    guard let fault = Fault(kind, on: route, skip: skip, count: count) else { throw Unexpected("a bad route") }
    control.inject(fault)
  }
}

/// Something that a test takes for granted is not so.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Moves a clock to its next alarm, again and again, from the loop alone: tests may hold up all other threads.
@Loop
private final class PassingPauses {
  private let clock: TestClock
  private var alarm: Alarm?

  init(of clock: TestClock) {
    self.clock = clock
    pass()
  }

  private func pass() {
    clock.advanceToNextAlarm(within: .seconds(10))
    alarm = SystemClock.shared.alarm(after: .milliseconds(1)) { [unowned self] in pass() }
  }

  func end() { alarm?.cancel() }
}
