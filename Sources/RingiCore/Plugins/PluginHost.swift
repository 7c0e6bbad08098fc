package import EventLoop
package import JSON
internal import JSONRPC
package import RingiKit
internal import RingiModel
internal import Timing

/// Loads what plugins.d names, and keeps each instance's methods, task source and poll together.
@Loop
package final class PluginHost {
  package enum State: String, Sendable { case starting, running, backoff, failed, disabled }

  /// One file of plugins.d and what became of it.
  @Loop
  final class Entry {
    let file: PluginFile
    var plugin: (any Plugin)?
    var state: State
    var since: Timestamp
    /// The clock's uptime since when it has run.
    var runningSince: Int64?
    /// Why it was not loaded.
    var error: (any Error)?
    /// How often it was restarted by hand, and by itself before that.
    var restarts = 0
    /// What the inbox asks.
    var source: CountedTaskSource?

    init(_ file: PluginFile, _ state: State, since: Timestamp) {
      self.file = file
      self.state = state
      self.since = since
    }

    /// Whether it is about to make room for another file, or for none.
    var isLeaving = false
    var started: (any StartedPlugin)? { plugin as? any StartedPlugin }
    var totalRestarts: Int { restarts + (started?.supervisor.restarts ?? 0) }
  }

  /// What is kept of an instance beyond its restarts.
  struct Record {
    let log = PluginLog()
    var figures: CallFigures
  }

  /// The parts of the agent that an instance is fitted into.
  package struct Parts {
    package var registry: Registry
    package var inbox: Inbox
    package var scheduler: Scheduler
    package var bus: EventBus
    package var log: Log
    package var problems: Problems
    package var clock: any LoopClock
    package var secrets: SecretReader
    package var store: Store
    package var redactor: Redactor
    /// The agent's own.
    package var environment: [String: String]
    /// The limits in force.
    package var limits: @Loop () -> Limits

    package init(
      registry: Registry, inbox: Inbox, scheduler: Scheduler, bus: EventBus, log: Log, problems: Problems,
      clock: any LoopClock, secrets: SecretReader, store: Store, redactor: Redactor, environment: [String: String],
      limits: @escaping @Loop () -> Limits
    ) {
      self.registry = registry
      self.inbox = inbox
      self.scheduler = scheduler
      self.bus = bus
      self.log = log
      self.problems = problems
      self.clock = clock
      self.secrets = secrets
      self.store = store
      self.redactor = redactor
      self.environment = environment
      self.limits = limits
    }
  }

  let providers: [any Provider.Type]
  let parts: Parts
  var entries: [String: Entry] = [:]
  /// New files that a provider could not use, while the old ones stay in force.
  var refused: [(file: PluginFile, error: any Error)] = []
  /// The restarts that wait for the old program's end; who asks for another one meanwhile waits for the same.
  private var restarting: [String: Task<Void, any Error>] = [:]
  /// The instances that were said to be down, and not yet to be up again: whether that was asked for.
  private var down: [String: Bool] = [:]
  /// Whether it is told when an instance runs for the first time: clients have seen that it did not.
  private var announcesStarts = false
  /// The instances that are about to be loaded from another file.
  private var replaced: Set<String> = []
  private var records: [String: Record] = [:]
  let logins: PluginLogins
  /// Those who wait until one instance's program has started or failed to, or those of all.
  private var settling: [(instance: String?, gate: Gate)] = []
  /// Whether nothing is started any more.
  private var isStopping = false

  package init(providers: [any Provider.Type], parts: Parts) {
    self.providers = providers
    self.parts = parts
    logins = PluginLogins(clock: parts.clock)
    parts.registry.explain = { [unowned self] in explain($0) }
  }

  /// How long somebody waits for a program to start who asked for that.
  static let startLimit = Duration.seconds(5)

  nonisolated static let pollPrefix = "poll:"

  /// The name of an instance's poll among the jobs.
  package static func pollName(_ instance: String) -> String { pollPrefix + instance }

  // MARK: Loading

  /// Loads an instance; a failure is kept with it, reported, and harms no other.
  ///
  /// - Parameters:
  ///   - file: What plugins.d says of it.
  ///   - isCheck: Whether nothing is to be started, and the log hears nothing of a failure.
  package func load(_ file: PluginFile, isCheck: Bool = false) {
    let entry = Entry(file, file.isEnabled ? .starting : .disabled, since: parts.clock.now)
    entries[file.instance] = entry
    replaced.remove(file.instance)
    guard file.isEnabled else { return }
    do {
      let plugin = try make(file)
      entry.plugin = plugin
      if let started = entry.started {
        if !isCheck { started.start() }
        return
      }
      try offer(plugin)
      entry.state = .running
      guard !isCheck else { return }
      log(.info, file.instance, "the plugin runs")
      rose(entry)
    } catch {
      entry.plugin = nil
      entry.state = .failed
      entry.error = error
      guard !isCheck else { return }
      log(.error, file.instance, "the plugin was not loaded: \(error)")
      fell(file.instance, .failed, parts.redactor.redact("\(error)"))
    }
  }

  /// Fits an instance's methods and tasks into the agent, in place of those that it had.
  private func offer(_ plugin: any Plugin) throws {
    guard let entry = entries[plugin.instance], entry.plugin === plugin else { return }
    let instance = plugin.instance
    let figures = record(instance).figures
    parts.registry.remove(instance)
    try parts.registry.add(plugin.methods.map { $0.counted(by: figures) }, of: instance)
    let had = entry.source
    // The same one as before where it is the same, so that a poll under way goes on.
    entry.source = plugin.source.map {
      $0 === had?.source ? had ?? CountedTaskSource($0, figures) : CountedTaskSource($0, figures)
    }
    if let source = entry.source {
      add(source, entry.file)
    } else if let watch = plugin.watch {
      add(watch, entry.file, figures)
    } else if had != nil {
      parts.inbox.remove(instance)
      Loop.task { [parts] in await parts.scheduler.remove(Self.pollName(instance)) }
    }
  }

  private func make(_ file: PluginFile) throws -> any Plugin {
    if let program = file.program {
      return ProcessPlugin(file, program, context: context(file), surroundings)
    }
    if let library = file.library {
      return LibraryPlugin(file, library, context: context(file), surroundings)
    }
    guard let provider = providers.first(where: { $0.name == file.provider }) else {
      throw RPCError.notFound("There is no provider \"\(file.provider)\" in this program.")
    }
    return try BuiltinPlugin(
      provider, settings: provider.settings.fillingDefaults(file.settings), context: context(file))
  }

  private var surroundings: PluginSurroundings {
    PluginSurroundings(
      environment: parts.environment, redactor: parts.redactor, registry: parts.registry, bus: parts.bus,
      limits: parts.limits, offer: { [unowned self] in try offer($0) }, changed: { [unowned self] in changed($0) })
  }

  private func context(_ file: PluginFile) -> ProviderContext {
    let (bus, secrets, instance) = (parts.bus, parts.secrets, file.instance)
    return ProviderContext(
      instance: instance, clock: parts.clock, directory: file.directory,
      readSecret: { [unowned self] secret in try await self.read(secret, secrets, file) },
      hide: { secrets.hide($0, of: instance) },
      state: PluginState(of: instance, in: parts.store),
      log: { [weak self, redactor = parts.redactor] level, message in
        self?.log(level, instance, redactor.excerpt(message, bytes: Redactor.maxMessageBytes))
      },
      publish: { draft in
        var draft = draft
        draft.instance = instance
        guard !EventType.builtIn.contains(draft.type) else {
          throw RPCError.invalidParams("The event type \(draft.type) is the agent's own; choose another name.")
        }
        return try await bus.publish([draft])[0]
      })
  }

  private func read(_ secret: Secret, _ secrets: SecretReader, _ file: PluginFile) async throws -> String {
    do {
      return try await secrets.read(secret, in: file.directory)
    } catch let error as SecretError {
      throw RPCError.loginRequired(provider: file.instance, message: "\(error)")
    }
  }

  private func add(_ source: CountedTaskSource, _ file: PluginFile) {
    let (inbox, instance) = (parts.inbox, file.instance)
    inbox.add(
      source, instance: instance, startsWithBaseline: file.firstPoll == .baseline, settles: file.settleAfter,
      settings: Fingerprint.of(file.settings.utf8))
    schedule(file) {
      let result = try await inbox.poll(instance)
      return ["ready": JSONValue(result.ready), "changed": JSONValue(result.changed)]
    }
  }

  private func add(_ watch: any Watch, _ file: PluginFile, _ figures: CallFigures) {
    let (inbox, instance) = (parts.inbox, file.instance)
    inbox.add(watchOf: instance)
    schedule(file) { try await inbox.watch(instance) { try await figures.count { try await watch.look() } } }
  }

  private func schedule(_ file: PluginFile, _ poll: @escaping Job.Body) {
    parts.scheduler.add(
      Job(
        name: Self.pollName(file.instance), schedule: file.poll.schedule, jitter: file.poll.jitter, runsAtStart: true,
        body: poll))
  }

  /// The files to put into force: a new one that its provider can't use leaves the old one there.
  ///
  /// - Parameters:
  ///   - files: What plugins.d says now.
  ///   - old: What is in force.
  /// - Returns: `files`, with the old one in the place of each that is of no use.
  package func keepingUsable(_ files: [PluginFile], _ old: [PluginFile]) -> [PluginFile] {
    refused = []
    return files.map { file in
      guard file.isEnabled, entries[file.instance]?.plugin != nil,
        let before = old.first(where: { $0.instance == file.instance }), before != file
      else { return file }
      do {
        _ = try make(file)
        // What a program takes is known once it has run.
        try entries[file.instance]?.started?.check(settingsOf: file)
        return file
      } catch {
        refused.append((file, error))
        return before
      }
    }
  }

  /// Takes an instance out; what is known of its tasks stays.
  ///
  /// - Parameters:
  ///   - instance: The instance.
  ///   - next: The file that it is about to be loaded from instead; its log and its figures go on then.
  package func unload(_ instance: String, for next: PluginFile? = nil) async {
    guard let entry = entries[instance] else { return }
    entry.isLeaving = true
    logins.forget(instance)
    if next?.isEnabled == true {
      replaced.insert(instance)
      leave(entry, as: "starting", "its file was changed")
    } else {
      leave(entry, as: next == nil ? "removed" : "disabled", next == nil ? "its file is gone" : "it was disabled")
      // It is not expected back.
      down[instance] = nil
    }
    await stop(entry)
    _ = await restarting[instance]?.result
    if entries[instance] === entry { entries[instance] = nil }
    if next == nil {
      records[instance]?.log.clear()
      records[instance]?.figures = CallFigures(clock: parts.clock)
    }
  }

  private func stop(_ entry: Entry, isHurried: Bool = false) async {
    guard let plugin = entry.plugin else { return }
    entry.plugin = nil
    parts.problems.resolveAll(prefix: Self.matter(plugin.instance))
    parts.registry.remove(plugin.instance)
    parts.inbox.remove(plugin.instance)
    await parts.scheduler.remove(Self.pollName(plugin.instance))
    await plugin.stop(isHurried: isHurried)
  }

  /// Whether a library left something behind that the orderly end of a process could wait for.
  package static var hasLeftThreads: Bool { LibraryRun.hasLeftThreads }

  /// Stops all instances, at the end of the agent.
  package func stopAll() async {
    isStopping = true
    let stops = entries.values.map { entry in Loop.task { [self] in await stop(entry, isHurried: true) } }
    await withTaskCancellationHandler {
      for stop in stops { _ = await stop.result }
    } onCancel: {
      for stop in stops { stop.cancel() }
    }
  }

  /// Stops an instance and loads it again from its file as last read.
  package func restart(_ instance: String) async throws -> JSONValue {
    let entry = try entry(instance)
    guard entry.file.isEnabled else {
      throw RPCError.conflict("The plugin \(instance) is disabled; set enabled in \(entry.file.path) and reload.")
    }
    guard !entry.isLeaving else {
      throw RPCError.pluginDown("The plugin \(instance) is being taken out or replaced; try again soon.")
    }
    let work = restarting[instance] ?? beginRestart(entry)
    try await work.value
    await settle(instance, within: Self.startLimit)
    return try row(instance)
  }

  private func beginRestart(_ entry: Entry) -> Task<Void, any Error> {
    let instance = entry.file.instance
    let work = Loop.task { [self] in
      defer { restarting[instance] = nil }
      let restarts = entry.totalRestarts
      leave(entry, as: "starting", "a restart was asked for")
      await stop(entry)
      // A reload may have put another file into force meanwhile, or none.
      guard entries[instance] === entry, !entry.isLeaving, !isStopping else { return }
      load(entry.file)
      entries[instance]?.restarts = restarts + 1
    }
    restarting[instance] = work
    return work
  }

  // MARK: Programs

  /// Waits until programs have started, or failed to.
  ///
  /// - Parameters:
  ///   - instance: The one of interest; all of them without.
  ///   - limit: The most to wait.
  package func settle(_ instance: String? = nil, within limit: Duration) async {
    guard isStarting(instance) else { return }
    let gate = Gate()
    settling.append((instance, gate))
    // Whoever waits for an answer meanwhile is to get it.
    let limit = min(limit, parts.limits().requestTimeout / 2)
    let alarm = parts.clock.alarm(after: limit) { gate.open() }
    defer {
      alarm.cancel()
      settling.removeAll { $0.gate === gate }
    }
    // Whoever is cancelled waits no longer.
    try? await gate.wait()
  }

  private func isStarting(_ instance: String?) -> Bool {
    entries.values.contains { entry in
      (instance ?? entry.file.instance) == entry.file.instance && entry.started?.supervisor.state == .starting
    }
  }

  private static func matter(_ instance: String) -> String { "plugin:\(instance):" }

  /// Tells of a program's ups and downs.
  private func changed(_ plugin: any StartedPlugin) {
    let instance = plugin.instance
    guard let entry = entries[instance], entry.plugin === plugin else { return }
    report(plugin)
    for waiter in settling where !isStarting(waiter.instance) { waiter.gate.open() }
    switch plugin.supervisor.state {
    case .running: rose(entry)
    case .backoff, .failed:
      entry.runningSince = nil
      fell(instance, plugin.supervisor.state, plugin.supervisor.lastError)
    case .starting, .disabled: entry.runningSince = nil
    }
  }

  // MARK: Ups and downs

  /// From now on it is told, too, when an instance runs for the first time.
  package func announceStarts() { announcesStarts = true }

  /// An instance has begun to run.
  private func rose(_ entry: Entry) {
    let instance = entry.file.instance
    entry.runningSince = parts.clock.uptime
    let wasPlanned = down.removeValue(forKey: instance)
    if wasPlanned != nil || announcesStarts { note(.pluginUp, instance, ["state": "running"]) }
    // Its tasks may have waited for it; why a poll fails is told where polls are.
    if wasPlanned == false, entry.source != nil {
      Loop.task { [parts] in _ = try await parts.scheduler.run(Self.pollName(instance)) }
    }
  }

  /// An instance does not run though it should; told once, and once more where it was to be down for a while only.
  private func fell(_ instance: String, _ state: State, _ error: String?) {
    guard down.updateValue(false, forKey: instance) != false else { return }
    note(
      .pluginDown, instance,
      ["state": JSONValue(state.rawValue), "error": error.map { JSONValue($0) } ?? .null, "planned": false])
  }

  /// An instance that runs is about to end, because somebody wants it to.
  private func leave(_ entry: Entry, as state: String, _ reason: String) {
    let instance = entry.file.instance
    entry.state = .starting
    guard entry.plugin != nil else { return }
    log(.info, instance, "the plugin is stopped: \(reason)")
    guard entry.runningSince != nil else { return }
    entry.runningSince = nil
    down[instance] = true
    note(.pluginDown, instance, ["state": JSONValue(state), "error": .null, "planned": true])
  }

  private func note(_ type: EventType, _ instance: String, _ data: JSONValue) {
    let data = (["plugin": JSONValue(instance)] as JSONValue).merging(data)
    parts.bus.note([EventDraft(type, instance: instance, data: data)])
  }

  // MARK: What is told of an instance

  func record(_ instance: String) -> Record {
    if let record = records[instance] { return record }
    let record = Record(figures: CallFigures(clock: parts.clock))
    records[instance] = record
    return record
  }

  func log(_ level: Log.Level, _ instance: String, _ message: String) {
    parts.log.write(level, instance, message)
    // Whoever wants the finest lines says so for the whole log.
    guard level >= min(parts.log.level, .info) else { return }
    record(instance).log.append(level, parts.redactor.redact(message), at: parts.clock.now)
  }

  private func report(_ plugin: any StartedPlugin) {
    let matter = Self.matter(plugin.instance)
    parts.problems.resolveAll(prefix: matter)
    for (index, problem) in plugin.problems.enumerated() {
      parts.problems.report("\(matter)\(index)", problem.description)
    }
    if plugin.supervisor.state != .running, plugin.problems.isEmpty, let error = plugin.supervisor.lastError {
      parts.problems.report("\(matter)down", "The plugin \(plugin.instance) is down: \(error)")
    }
  }

  /// A name that no method has may be one of a program that has not said yet what it offers.
  private func explain(_ name: String) -> RPCError? {
    let instance = String(name.prefix { $0 != "." })
    if restarting[instance] != nil || replaced.contains(instance), entries[instance]?.plugin == nil {
      return .pluginDown("The plugin \(instance) is being started anew; try again soon.")
    }
    guard instance.utf8.count < name.utf8.count, let plugin = entries[instance]?.started
    else { return nil }
    do { try plugin.checkRunning() } catch { return error }
    return nil
  }

  func entry(_ instance: String) throws -> Entry {
    guard let entry = entries[instance] else {
      let names = entries.keys.sorted().joined(separator: ", ")
      throw RPCError.notFound(
        "There is no plugin \"\(instance.prefix(100))\"; "
          + (names.isEmpty ? "there are none, and `ringi plugin new` makes one." : "there are: \(names)."))
    }
    return entry
  }
}
