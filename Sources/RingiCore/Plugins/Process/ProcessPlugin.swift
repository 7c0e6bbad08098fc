package import EventLoop
package import JSON
internal import JSONRPC
package import RingiKit
internal import RingiModel
internal import Timing

/// An instance whose work is done by a program of its own, which speaks JSON-RPC with the agent.
///
/// The program is started, and started again when it crashes. The instance's methods and tasks stay what they were
/// meanwhile; what asks for them is told that the plugin is down.
@Loop
package final class ProcessPlugin: Plugin {
  /// What the agent lends to it beyond what every instance gets.
  struct Surroundings {
    /// The agent's own environment.
    var environment: [String: String]
    var redactor: Redactor
    var registry: Registry
    var bus: EventBus
    /// The limits in force.
    var limits: @Loop () -> Limits
    /// Fits the instance's methods and tasks into the agent; throws when they can't be.
    var offer: @Loop (ProcessPlugin) throws -> Void
    /// Hears of each change of ``ProcessPlugin/state``.
    var changed: @Loop (ProcessPlugin) -> Void
  }

  /// The times at its end, from the request to the signals.
  private static let grace = (term: Duration.seconds(5), kill: Duration.seconds(10))
  /// The same when the agent itself is about to end, or the program was of no use.
  private static let shortGrace = (term: Duration.seconds(2), kill: Duration.seconds(4))

  package let instance: String
  package let kind = "process"
  package var provider: String { program.command.first ?? "" }
  package private(set) var methods: [Method] = []
  package private(set) var source: (any TaskSource)?

  let file: PluginFile
  let program: PluginProgram
  let context: ProviderContext
  let surroundings: Surroundings
  let clock: any LoopClock
  private(set) var state = PluginHost.State.starting
  private(set) var since: Timestamp
  private(set) var lastError: String?
  private(set) var restarts = 0
  /// What is wrong with the settings.
  private(set) var problems: [ConfigurationProblem] = []
  private var manifest: PluginManifest?
  private var process: RPCProcess?
  /// The conversation with a server of the Model Context Protocol.
  private(set) var session: MCPSession?
  private var work: Task<Void, any Error>?
  private var isStopping = false
  private var errors: ErrorOutput?
  /// What may be logged and what may be published, so that a flood of either stays the plugin's own trouble.
  private var logged: TokenBucket
  var published: TokenBucket
  /// The events that led to the calls that the program works on.
  private var causes: [Int: [String]] = [:]
  private var lastCause = 0

  /// Makes an instance; starts nothing yet.
  init(_ file: PluginFile, _ program: PluginProgram, context: ProviderContext, _ surroundings: Surroundings) {
    (self.file, self.program, self.context, self.surroundings) = (file, program, context, surroundings)
    instance = file.instance
    clock = context.clock
    since = clock.now
    logged = TokenBucket(capacity: 200, perSecond: 50, at: clock.uptime)
    published = TokenBucket(capacity: 1000, perSecond: 100, at: clock.uptime)
  }

  var processID: Int32? { process?.processID }

  // MARK: Life

  /// Starts the program, and sees to it that it runs from now on.
  func start() {
    work = Loop.task { [self] in await live() }
  }

  package func stop(isHurried: Bool) async {
    isStopping = true
    work?.cancel()
    let grace = isHurried ? Self.shortGrace : Self.grace
    await process?.stop(term: grace.term, kill: grace.kill)
    _ = await work?.result
  }

  private func live() async {
    var policy = RestartPolicy()
    while !isStopping {
      let began = clock.uptime
      let (reason, isFinal) = await run()
      if isStopping { return }
      lastError = reason
      let life = Duration.nanoseconds(clock.uptime - began)
      guard !isFinal, case .restart(let delay) = policy.crashed(at: clock.uptime, after: life) else {
        context.log(.error, "the plugin has failed, and is not started again by itself: \(reason)")
        return set(.failed)
      }
      context.log(.error, "the plugin is down, and is started again in \(DurationText.format(delay)): \(reason)")
      set(.backoff)
      do { try await clock.sleep(for: delay) } catch { return }
      restarts += 1
      set(.starting)
    }
  }

  private func set(_ state: PluginHost.State) {
    (self.state, since) = (state, clock.now)
    surroundings.changed(self)
  }

  /// Runs the program once.
  ///
  /// - Returns: Why it ended, and whether another try would end the same way.
  private func run() async -> (reason: String, isFinal: Bool) {
    let errors = ErrorOutput(redact: surroundings.redactor.redact) { [unowned self] in log(.info, $0) }
    self.errors = errors
    defer {
      session?.close()
      (process, session) = (nil, nil)
    }
    do {
      let process = try launch()
      self.process = process
      do {
        try await initialize(process)
        context.log(.info, "the plugin runs as process \(process.processID)")
        set(.running)
        try await process.ended()
      } catch {
        if !isStopping { await process.stop(term: Self.shortGrace.term, kill: Self.shortGrace.kill) }
        // Where it ended by itself, how it did tells more than that the call was cut off.
        if (error as? RPCError)?.kind != "plugin-down" { throw error }
      }
      return (end(of: process, errors.last), false)
    } catch {
      return ("\(error)", error is PluginManifest.Mistake || error is Unusable)
    }
  }

  private func launch() throws -> RPCProcess {
    var bounds = RPCProcess.Bounds()
    let limits = surroundings.limits()
    (bounds.lineBytes, bounds.unsentBytes, bounds.calls) = (limits.messageBytes, limits.outboxBytes, limits.inFlight)
    let redactor = surroundings.redactor
    let environment = PluginEnvironment.base(of: surroundings.environment)
      .filter { redactor.redact($0.value) == $0.value }
    return try RPCProcess(
      program.start(in: file.directory, environment), name: instance, dialect: program.dialect, bounds: bounds,
      clock: clock, owner: self)
  }

  private func end(of process: RPCProcess, _ lastLine: String?) -> String {
    let how = process.failure ?? "It ended with \(process.status.map { "\($0)" } ?? "an unknown status")."
    return lastLine.map { "\(how.hasSuffix(".") ? String(how.dropLast()) : how); its last words: \($0)" } ?? how
  }

  /// The instance can't be used as its file has it, or as the program offers it.
  struct Unusable: Error, CustomStringConvertible {
    let description: String
  }

  // MARK: The beginning

  private func initialize(_ process: RPCProcess) async throws {
    switch program.dialect {
    case .ringi: try adopt(try await greet(process))
    case .mcp:
      let session = session(with: process)
      self.session = session
      try adopt(try await session.open())
    }
  }

  private func session(with process: RPCProcess) -> MCPSession {
    MCPSession(
      process,
      MCPSession.Surroundings(
        instance: instance, hasElicitation: program.elicitation != nil, clock: clock,
        limit: { [surroundings] in surroundings.limits().requestTimeout },
        warn: { [weak self] in self?.log(.warning, $0) },
        changed: { [weak self, weak process] manifest in
          // What is wrong with the new methods is told where the program is started.
          do { try self?.adopt(manifest) } catch { process?.fail("\(error)") }
        }))
  }

  private func greet(_ process: RPCProcess) async throws -> PluginManifest {
    let manifest = try await introduce(process, file.settings)
    if let schema = manifest.settingsSchema {
      try check(schema)
      let settings = try await PluginSettings.resolve(file.settings, schema, context.readSecret)
      // Who marks secrets gets them, which can be told only once they are marked.
      if settings != file.settings { _ = try await introduce(process, settings) }
    }
    return manifest
  }

  /// Puts into force what the program offers now.
  private func adopt(_ manifest: PluginManifest) throws {
    let isSame = self.manifest?.json == manifest.json
    self.manifest = manifest
    if !isSame {
      methods = methods(of: manifest)
      source = manifest.hasTasks ? ProcessTaskSource(self, hasContexts: manifest.hasTaskContexts) : nil
    }
    do { try surroundings.offer(self) } catch let error as Registry.TakenError {
      throw Unusable(description: error.description)
    }
  }

  private func methods(of manifest: PluginManifest) -> [Method] {
    var pass: PluginManifest.Passing?
    // What a server of the other protocol answers has to be read.
    if program.dialect == .ringi {
      pass = { [weak self, instance] offer, params, call in
        guard let self else { throw RPCProcess.down(instance) }
        return try await self.pass(offer, params, call)
      }
    }
    return manifest.methods(
      of: instance,
      { [weak self, instance] offer, params, call in
        guard let self else { throw RPCProcess.down(instance) }
        return try await forward(offer, params, call)
      }, passing: pass)
  }

  private func introduce(_ process: RPCProcess, _ settings: JSONValue) async throws -> PluginManifest {
    try PluginManifest(
      try await process.call(
        "initialize", PluginManifest.request(instance, settings), within: surroundings.limits().requestTimeout))
  }

  /// Checks new settings for the program as it runs now.
  ///
  /// - Throws: `SettingsError`; of a file with another program there is nothing to say.
  func check(settingsOf new: PluginFile) throws(SettingsError) {
    guard state == .running, new.program?.hasSameCode(as: program) == true, let schema = manifest?.settingsSchema,
      let violation = schema.validate(new.settings).first
    else { return }
    throw SettingsError(at: violation.pointer, violation.message)
  }

  private func check(_ schema: Schema) throws(Unusable) {
    problems = PluginSettings.check(file, schema)
    guard let problem = problems.first(where: { !$0.isWarning }) else { return }
    throw Unusable(description: "Its settings don't fit: \(problem)")
  }

  // MARK: Calls to it

  /// Calls a method of the program.
  ///
  /// - Throws: `RPCError`; `CancellationError`.
  func call(
    _ method: String, _ params: JSONValue, within limit: Duration? = nil, causes: [String] = [],
    progress: (@Loop @Sendable (JSONValue) -> Void)? = nil
  ) async throws -> JSONValue {
    let process = try checkRunning()
    let key = keep(causes)
    defer { self.causes[key] = nil }
    let limit = limit ?? surroundings.limits().requestTimeout
    return try await process.call(method, params, within: limit, progress: progress)
  }

  private func keep(_ causes: [String]) -> Int {
    lastCause += 1
    if !causes.isEmpty { self.causes[lastCause] = causes }
    return lastCause
  }

  @discardableResult
  func checkRunning() throws(RPCError) -> RPCProcess {
    guard state == .running, let process else {
      throw .pluginDown("The plugin \(instance) is not running (\(state.rawValue)); plugins.list tells why.")
    }
    return process
  }

  private func forward(_ offer: PluginManifest.Offer, _ params: JSONValue, _ call: Call) async throws -> JSONValue {
    var progress: (@Loop @Sendable (JSONValue) -> Void)?
    if call.progressToken != nil { progress = { call.progress($0) } }
    try checkRunning()
    do {
      guard program.dialect == .mcp else {
        return try await self.call(offer.ownName, params, causes: call.causes, progress: progress)
      }
      guard let session else { throw RPCProcess.down(instance) }
      let answer = try await session.call(
        offer.ownName, params, { MCPRequests.elicit($0, self) },
        { try await self.call("tools/call", $0, within: $1, causes: call.causes, progress: progress) })
      return try MCPResult.read(answer, of: offer.ownName, instance)
    } catch let error as RPCError where offer.isMutation && PeerError.leavesOpen(error) {
      throw RPCError.outcomeUnknown(
        "\(offer.name) was sent to the plugin \(instance), and no answer tells whether it was done: \(error.message)",
        details: ["cause": error.json])
    }
  }

  /// Calls a method whose params and result need not be looked into.
  private func pass(_ offer: PluginManifest.Offer, _ params: JSONText, _ call: Call) async throws -> JSONText {
    guard call.progressToken == nil else {
      let options = JSONParsingOptions(maxDepth: JSONParsingOptions.depthLimit)
      return JSONText(try await forward(offer, JSONValue(parsing: params.utf8, options: options), call))
    }
    let process = try checkRunning()
    let key = keep(call.causes)
    defer { causes[key] = nil }
    return try await process.call(offer.ownName, params, within: surroundings.limits().requestTimeout)
  }

  /// What may have led to what the program does now: it doesn't tell, so the longest chain among its calls counts.
  var presentCauses: [String] { causes.values.max { $0.count < $1.count } ?? [] }

  // MARK: The log

  func log(_ level: ProviderContext.LogLevel, _ message: String) {
    guard let missed = logged.take(at: clock.uptime) else { return }
    if missed > 0 { context.log(.warning, "\(missed) lines of the plugin were left out: it writes too many.") }
    context.log(level, message)
  }
}

extension ProcessPlugin: RPCProcess.Owner {
  package func wroteError(_ bytes: UnsafeRawBufferPointer) { errors?.take(bytes) }

  package func complain(_ sentence: String) { log(.warning, sentence) }

  package func serve(_ method: String, _ params: JSONValue, from process: RPCProcess) async throws -> JSONValue {
    switch program.dialect {
    case .ringi: try await PluginRequests.serve(method, params, of: self, process)
    case .mcp: try MCPRequests.serve(method, params, of: self)
    }
  }
}
