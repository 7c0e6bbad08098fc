internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit
internal import RingiModel
internal import Timing

/// An instance whose work is done by a program of its own, which speaks JSON-RPC with the agent.
///
/// The program is started, and started again when it crashes. The instance's methods and tasks stay what they were
/// meanwhile; what asks for them is told that the plugin is down.
@Loop
final class ProcessPlugin: StartedPlugin {
  /// The times at its end, from the request to the signals.
  private static let grace = (term: Duration.seconds(5), kill: Duration.seconds(10))
  /// The same when the agent itself is about to end, or the program was of no use.
  private static let shortGrace = (term: Duration.seconds(2), kill: Duration.seconds(4))

  let instance: String
  var provider: String { program.command.first ?? "" }
  private(set) var methods: [Method] = []
  private(set) var source: (any TaskSource)?

  let file: PluginFile
  let program: PluginProgram
  let supervisor: Supervisor
  let requests: PluginRequests
  private let context: ProviderContext
  let surroundings: PluginSurroundings
  private var clock: any LoopClock { context.clock }
  var problems: [ConfigurationProblem] = []
  private(set) var manifest: PluginManifest?
  private var process: RPCProcess?
  /// The conversation with a server of the Model Context Protocol.
  private(set) var session: MCPSession?
  private var errors: ErrorOutput?

  /// Makes an instance; starts nothing yet.
  init(_ file: PluginFile, _ program: PluginProgram, context: ProviderContext, _ surroundings: PluginSurroundings) {
    (self.file, self.program, self.context, self.surroundings) = (file, program, context, surroundings)
    instance = file.instance
    requests = PluginRequests(file.allow, context, surroundings)
    supervisor = Supervisor(clock: context.clock, log: context.log)
    supervisor.changed = { [unowned self] in surroundings.changed(self) }
  }

  var processID: Int32? { process?.processID }

  // MARK: Life

  func start() { supervisor.start { [self] in await run() } }

  func stop(isHurried: Bool) async {
    supervisor.beginStop()
    let grace = isHurried ? Self.shortGrace : Self.grace
    await process?.stop(term: grace.term, kill: grace.kill)
    await supervisor.stopped()
  }

