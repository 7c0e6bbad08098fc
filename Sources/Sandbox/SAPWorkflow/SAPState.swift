internal import HTTPServer
internal import Timing

/// All that a sandboxed service knows.
struct SAPState {
  let configuration: SAPWorkflowConfiguration
  var switches: SAPSwitches
  var clock: SandboxClock
  var users: [String: SAPUser]
  var clients: [String: SAPClient]
  var definitions = Table<SAPDeployment>()
  var instances = Table<SAPInstance>()
  var tasks = Table<SAPTask>()
  /// Those that are not finished.
  var jobs: Set<String> = []
  var sessions = SAPSessions()
  var tokens = SAPTokens()
  /// Whom `/oauth/authorize` takes for logged in.
  var loggedInUser: String?
  var effects = Effects<SAPEffect>()
  var faults = FaultTable()
  var log = RequestLog()
  var rateLimit = RateLimit()
  /// How often each task was completed over the service's API.
  var completions: [String: Int] = [:]
  var ids: SAPIDs
  /// Counts answers with a single object, which write absent values in turns.
  var singleAnswers = 0

  init(_ configuration: SAPWorkflowConfiguration) {
    self.configuration = configuration
    switches = configuration.switches
    clock = SandboxClock(standingAt: configuration.clock)
    users = Dictionary(configuration.users.map { ($0.id, $0) }) { $1 }
    clients = Dictionary(configuration.clients.map { ($0.id, $0) }) { $1 }
    ids = SAPIDs(configuration.environment)
    for definition in configuration.definitions { deploy(definition) }
  }

  var environment: SAPEnvironment { configuration.environment }

  mutating func deploy(_ definition: SAPDefinition) {
    definitions[definition.id] = SAPDeployment(definition: definition, createdAt: clock.now)
  }
}

/// A definition and when it came.
struct SAPDeployment: Identifiable {
  let definition: SAPDefinition
  let createdAt: Timestamp

  var id: String { definition.id }
}
