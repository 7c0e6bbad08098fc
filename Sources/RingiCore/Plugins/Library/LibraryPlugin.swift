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
  let surroundings: PluginSurroundings
  private let library: PluginLibrary
  private let context: ProviderContext
  private let requests: PluginRequests
  var problems: [ConfigurationProblem] = []
  private(set) var manifest: PluginManifest?
  private var run: LibraryRun?
  private var inlineMethods: Set<String> = []
  private let ending = Gate()

  /// Makes an instance; loads nothing yet.
  init(_ file: PluginFile, _ library: PluginLibrary, context: ProviderContext, _ surroundings: PluginSurroundings) {
    (self.file, self.library, self.context, self.surroundings) = (file, library, context, surroundings)
    instance = file.instance
    requests = PluginRequests(file.allow, context, surroundings)
    supervisor = Supervisor(clock: context.clock, log: context.log)
    supervisor.changed = { [unowned self] in surroundings.changed(self) }
  }

  var processID: Int32? { nil }

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
    let run = try LibraryRun(
      instance, clock: context.clock, limit: surroundings.limits().requestTimeout, redactor: surroundings.redactor,
      owner: self)
    self.run = run
    let native = try await run.load(library.path)
    let manifest = try PluginManifest(native.description, from: "Its description")
    try await run.create(native, try await settings(manifest))
    try adopt(manifest)
  }

  private func settings(_ manifest: PluginManifest) async throws -> JSONValue {
    guard let schema = manifest.settingsSchema else { return file.settings }
    try checkSettings(schema)
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
    try offer()
  }

  /// Ends what runs; one that does not end is left alone, since nothing can end a thread from outside.
  private func end(within limit: Duration) async {
    guard let run else { return }
    self.run = nil
    guard await !run.end(within: limit) else { return }
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
    return try await requests.working(on: causes) {
      try await run.call(
        method, params, isInline: inlineMethods.contains(method), within: limits.requestTimeout, bound: limits.inFlight,
        progress: progress)
    }
  }
}

extension LibraryPlugin: LibraryRun.Owner {
  func serve(_ method: String, _ params: JSONValue) async throws -> JSONValue {
    try await requests.serve(method, params)
  }

  func complain(_ sentence: String) { requests.log(.warning, sentence) }
}
