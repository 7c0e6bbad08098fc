internal import EventLoop
internal import JSON
internal import JSONRPC
internal import NativeLibrary
internal import RingiKit
internal import RingiModel
internal import Timing

/// An instance whose work is done by a shared library in the agent's own process.
///
/// The library has a thread of its own for what may wait; methods that it calls inline are called on the loop's.
@Loop
final class LibraryPlugin: StartedPlugin {
  /// What the end of an instance may take.
  private static let grace = Duration.seconds(10)
  private static let shortGrace = Duration.seconds(4)

  let instance: String
  var provider: String { library.path }
  private(set) var methods: [Method] = []
  private(set) var source: (any TaskSource)?

  let file: PluginFile
  let supervisor: Supervisor
  private let library: PluginLibrary
  private let context: ProviderContext
  private let surroundings: PluginSurroundings
  private let requests: PluginRequests
  private let pending: PendingCalls<JSONValue>
  private(set) var problems: [ConfigurationProblem] = []
  private(set) var manifest: PluginManifest?
  private var run: LibraryRun?
  private var inlineMethods: Set<String> = []
  private let ending = Gate()

  /// Makes an instance; loads nothing yet.
  init(_ file: PluginFile, _ library: PluginLibrary, context: ProviderContext, _ surroundings: PluginSurroundings) {
    (self.file, self.library, self.context, self.surroundings) = (file, library, context, surroundings)
    instance = file.instance
    requests = PluginRequests(file.allow, context, surroundings)
    pending = PendingCalls(of: file.instance, clock: context.clock)
    supervisor = Supervisor(clock: context.clock, log: context.log)
    supervisor.changed = { [unowned self] in surroundings.changed(self) }
  }

  // MARK: Life

  func start() { supervisor.start { [self] in await live() } }

  func stop(isHurried: Bool) async {
    supervisor.beginStop()
    ending.open()
    await end(within: isHurried ? Self.shortGrace : Self.grace)
    await supervisor.stopped()
  }

  /// Makes the instance, and waits until it is to end.
  private func live() async -> Supervisor.End {
    do {
      try await open()
      context.log(.info, "the plugin runs")
      supervisor.isRunning()
      // Only a stop ends what has begun.
      try await ending.wait()
      return Supervisor.End(reason: "It was ended.", isFinal: true)
    } catch {
      await end(within: Self.shortGrace)
      let isFinal = error is PluginManifest.Mistake || error is UnusablePlugin || error is NativeLibraryError
      return Supervisor.End(reason: "\(error)", isFinal: isFinal)
    }
  }

  private func open() async throws {
    let run = try LibraryRun(instance, clock: context.clock, limit: surroundings.limits().requestTimeout) {
      [weak self] in self?.take()
    }
    self.run = run
    let native = try await run.load(library.path)
    let manifest = try PluginManifest(native.description, from: "Its description")
    let settings = try await settings(manifest)
    try await run.create(native, settings)
    try adopt(manifest)
  }

  private func settings(_ manifest: PluginManifest) async throws -> JSONValue {
    guard let schema = manifest.settingsSchema else { return file.settings }
    problems = PluginSettings.check(file, schema)
    if let problem = problems.first(where: { !$0.isWarning }) {
      throw UnusablePlugin(description: "Its settings don't fit: \(problem)")
    }
    return try await PluginSettings.resolve(file.settings, schema, context.readSecret)
  }

  /// Puts into force what the library offers.
  private func adopt(_ manifest: PluginManifest) throws {
    self.manifest = manifest
    inlineMethods = Set(manifest.offers.filter(\.isInline).map(\.ownName))
    methods = manifest.methods(of: instance) { [weak self, instance] offer, params, call in
      guard let self else { throw RPCError.plugin(isDown: instance) }
      return try await forward(offer, call) { progress in
        try await self.call(offer.ownName, params, causes: call.causes, progress: progress)
      }
    }
    source = manifest.hasTasks ? PluginTaskSource(self, hasContexts: manifest.hasTaskContexts) : nil
    do { try surroundings.offer(self) } catch let error as Registry.TakenError {
      throw UnusablePlugin(description: error.description)
    }
  }

  /// Ends what runs; one that does not end is left alone, since nothing can end a thread from outside.
  private func end(within limit: Duration) async {
    guard let run else { return }
    self.run = nil
    let error = RPCError.plugin(isDown: instance)
    pending.settleAll(error)
    guard await !run.end(error.json, within: limit) else { return }
    context.log(
      .error,
      "the library has not ended within \(DurationText.format(limit)); its thread is left alone until the agent ends.")
  }

  // MARK: Calls to it

  func call(
    _ method: String, _ params: JSONValue, causes: [String], progress: ProgressHandler?
  ) async throws -> JSONValue {
    try checkRunning()
    guard let run else { throw RPCError.plugin(isDown: instance) }
    let limits = surroundings.limits()
    // Those that were given up may wait for the thread still.
    guard max(pending.count, run.waiting) < limits.inFlight else {
      throw RPCError.overloaded(
        "The plugin \(instance) has \(pending.count) calls to work on; \(method) was not made, try again later.")
    }
    return try await requests.working(on: causes) {
      let call = pending.begin(method, progress)
      run.call(method, params, call.id, isInline: inlineMethods.contains(method))
      return try await pending.answer(to: call, within: limits.requestTimeout) { run.host.giveUp($0) }
    }
  }

  // MARK: What it says

  private func take() {
    guard let run else { return }
    for message in run.host.take() { take(message) }
  }

  private func take(_ message: NativeHost.Message) {
    switch message {
    case .answer(let call, let value): pending.settle(call, value, from: instance)
    case .failure(let call, let kind, let text, let data):
      pending.settle(call, .failure(PeerError.read(kind, text, data, from: instance)))
    case .progress(let call, let value): pending.progress(call, value)
    case .notification(let method, let params): serve(method, params, nil)
    case .request(let method, let params, let answer): serve(method, params, answer)
    case .dropped(let count):
      requests.log(.warning, "\(count) events, lines or notes of progress were dropped: it sends too many at once.")
    }
  }

  /// Answers a request, or takes a notification; each ends with the limits of what it asks for.
  private func serve(_ method: String, _ params: JSONValue, _ answer: NativeAnswer?) {
    Loop.task { [self] in
      do {
        let result = try await requests.serve(method, params)
        answer?.give(.success(result))
      } catch {
        let error = rpcError(error)
        if let answer {
          answer.give(.failure(.init(error.json)))
        } else {
          requests.log(.warning, "\(method): \(error.message)")
        }
      }
    }
  }
}
