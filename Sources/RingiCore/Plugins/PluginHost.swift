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
  private final class Entry {
    let file: PluginFile
    var plugin: (any Plugin)?
    var state: State
    var since: Timestamp
    /// Why it was not loaded.
    var error: (any Error)?
    var restarts = 0

    init(_ file: PluginFile, _ state: State, since: Timestamp) {
      self.file = file
      self.state = state
      self.since = since
    }
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

    package init(
      registry: Registry, inbox: Inbox, scheduler: Scheduler, bus: EventBus, log: Log, problems: Problems,
      clock: any LoopClock, secrets: SecretReader, store: Store
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
    }
  }

  private let providers: [any Provider.Type]
  private let parts: Parts
  private var entries: [String: Entry] = [:]
  /// New files that a provider could not use, while the old ones stay in force.
  private var refused: [(file: PluginFile, error: any Error)] = []

  package init(providers: [any Provider.Type], parts: Parts) {
    self.providers = providers
    self.parts = parts
  }

  nonisolated static let pollPrefix = "poll:"

  /// The name of an instance's poll among the jobs.
  package static func pollName(_ instance: String) -> String { pollPrefix + instance }

  // MARK: Loading

  /// Loads an instance; a failure is kept with it, reported, and harms no other.
  ///
  /// - Parameters:
  ///   - file: What plugins.d says of it.
  ///   - quietly: Whether the log hears nothing of a failure.
  package func load(_ file: PluginFile, quietly: Bool = false) {
    let entry = Entry(file, file.isEnabled ? .starting : .disabled, since: parts.clock.now)
    entries[file.instance] = entry
    guard file.isEnabled else { return }
    do {
      let plugin = try make(file)
      try parts.registry.add(plugin.methods, of: file.instance)
      entry.plugin = plugin
      entry.state = .running
      addSource(of: plugin, file)
    } catch {
      entry.state = .failed
      entry.error = error
      if !quietly { parts.log.write(.error, file.instance, "the plugin was not loaded: \(error)") }
    }
  }

  private func make(_ file: PluginFile) throws -> any Plugin {
    guard let provider = providers.first(where: { $0.name == file.provider }) else {
      throw RPCError.notFound("There is no provider \"\(file.provider)\" in this program.")
    }
    let (log, bus, secrets, instance) = (parts.log, parts.bus, parts.secrets, file.instance)
    let context = ProviderContext(
      instance: instance, clock: parts.clock, directory: file.directory,
      readSecret: { [unowned self] secret in try await self.read(secret, secrets, file) },
      hide: { secrets.hide($0, of: instance) },
      state: PluginState(of: instance, in: parts.store),
      log: { level, message in log.write(level, instance, message) },
      publish: { draft in
        var draft = draft
        draft.instance = instance
        guard !EventType.builtIn.contains(draft.type) else {
          throw RPCError.invalidParams("The event type \(draft.type) is the agent's own; choose another name.")
        }
        return try await bus.publish([draft])[0]
      })
    return try BuiltinPlugin(provider, settings: provider.settings.fillingDefaults(file.settings), context: context)
  }

  private func read(_ secret: Secret, _ secrets: SecretReader, _ file: PluginFile) async throws -> String {
    do {
      return try await secrets.read(secret, in: file.directory)
    } catch let error as SecretError {
      throw RPCError.loginRequired(provider: file.instance, message: "\(error)")
    }
  }

  private func addSource(of plugin: any Plugin, _ file: PluginFile) {
    guard let source = plugin.source else { return }
    let (inbox, instance) = (parts.inbox, plugin.instance)
    inbox.add(
      source, instance: instance, startsWithBaseline: file.firstPoll == .baseline, settles: file.settleAfter)
    parts.scheduler.add(
      Job(
        name: Self.pollName(instance), schedule: file.poll.schedule, jitter: file.poll.jitter, runsAtStart: true
      ) {
        let result = try await inbox.poll(instance)
        return ["ready": JSONValue(result.ready), "changed": JSONValue(result.changed)]
      })
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
        return file
      } catch {
        refused.append((file, error))
        return before
      }
    }
  }

  /// Takes an instance out; what is known of its tasks stays.
  package func unload(_ instance: String) async {
    guard let entry = entries.removeValue(forKey: instance) else { return }
    await stop(entry)
  }

  private func stop(_ entry: Entry) async {
    guard let plugin = entry.plugin else { return }
    entry.plugin = nil
    parts.registry.remove(plugin.instance)
    parts.inbox.remove(plugin.instance)
    await parts.scheduler.remove(Self.pollName(plugin.instance))
    await plugin.stop()
  }

  /// Stops all instances, at the end of the agent.
  package func stopAll() async {
    for entry in entries.values { await stop(entry) }
  }

  // MARK: Asking

  package func hasSource(_ instance: String) -> Bool { entries[instance]?.plugin?.source != nil }

  /// What keeps instances from running although their files are right.
  package func problems(_ reading: Configuration.Reading) -> [ConfigurationProblem] {
    let failed = entries.values.filter { $0.state == .failed }
      .compactMap { entry in entry.error.map { (file: entry.file, error: $0) } }
    return (failed + refused).sorted { $0.file.path < $1.file.path }.compactMap { file, error in
      guard let error = error as? SettingsError, var text = reading.file(file.path) else {
        return ConfigurationProblem(file: file.path, message: "\(error)")
      }
      text.complain(at: JSONPointer(tokens: ["settings"] + error.pointer.tokens), error.message)
      return text.problems.last
    }
  }

  package var list: JSONValue {
    JSONValue(array: entries.values.sorted { $0.file.instance < $1.file.instance }.map(row))
  }

  package func row(_ instance: String) throws -> JSONValue { row(try entry(instance)) }

  /// Stops an instance and loads it again from its file as last read.
  package func restart(_ instance: String) async throws -> JSONValue {
    let entry = try entry(instance)
    guard entry.file.isEnabled else {
      throw RPCError.conflict("The plugin \(instance) is disabled; set enabled in \(entry.file.path) and reload.")
    }
    await stop(entry)
    load(entry.file)
    entries[instance]?.restarts = entry.restarts + 1
    return try row(instance)
  }

  private func entry(_ instance: String) throws -> Entry {
    guard let entry = entries[instance] else {
      throw RPCError.notFound(
        "There is no plugin \"\(instance.prefix(100))\"; there are: \(entries.keys.sorted().joined(separator: ", ")).")
    }
    return entry
  }

  private func row(_ entry: Entry) -> JSONValue {
    let failure = parts.inbox.failure(of: entry.file.instance)?.message ?? entry.error.map { "\($0)" }
    return [
      "name": JSONValue(entry.file.instance), "kind": JSONValue(entry.plugin?.kind ?? "builtin"),
      "provider": JSONValue(entry.file.provider), "state": JSONValue(entry.state.rawValue),
      "since": JSONValue(entry.since.rfc3339),
      "methods": JSONValue(array: parts.registry.methods(of: entry.file.instance).map { JSONValue($0.name) }),
      "lastError": failure.map { JSONValue($0) } ?? .null, "restarts": JSONValue(entry.restarts),
    ]
  }
}
