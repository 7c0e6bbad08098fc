package import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
package import RingiKit
internal import RingiModel
internal import Timing

/// The agent: the only place that knows all the parts.
@Loop
package final class Agent {
  /// How the agent was asked to run.
  package struct Options: Sendable {
    package var configDirectory: String
    package var stateDirectory: String
    /// Sockets of the command line; they take the place of ringi.json's listeners.
    package var sockets: [String] = []
    /// The socket when nobody names one.
    package var defaultSocket: String
    package var isStdio = false
    package var environment: [String: String]

    package init(
      configDirectory: String, stateDirectory: String, defaultSocket: String, environment: [String: String]
    ) {
      self.configDirectory = configDirectory
      self.stateDirectory = stateDirectory
      self.defaultSocket = defaultSocket
      self.environment = environment
    }
  }

  /// How long what is under way may take at the end.
  package static let shutdownLimit: Duration = .seconds(10)

  /// How long plugins' programs may take to start before the agent goes on without them.
  static let startingLimit: Duration = .milliseconds(500)

  let options: Options
  let providers: [any Provider.Type]
  let clock: any LoopClock
  let started: Timestamp
  let startedUptime: Int64
  var configuration = Configuration()
  /// What was wrong with it when it was last read.
  var configurationProblems: [ConfigurationProblem] = []

  let registry = Registry()
  let redactor = Redactor()
  let problems = Problems()
  let counters = Counters()
  let log: Log
  let store: Store
  let bus: EventBus
  let scheduler: Scheduler
  let inbox: Inbox
  let decisions: Decisions
  let mutations: Mutations
  let hooks: HookRunner
  let plugins: PluginHost
  let environment: SessionEnvironment
  let server: Server
  let notifier: ServiceNotifier
  let doctor: Doctor
  var phrasebook = PhraseBook([])
  var isStopping = false
  let stopped = Gate()
  var reloading: Task<JSONValue, any Error>?

  /// Puts the parts together; reads and opens nothing yet.
  ///
  /// - Parameters:
  ///   - options: How to run.
  ///   - providers: The kinds of backend that are compiled in.
  ///   - clock: Time.
  package init(options: Options, providers: [any Provider.Type], clock: any LoopClock = SystemClock.shared) {
    self.options = options
    self.providers = providers
    self.clock = clock
    started = clock.now
    startedUptime = clock.uptime
    log = Log(clock: clock, redactor: redactor)
    store = Store(directory: options.stateDirectory, clock: clock, log: log, problems: problems)
    bus = EventBus(store: store, clock: clock, host: HostName.current, redactor: redactor)
    scheduler = Scheduler(clock: clock, store: store, redactor: redactor)
    inbox = Inbox(bus: bus, clock: clock, log: log)
    decisions = Decisions(inbox: inbox)
    mutations = Mutations(store: store, clock: clock, redactor: redactor)
    registry.mutations = mutations
    hooks = HookRunner(
      bus: bus, registry: registry, clock: clock, log: log, problems: problems, redactor: redactor,
      environment: options.environment)
    let environment = SessionEnvironment(
      registry: registry, bus: bus, clock: clock, redactor: redactor, limits: Limits(), counters: counters)
    self.environment = environment
    plugins = PluginHost(
      providers: providers,
      parts: PluginHost.Parts(
        registry: registry, inbox: inbox, scheduler: scheduler, bus: bus, log: log, problems: problems, clock: clock,
        secrets: SecretReader(environment: options.environment, clock: clock, redactor: redactor), store: store,
        redactor: redactor, environment: options.environment, limits: { environment.limits }))
    server = Server(environment: environment, log: log)
    notifier = ServiceNotifier(environment: options.environment, clock: clock)
    doctor = Doctor(clock: clock, redactor: redactor, limits: { environment.limits })
  }

  // MARK: Starting

  /// Loads the configuration and begins to serve.
  ///
  /// - Throws: `UnixSocket.BindError`, ``StateLock/Held``, ``Store/TooNew`` or `SystemError`, each a sentence for a
  ///   person.
  package func start() async throws {
    try await load()
    // It may have been told to end meanwhile.
    guard !isStopping else { return }
    try listen()
    scheduler.start()
    store.startTrimming()
    notifier.ready()
    log.write(.info, "agent", "ringid \(Version.current) runs with \(configuration.plugins.count) plugins")
  }

  /// Reads the configuration and fits everything together; nothing polls or listens yet.
  private func load() async throws {
    try registry.add(coreMethods, of: "agent")
    let reading = Configuration.read(directory: options.configDirectory, providers: providers)
    configuration = reading.configuration
    apply(configuration.agent)
    store.onLoad = { [unowned self] in restore($0) }
    try await store.open()
    // From now on a configuration is in force when it is called, and what that doesn't name is forgotten as at the start.
    store.onLoad = { [unowned self] in
      restore($0)
      let reading = Configuration.read(directory: options.configDirectory, providers: providers)
      hooks.forget(unless: reading.mayMean(hook:))
      scheduler.forget(unless: reading.mayMean(job:))
    }
    // Hooks have their place in the log before anything can be published.
    hooks.replace(hooks: configuration.hooks)
    hooks.forget(unless: reading.mayMean(hook:))
    for file in configuration.plugins { plugins.load(file) }
    await plugins.settle(within: Self.startingLimit)
    plugins.announceStarts()
    for file in configuration.jobs where file.isEnabled { scheduler.add(job(file)) }
    scheduler.forget(unless: reading.mayMean(job:))
    report(reading)
  }

  /// Takes over what the store holds.
  private func restore(_ state: StoredState) {
    bus.log.restore(state.events)
    inbox.restore(state)
    scheduler.restore(state.jobs)
    hooks.restore(state.hooks)
    write(state.audit)
  }

  func apply(_ file: AgentFile) {
    store.retention = file.retention
    log.level = file.logLevel
    log.format = file.logFormat
    environment.limits = file.limits
    phrasebook = PhraseBook(file.phrases)
  }

  func job(_ file: JobFile) -> Job {
    let registry = registry
    return Job(
      name: file.name, schedule: file.schedule, jitter: file.jitter, misfire: file.misfire, timeout: file.timeout
    ) {
      try await registry.call(file.call, file.params, Call(origin: .owner(Actor(job: file.name), causes: [])))
    }
  }

  /// Says what is wrong with the configuration, in the log and in the status.
  func report(_ reading: Configuration.Reading) {
    problems.resolveAll(prefix: "config:")
    configurationProblems = problems(of: reading)
    for (index, problem) in configurationProblems.enumerated() {
      log.write(problem.isWarning ? .warning : .error, "config", problem.description)
      problems.report("config:\(index)", problem.description)
    }
  }

  private func problems(of reading: Configuration.Reading) -> [ConfigurationProblem] {
    reading.problems + plugins.problems(reading) + MethodReferences.check(reading, registry)
  }

  // MARK: Checking

  /// What `--check` found.
  package struct Check: Sendable {
    package let problems: [ConfigurationProblem]
    /// The jobs and polls, each with its next times.
    package let schedules: [(name: String, next: [Timestamp])]
  }

  /// Reads the whole configuration and asks no backend.
  package func check() async throws -> Check {
    try registry.add(coreMethods, of: "agent")
    let reading = Configuration.read(directory: options.configDirectory, providers: providers)
    for file in reading.configuration.plugins { plugins.load(file, isCheck: true) }
    let polls = reading.configuration.plugins.filter { $0.isEnabled && plugins.hasPoll($0.instance) }
      .map { (PluginHost.pollName($0.instance), $0.poll.schedule) }
    let jobs = reading.configuration.jobs.filter(\.isEnabled).map { ($0.name, $0.schedule) }
    return Check(
      problems: problems(of: reading),
      schedules: (polls + jobs).map { ($0.0, next(3, of: $0.1)) })
  }

  private func next(_ count: Int, of schedule: JobSchedule) -> [Timestamp] {
    var times: [Timestamp] = []
    while times.count < count, let time = schedule.next(after: times.last ?? clock.now) { times.append(time) }
    return times
  }
}