  /// Runs the program once.
  private func run() async -> Supervisor.End {
    let errors = ErrorOutput(surroundings.redactor) { [requests] in requests.log(.info, $0) }
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
        supervisor.isRunning()
        try await process.ended()
      } catch {
        if !supervisor.isStopping { await process.stop(term: Self.shortGrace.term, kill: Self.shortGrace.kill) }
        // Where it ended by itself, how it did tells more than that the call was cut off.
        if (error as? RPCError)?.kind != "plugin-down" { throw error }
      }
      return Supervisor.End(reason: end(of: process, errors.last), isFinal: false)
    } catch {
      return Supervisor.End(reason: "\(error)", isFinal: error is PluginManifest.Mistake || error is UnusablePlugin)
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
      clock: clock, redactor: redactor, owner: self)
  }

  private func end(of process: RPCProcess, _ lastLine: String?) -> String {
    let how = process.failure ?? "It ended with \(process.status.map { "\($0)" } ?? "an unknown status")."
    return lastLine.map { "\(how.hasSuffix(".") ? String(how.dropLast()) : how); its last words: \($0)" } ?? how
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
        warn: { [requests] in requests.log(.warning, $0) },
        changed: { [weak self, weak process] manifest in
          // What is wrong with the new methods is told where the program is started.
          do { try self?.adopt(manifest) } catch { process?.fail("\(error)") }
        }))
  }

  private func greet(_ process: RPCProcess) async throws -> PluginManifest {
    let manifest = try await introduce(process, file.settings)
    if let schema = manifest.settingsSchema {
      try checkSettings(schema)
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
      source = manifest.hasTasks ? PluginTaskSource(self, hasContexts: manifest.hasTaskContexts) : nil
    }
    try offer()
  }

  private func methods(of manifest: PluginManifest) -> [Method] {
    var pass: PluginManifest.Passing?
    // What a server of the other protocol answers has to be read.
    if program.dialect == .ringi {
      pass = { [weak self, instance] offer, params, call in
        guard let self else { throw RPCError.plugin(isDown: instance) }
        return try await self.pass(offer, params, call)
      }
    }
    return manifest.methods(
      of: instance,
      { [weak self, instance] offer, params, call in
        guard let self else { throw RPCError.plugin(isDown: instance) }
        return try await forward(offer, params, call)
      }, passing: pass)
  }

  private func introduce(_ process: RPCProcess, _ settings: JSONValue) async throws -> PluginManifest {
    let answer: JSONValue
    do {
      answer = try await process.call(
        "initialize", PluginManifest.request(instance, settings), within: surroundings.limits().requestTimeout)
    } catch let error as RPCError {
      throw PluginManifest.refused(error)
    }
    return try PluginManifest(answer)
  }

  // MARK: Calls to it

  func call(
    _ method: String, _ params: JSONValue, causes: [String], progress: ProgressHandler?
  ) async throws -> JSONValue {
    try await call(method, params, within: nil, causes: causes, progress: progress)
  }

  private func call(
    _ method: String, _ params: JSONValue, within limit: Duration?, causes: [String], progress: ProgressHandler?
  ) async throws -> JSONValue {
    let process = try runningProcess()
    let limit = limit ?? surroundings.limits().requestTimeout
    return try await requests.working(on: causes) {
      try await process.call(method, params, within: limit, progress: progress)
    }
  }

  private func runningProcess() throws(RPCError) -> RPCProcess {
    try checkRunning()
    guard let process else { throw RPCError.plugin(isDown: instance) }
    return process
  }

  private func forward(_ offer: PluginManifest.Offer, _ params: JSONValue, _ call: Call) async throws -> JSONValue {
    try await forward(offer, call) { progress in
      guard program.dialect == .mcp else {
        return try await self.call(offer.ownName, params, causes: call.causes, progress: progress)
      }
      guard let session else { throw RPCError.plugin(isDown: instance) }
      let answer = try await session.call(
        offer.ownName, params, { serverRequests.elicit($0) },
        { try await self.call("tools/call", $0, within: $1, causes: call.causes, progress: progress) })
      do throws(RPCError) { return try MCPResult.read(answer, of: offer.ownName, instance) } catch {
        throw surroundings.redactor.redact(error)
      }
    }
  }

  /// Calls a method whose params and result need not be looked into.
  private func pass(_ offer: PluginManifest.Offer, _ params: JSONText, _ call: Call) async throws -> JSONText {
    guard call.progressToken == nil else {
      let options = JSONParsingOptions(maxDepth: JSONParsingOptions.depthLimit)
      return JSONText(try await forward(offer, JSONValue(parsing: params.utf8, options: options), call))
    }
    let process = try runningProcess()
    return try await requests.working(on: call.causes) {
      try await process.call(offer.ownName, params, within: surroundings.limits().requestTimeout)
    }
  }
}

extension ProcessPlugin: RPCProcess.Owner {
  func wroteError(_ bytes: UnsafeRawBufferPointer) { errors?.take(bytes) }

  func complain(_ sentence: String) { requests.log(.warning, sentence) }

  func serve(_ method: String, _ params: JSONValue, from process: RPCProcess) async throws -> JSONValue {
    switch program.dialect {
    case .ringi:
      try await requests.serve(method, params) { [weak process] token, value in
        process?.notify("$/progress", ["token": token, "value": value])
      }
    case .mcp: try serverRequests.serve(method, params)
    }
  }

  /// What answers a server of the Model Context Protocol.
  private var serverRequests: MCPRequests {
    MCPRequests(
      elicitation: program.elicitation, log: { [requests] in requests.logOwn($0, $1) },
      listChanged: { [weak session] in session?.listChanged() })
  }
}
